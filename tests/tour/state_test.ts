import { checkExchanges } from "./documented.ts";

Deno.test("docs/state.md: gw mock --stateful answers as it says", async (t) => {
  await checkExchanges(t, "state.md", "## Example", "shop.yaml", 9);
});
