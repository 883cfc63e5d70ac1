import { checkExchanges } from "./documented.ts";

Deno.test("docs/paths.md: gw mock answers as it says", async (t) => {
  await checkExchanges(t, "paths.md", "## Queries and fragments in paths", "agents.yaml", 6);
});
