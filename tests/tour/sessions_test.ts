import { checkExchanges } from "./documented.ts";

for (const [heading, count] of [["## The session of a request", 7], ["## Between tests", 6]] as const) {
  Deno.test(`docs/sessions.md: gw mock answers as it says: ${heading}`, async (t) => {
    await checkExchanges(t, "sessions.md", heading, "pets.yaml", count);
  });
}
