import { type DefinitionObject, type Document, parseDocument, type ParseOptions } from "../openapi/document.ts";

/** Fields of the OpenAPI Object that mean nothing to a static route, which has no operations. */
const DEFAULTS = { openapi: "3.1.0", info: { title: "", version: "" }, paths: {} } as const;

/**
 * Reads the document of a static route. Only its `x-svc` matters, so `openapi`, `info` and `paths` may be missing.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const document = await parseStaticRoute("x-svc: {upstream: {service: {name: web}}}");
 * assert.deepEqual(document.diagnostics, []);
 * ```
 */
export function parseStaticRoute(
  definition: string | Uint8Array | DefinitionObject,
  options: Omit<ParseOptions, "defaults"> = {},
): Promise<Document> {
  return parseDocument(definition, { ...options, defaults: DEFAULTS });
}
