import assert from "node:assert/strict";
import { validateDocument } from "../../../lib/mock/lint/validate_document.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import type { HostileText } from "./hostile_texts.ts";

/** Asserts that a text gives its diagnostic, and pollutes no prototype. */
export async function checkHostileText({ text, code }: HostileText): Promise<void> {
  const document = await parseDocument(text());
  const codes = (await validateDocument(document)).map((diagnostic) => diagnostic.code);
  // The texts need no operations.
  if (code === undefined) assert.deepEqual(codes.filter((code) => code !== "missing-paths"), []);
  else assert.ok(codes.includes(code), `${code} is not among ${[...new Set(codes)].join(", ")}`);
  assert.equal(({} as Record<string, unknown>)["polluted"], undefined);
}
