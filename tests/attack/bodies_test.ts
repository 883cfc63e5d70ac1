import { listBodies } from "./bodies.ts";
import { CHECKING_TARGETS } from "./target.ts";

for (const { name, start } of CHECKING_TARGETS) {
  Deno.test(`${name}: hostile bodies affect no other client`, async (t) => {
    await using target = await start();
    for (const exchange of await listBodies()) await t.step(exchange.name, () => target.attack(exchange));
  });
}
