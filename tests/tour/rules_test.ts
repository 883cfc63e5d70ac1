import assert from "node:assert/strict";
import { createFolder } from "../cmd/definitions.ts";
import { runGw } from "../cmd/process.ts";
import { parseRule } from "../../lib/mock/rules/parse_rule.ts";
import { createRuleReader } from "../../lib/mock/rules/read_rule.ts";
import { checkExchanges } from "./documented.ts";

const DOCS = await Deno.readTextFile(new URL("../../docs/rules.md", import.meta.url));

Deno.test("docs/rules.md: gw mock answers as it says", async (t) => {
  await checkExchanges(t, "rules.md", "## Example", "shop.yaml", 9);
});

Deno.test("docs/rules.md: gw mock refuses a body as it says", async () => {
  const [, definition = ""] = /```yaml\n(.*?)```/s.exec(DOCS) ?? [];
  const [, rule = "", refusal = ""] = /--rule '([^']*)'\n…\n(.*) …\n/.exec(DOCS) ?? [];
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/shop.yaml`, definition);
  const { stderr } = await runGw({ args: ["mock", "shop.yaml", "--rule", rule, "--port", "0"], cwd: folder.path });
  assert.ok(refusal !== "" && stderr.includes(refusal), stderr);
});

Deno.test("docs/rules.md: each rule of the table can be read", async () => {
  const [, table = ""] = /\n(\| I want.*?)\n\n/s.exec(DOCS) ?? [];
  const reader = await createRuleReader();
  const rules = [...table.matchAll(/`([^`]+: [^`]+)`/g)].map(([, text = ""]) => text);
  assert.equal(rules.length, 16);
  for (const text of rules) {
    const read = parseRule(text);
    assert.equal(read.kind, "rule", text);
    if (read.kind === "rule") assert.equal(reader.read(read.rule).kind, "rule", text);
  }
});
