import assert from "node:assert/strict";
import { parseRule } from "../../lib/mock/rules/parse_rule.ts";
import { listPages, readRepositoryFile } from "./pages.ts";
import { createRuleReader } from "../../lib/mock/rules/read_rule.ts";

const DOCS = await Deno.readTextFile(new URL("../../docs/rules.md", import.meta.url));

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

Deno.test("each rule of a command line in README and docs can be read", () => {
  const rules = listPages().flatMap((path) => [...readRepositoryFile(path).matchAll(/--rule '([^']+)'/g)]);
  assert.ok(rules.length > 5);
  for (const [, text = ""] of rules) assert.equal(parseRule(text).kind, "rule", text);
});
