import type { Document } from "../document.ts";
import { child, entries, isObject, items, type Node } from "../../schema/json/node.ts";
import { formatPointer, parsePointer } from "../../schema/json/pointer.ts";
import { loadFormats } from "../../schema/format.ts";
import { createValidator } from "../../schema/validator.ts";
import { loadPatternReader } from "../../regexp/pattern.ts";
import { follow } from "../../schema/json/reference.ts";
import { createDocumentValidator, type DocumentValidator } from "../../schema/document_validator.ts";
import type { Violation } from "../../schema/violation.ts";
import { createSchemaReader } from "../../schema/schema_reader.ts";
import type { Direction } from "../../schema/schema.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { withinSteps } from "../../regexp/steps.ts";
import { parseMediaType } from "../../http/media_type.ts";
import type { PlacedObject } from "./objects.ts";
import { MOST_PROBLEMS, warning } from "./report.ts";

interface Example {
  value: Node;
  schema: Node<"Schema">;
}

/** Budgets for the validation of examples. */
export interface ExampleWork {
  /** Limit of the steps of validation; each evaluation of a schema takes a step. */
  steps: number;
  /** Limit of the steps for listing the violations of invalid examples. */
  explained: number;
  reported: number;
}

const MOST_WORK: ExampleWork = { steps: 2_000_000, explained: 200_000, reported: MOST_PROBLEMS };

/** Finds invalid examples of media types, parameters, headers and schemas, and invalid values of `default`. */
export async function checkExamples(
  document: Document,
  objects: readonly PlacedObject[],
  { steps, explained, reported }: ExampleWork = MOST_WORK,
): Promise<UnlocatedDiagnostic[]> {
  const fits = createFits(document, await loadFormats(), await loadPatternReader(), steps);
  let validator: DocumentValidator | undefined;
  const diagnostics: UnlocatedDiagnostic[] = [];
  for (const object of objects) {
    for (const { value, schema } of examplesOf(document, object)) {
      const directions = directionsOf(object);
      const fitting = fits(value.value, schema, directions);
      if (fitting === true) continue;
      if (fitting === "unknown") {
        const message = `The examples from here on were not checked: the schema of this one (${
          schema.pointer || "/"
        }) takes too many steps.`;
        return [...diagnostics, warning("unchecked-examples", message, value)];
      }
      if (diagnostics.length >= reported) {
        const message = "The examples from here on were not checked: those before have taken long enough.";
        return [...diagnostics, warning("unchecked-examples", message, value)];
      }
      validator ??= await createDocumentValidator(document, { work: { left: explained } });
      const violation = violationOf(validator, value, schema, directions);
      if (violation !== undefined) diagnostics.push(toDiagnostic(value, violation));
    }
  }
  return diagnostics;
}

/** Tells whether a value is valid against a schema in one of the directions; `unknown` where the budget is spent. */
type Fits = (value: unknown, schema: Node, directions: readonly Direction[]) => boolean | "unknown";

/**
 * Makes a check of examples that doesn't list violations, since listing takes many times as long. Violations are listed
 * only for the examples that this check finds invalid.
 */
function createFits(
  document: Document,
  formats: Parameters<typeof createValidator>[0],
  readPattern: Parameters<typeof createValidator>[1],
  steps: number,
): Fits {
  const { isValid } = createValidator(formats, readPattern, { left: steps });
  const readers = {
    request: createSchemaReader(document, "request"),
    response: createSchemaReader(document, "response"),
  };
  return (value, schema, directions) =>
    withinSteps<boolean | "unknown">(
      () => directions.some((direction) => isValid(value, readers[direction].read(schema))),
      () => "unknown",
    );
}

function examplesOf(document: Document, { kind, node, isReference }: PlacedObject): Example[] {
  if (isReference) return [];
  switch (kind) {
    case "Schema":
      return [child(node, "default"), child(node, "example"), ...items(child(node, "examples"))]
        .filter(({ value }) => value !== undefined)
        .map((value) => ({ value, schema: node }));
    case "MediaType":
    case "Parameter":
    case "Header": {
      const schema = child(node, "schema");
      if (!isObject(schema.value)) return [];
      return [
        child(node, "example"),
        ...entries(child(node, "examples")).map(([, written]) => valueOf(document, written)),
      ]
        .filter(({ value }) => value !== undefined && !(kind === "MediaType" && isSerialized(node, value)))
        .map((value) => ({ value, schema }));
    }
    default:
      return [];
  }
}

/** The `value` of an Example Object, or its `dataValue` (since OpenAPI 3.2). */
function valueOf(document: Document, written: Node<"Example">): Node {
  const example = follow(document, written);
  const value = child(example, "value");
  return value.value === undefined ? child(example, "dataValue") : value;
}

/**
 * Whether an example is a string in the syntax of a media type such as XML. Its schema describes the parsed value, so
 * the string isn't validated.
 */
function isSerialized(mediaType: Node, example: unknown): boolean {
  const name = parseMediaType(parsePointer(mediaType.pointer).at(-1) ?? "");
  return typeof example === "string" && name !== undefined && name.subtype !== "json" && name.suffix !== "json";
}

/**
 * The directions (request, response) in which the values of an object are sent. Both directions, if the place of the
 * object in the definition doesn't decide.
 */
function directionsOf(object: PlacedObject): Direction[] {
  for (let at: PlacedObject | undefined = object; at !== undefined; at = at.parent) {
    if (at.kind === "RequestBody" || at.kind === "Parameter") return ["request"];
    if (at.kind === "Response" || at.kind === "Header") return ["response"];
  }
  return ["response", "request"];
}

/** The violation to report for an example; `undefined` for an example that is valid in one of the directions. */
function violationOf(
  validator: DocumentValidator,
  { value }: Node,
  schema: Node,
  directions: readonly Direction[],
): Violation | undefined {
  let deepest: Violation | undefined;
  for (const direction of directions) {
    const violations = validator.checkOf(schema, direction)(value);
    if (violations.length === 0) return undefined;
    deepest ??= deepestOf(violations);
  }
  return deepest;
}

/**
 * The violation at the deepest path: in a `oneOf` it belongs to the branch that probably was intended, since the value
 * follows this branch furthest.
 */
function deepestOf(violations: readonly Violation[]): Violation | undefined {
  return violations.toSorted((a, b) => b.path.length - a.path.length)[0];
}

function toDiagnostic(value: Node, { path, message }: Violation): UnlocatedDiagnostic {
  const at = { ...value, pointer: value.pointer + formatPointer(path) };
  const place = path.length === 0 ? "It" : `\`${formatPointer(path)}\``;
  const [code, word] = value.pointer.endsWith("/default")
    ? ["bad-default", "default"] as const
    : ["bad-example", "example"] as const;
  return warning(code, `The ${word} doesn't fit its schema: ${place} ${message}.`, at);
}
