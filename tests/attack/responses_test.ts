import { RESPONSES } from "./responses.ts";
import { TARGETS } from "./target.ts";

for (const { name, start } of TARGETS) {
  Deno.test(`${name}: hostile responses affect no other client`, async (t) => {
    await using target = await start();
    for (const exchange of RESPONSES) await t.step(exchange.name, () => target.attack(exchange));
  });
}
