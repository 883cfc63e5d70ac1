import type { Document } from "../openapi/document.ts";
import { child, entries, isObject, type Node } from "../schema/node.ts";
import { baseOf, follow } from "../schema/reference.ts";
import { resolveUri } from "../schema/uri.ts";
import type { ValueForm } from "../wire/body.ts";

/** An example of a body, a header or a parameter. */
export interface Example {
  value: unknown;
  form: ValueForm;
  /** The Example Object, or the value of `example`. */
  node: Node;
  /** `example`, or `examples.` and the name. */
  source: string;
  /** Whether the example has conditions (`x-svc.mocking.match`), so that it is only for requests that meet them. */
  isConditional: boolean;
  /** Whether its value comes from another text, by `externalValue`. */
  isExternal?: true;
}

/** The examples of a Media Type, Header or Parameter Object, by name. The key of `example` is the empty name. */
export function listExamples(
  document: Document,
  owner: Node<"MediaType" | "Parameter" | "Header">,
): Map<string, Example> {
  const examples = new Map<string, Example>();
  const lone = child(owner, "example");
  if (lone.value !== undefined) {
    examples.set("", { value: lone.value, form: "example", node: lone, source: "example", isConditional: false });
  }
  for (const [name, written] of entries(child(owner, "examples"))) {
    const node = follow(document, written);
    const example = readExample(document, node);
    const isConditional = conditionsOf(node).value !== undefined;
    if (example !== undefined) examples.set(name, { ...example, source: `examples.${name}`, isConditional });
  }
  return examples;
}

/** The default example of a Media Type, Header or Parameter Object: see {@linkcode defaultExample}. */
export function firstExample(
  document: Document,
  owner: Node<"MediaType" | "Parameter" | "Header">,
): Example | undefined {
  return defaultExample(listExamples(document, owner));
}

/**
 * The example for requests that select no other: `example`, else the first of `examples` without conditions, else the
 * first of all.
 */
export function defaultExample(examples: ReadonlyMap<string, Example>): Example | undefined {
  const [first] = examples.values();
  return [...examples.values()].find(({ isConditional }) => !isConditional) ?? first;
}

/** The conditions of an Example Object: `x-svc.mocking.match`. */
export function conditionsOf(example: Node<"Example">): Node {
  return child(child(child(example, "x-svc"), "mocking"), "match");
}

/**
 * Reads an Example Object (OpenAPI 3.2, section 4.19); `undefined` when it has no value, or its external value wasn't
 * loaded.
 */
function readExample(document: Document, node: Node<"Example">): Omit<Example, "source" | "isConditional"> | undefined {
  if (!isObject(node.value)) return undefined;
  const value = child(node, "value");
  if (value.value !== undefined) return { value: value.value, form: "example", node: value };
  const data = child(node, "dataValue");
  if (data.value !== undefined) return { value: data.value, form: "data", node: data };
  const serialized = child(node, "serializedValue");
  if (serialized.value !== undefined) return { value: serialized.value, form: "serialized", node: serialized };
  const external = child(node, "externalValue");
  if (typeof external.value !== "string") return undefined;
  const bytes = document.externalValues.get(resolveUri(external.value, baseOf(document, node)));
  return bytes && { value: bytes, form: "serialized", node: external, isExternal: true };
}
