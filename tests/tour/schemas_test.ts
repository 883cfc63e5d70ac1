import { checkExchanges } from "./documented.ts";

Deno.test("docs/schemas.md: gw mock answers as it says", async (t) => {
  await checkExchanges(t, "schemas.md", "## JSON in strings", "orders.yaml", 3);
});
