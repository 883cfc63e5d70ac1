import assert from "node:assert/strict";
import { CLIENTS } from "../../../scripts/clients/clients.ts";
import { KNOWN_FAILURES } from "../../../scripts/clients/known_failures.ts";

const DOCS = (await Deno.readTextFile(new URL("../../../docs/clients.md", import.meta.url))).replaceAll(/\s+/g, " ");

Deno.test("docs/clients.md has the figures of each client in both modes", () => {
  for (const { name, tests } of CLIENTS) {
    for (const mode of ["default", "strict"]) {
      assert.ok(DOCS.includes(`| ${name} | ${tests.language} | ${mode} |`), name);
    }
  }
});

Deno.test("docs/clients.md has the reason of each known failure", () => {
  for (const { client, fault, reason } of KNOWN_FAILURES) {
    assert.ok(DOCS.includes(`**${client}**`) && DOCS.includes(`(${fault}) ${reason}`), reason);
  }
});
