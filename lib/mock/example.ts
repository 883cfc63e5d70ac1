import type { Document } from "../openapi/document.ts";
import { child, entries, isObject, type Node } from "../openapi/node.ts";
import { baseOf, follow } from "../openapi/reference.ts";
import { resolveUri } from "../openapi/scan.ts";

/** An example of a body, a header or a parameter. */
export interface Example {
  /** The value; or, where it is `serialized`, the text or the bytes to send as they are. */
  value: unknown;
  serialized: boolean;
  /** Where the example stands. */
  node: Node;
  /** `example`, or `examples.` and its name. */
  source: string;
}

/** The examples of a Media Type, Header or Parameter Object, by name; the lone `example` has the empty name. */
export function listExamples(document: Document, owner: Node): Map<string, Example> {
  const examples = new Map<string, Example>();
  const lone = child(owner, "example");
  if (lone.value !== undefined) {
    examples.set("", { value: lone.value, serialized: false, node: lone, source: "example" });
  }
  for (const [name, written] of entries(child(owner, "examples"))) {
    const example = readExample(document, follow(document, written));
    if (example !== undefined) examples.set(name, { ...example, source: `examples.${name}` });
  }
  return examples;
}

/** The example that is answered when nobody asks for another: `example`, else the first of `examples`. */
export function firstExample(document: Document, owner: Node): Example | undefined {
  const [first] = listExamples(document, owner).values();
  return first;
}

/** Reads an Example Object (OpenAPI 3.2, section 4.19); `undefined` when its value can't be had. */
function readExample(document: Document, node: Node): Omit<Example, "source"> | undefined {
  if (!isObject(node.value)) return undefined;
  for (const key of ["value", "dataValue"]) {
    const value = child(node, key);
    if (value.value !== undefined) return { value: value.value, serialized: false, node: value };
  }
  const serialized = child(node, "serializedValue");
  if (typeof serialized.value === "string") return { value: serialized.value, serialized: true, node: serialized };
  const external = child(node, "externalValue");
  if (typeof external.value !== "string") return undefined;
  const bytes = document.externalValues.get(resolveUri(external.value, baseOf(document, node)));
  return bytes && { value: bytes, serialized: true, node: external };
}
