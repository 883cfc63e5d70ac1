import { REQUESTS } from "./requests.ts";
import { TARGETS } from "./target.ts";

for (const { name, start } of TARGETS) {
  Deno.test(`${name}: hostile requests affect no other client`, async (t) => {
    await using target = await start();
    for (const exchange of REQUESTS) await t.step(exchange.name, () => target.attack(exchange));
  });
}
