/**
 * Reads the JSON Schema Test Suite for 2020-12.
 *
 * @module
 */
import { type Document, parseDocument } from "../../../lib/openapi/document.ts";
import { child, type Node } from "../../../lib/schema/json/node.ts";

/** A schema of the suite, with valid and invalid values. */
interface SuiteCase {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
}

/** A case of the suite, with its schema as part of a definition. */
export interface ReadCase extends SuiteCase {
  /** The file and the description of the case. */
  name: string;
  document: Document;
  node: Node;
}

const SUITE = new URL("../../data/json_schema_test_suite/", import.meta.url);

/** The names of the suite's files, sorted. */
export function suiteFiles(): string[] {
  return [...listFiles("")].sort();
}

function* listFiles(folder: string): Generator<string> {
  for (const { name, isDirectory } of Deno.readDirSync(new URL(folder, SUITE))) {
    if (isDirectory) yield* listFiles(`${folder}${name}/`);
    else if (name.endsWith(".json")) yield `${folder}${name}`;
  }
}

/** Reads the cases of a file, except those whose schema refers to another server. */
export async function readCases(file: string): Promise<ReadCase[]> {
  const cases: SuiteCase[] = JSON.parse(Deno.readTextFileSync(new URL(file, SUITE)));
  const read: ReadCase[] = [];
  for (const one of cases) {
    const { schema } = one;
    const isNamed = typeof schema !== "object" || schema === null || "$id" in schema;
    const Main = isNamed ? schema : { $id: "https://example.com/main", ...schema };
    const document = await parseDocument(
      JSON.stringify({ openapi: "3.1.0", paths: {}, components: { schemas: { Main } } }),
    );
    if (document.missing.length > 0) continue;
    const node = child(child(child(document.root, "components"), "schemas"), "Main");
    read.push({ ...one, name: `${file}: ${one.description}`, document, node });
  }
  return read;
}
