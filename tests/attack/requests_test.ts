import { REQUESTS } from "./requests.ts";
import { TARGETS } from "./target.ts";

for (const { name, start } of TARGETS) {
  Deno.test(`${name}: hostile requests hurt nobody else`, async (t) => {
    await using target = await start();
    for (const exchange of REQUESTS) await t.step(exchange.name, () => target.attack(exchange));
  });
}
