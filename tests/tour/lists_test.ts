import { checkExchanges } from "./documented.ts";

Deno.test("docs/lists.md: gw mock --stateful lists as it says", async (t) => {
  await checkExchanges(t, "lists.md", "## Example", "pets.yaml", 4);
});
