import { parseMediaType } from "../../http/media_type.ts";
import type { Document } from "../../openapi/document.ts";
import { child, entries, isObject, type Node, stringOf } from "../../schema/json/node.ts";
import { baseOf, follow } from "../../schema/json/reference.ts";
import { isDataUri, resolveUri } from "../../schema/json/uri.ts";
import type { ValueForm } from "../../wire/body.ts";

/** The named example that the contents of a request select. */
export interface ExampleChoice {
  /** The status code of the response that has the example. */
  readonly code: number;
  /** The name of the example. Some media types of the response may lack it. */
  readonly example: string;
}

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
  /** Whether the value is the content of another file (`externalValue`). */
  isExternal: boolean;
  /** The `Content-Type` of the answer. Default: the key of the media type. */
  contentType?: string | undefined;
}

/** The examples of a Media Type, Header or Parameter Object, by name. The key of `example` is the empty name. */
export function listExamples(
  document: Document,
  owner: Node<"MediaType" | "Parameter" | "Header">,
): Map<string, Example> {
  const examples = new Map<string, Example>();
  const lone = child(owner, "example");
  if (lone.value !== undefined) {
    const kind = { form: "example", source: "example", isConditional: false, isExternal: false } as const;
    examples.set("", { value: lone.value, node: lone, ...kind });
  }
  for (const [name, written] of entries(child(owner, "examples"))) {
    const node = follow(document, written);
    const example = readExample(document, node);
    const isConditional = exampleConditions(node).value !== undefined;
    const contentType = contentTypeOf(node);
    if (example !== undefined) {
      examples.set(name, { ...example, source: `examples.${name}`, isConditional, contentType });
    }
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
export function exampleConditions(example: Node<"Example">): Node {
  return child(mockingOf(example), "match");
}

/** The media type of an answer with this example: `x-svc.mocking.contentType`. */
function contentTypeOf(example: Node<"Example">): string | undefined {
  const written = stringOf(child(mockingOf(example), "contentType"));
  return written !== undefined && parseMediaType(written) !== undefined ? written : undefined;
}

function mockingOf(example: Node<"Example">): Node {
  return child(child(example, "x-svc"), "mocking");
}

/** The keys of an Example Object that hold its value, in order of precedence, with the form of the value. */
const INLINE = [["value", "example"], ["dataValue", "data"], ["serializedValue", "serialized"]] as const;

/**
 * Reads an Example Object (OpenAPI 3.2, section 4.19); `undefined` when it has no value, or its external value wasn't
 * loaded.
 */
function readExample(document: Document, node: Node<"Example">): Omit<Example, "source" | "isConditional"> | undefined {
  if (!isObject(node.value)) return undefined;
  for (const [key, form] of INLINE) {
    const inline = child(node, key);
    if (inline.value !== undefined) return { value: inline.value, form, node: inline, isExternal: false };
  }
  const external = child(node, "externalValue");
  if (typeof external.value !== "string") return undefined;
  const bytes = document.externalValues.get(resolveUri(external.value, baseOf(document, node)));
  return bytes && { value: bytes, form: "serialized", node: external, isExternal: !isDataUri(external.value) };
}
