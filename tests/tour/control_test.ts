import { checkExchanges } from "./documented.ts";

Deno.test("docs/journal.md: gw mock remembers requests as it says", async (t) => {
  await checkExchanges(t, "journal.md", "## Example", "shop.yaml", 3);
});

Deno.test("docs/journal.md: gw mock verifies requests as it says", async (t) => {
  await checkExchanges(t, "journal.md", "## Verify what came", "shop.yaml", 4);
});

Deno.test("docs/control.md: the control API answers as it says", async (t) => {
  await checkExchanges(t, "control.md", "## Example", "pets.yaml", 12);
});
