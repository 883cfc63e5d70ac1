/**
 * Generates bodies for the schema `Main` of a definition.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { GeneratedBody } from "../../../../lib/mock/generate/body.ts";
import { generateBody, type GenerateOptions } from "../../../../lib/mock/generate/generate.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { child, type Node } from "../../../../lib/schema/json/node.ts";
import { createAjvValidator } from "../../schema/ajv_validator.ts";

/** The schemas of a definition by name. One is named `Main`. */
export type Schemas = Record<string, unknown>;

/** Parses a definition with the given schemas. */
export async function documentOf(schemas: Schemas, openapi = "3.1.0"): Promise<{ document: Document; main: Node }> {
  const document = await parseDocument(JSON.stringify({ openapi, paths: {}, components: { schemas } }));
  return { document, main: schemaNamed(document, "Main") };
}

export function schemaNamed(document: Document, name: string): Node {
  return ["components", "schemas", name].reduce<Node>((node, key) => child(node, key), document.root);
}

/** Generates a body for `Main`, or returns the reason why no value satisfies it. */
export async function generate(schemas: Schemas, options: GenerateOptions = {}): Promise<GeneratedBody> {
  const { document, main } = await documentOf(schemas);
  return await generateBody(document, main.pointer, options);
}

/** Generates a body for `Main`, and asserts that it is valid by Ajv. */
export async function validBodyOf(schemas: Schemas, options: GenerateOptions = {}): Promise<unknown> {
  const { document, main } = await documentOf(schemas);
  const body = await generateBody(document, main.pointer, options);
  if (body.kind === "impossible") assert.fail(`${body.reason} (${body.pointer})`);
  const check = (await createAjvValidator(document)).checkOf(main, options.direction ?? "response");
  assert.deepEqual(check(body.value), [], JSON.stringify(body.value));
  return body.value;
}
