/**
 * Reads the shape of a schema: its type, and its properties or items, including those of `$ref`, `allOf`, `anyOf` and
 * `oneOf`. Shapes suffice to compare schemas, and are read much faster than schemas as a whole.
 *
 * @module
 */
import type { Document } from "../../openapi/document.ts";
import { child, isObject, items, type JsonObject, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { type Agreement, createComparison, type Shape, type ShapeSteps } from "./compare_shapes.ts";
import { plainName } from "../../names/words.ts";

/** Reads the shapes of a definition's schemas, memoised. */
export interface ShapeReader {
  readonly read: (schema: Node<"Schema">) => Shape;
  readonly compare: (left: Shape, right: Shape) => Agreement;
  /** The property names of an object, by their form in lower case without separators. */
  readonly namesOf: (shape: Shape) => ReadonlyMap<string, string>;
  /** The number of properties of a request body that are properties of an item, in any spelling. */
  readonly sharedWith: (body: Shape, item: Shape) => number;
}

/**
 * Step budget of all shapes of a definition: one step for each schema or property. Beyond it, shapes are `unknown`, so
 * that further operations aren't bound.
 */
const MOST_STEPS = 3_000_000;

/** Limit of a chain of schemas by `$ref` and `allOf`. */
const MOST_DEPTH = 100;

/** Limit of the properties of a shape. Further ones are left out. */
const MOST_PROPERTIES = 1_000;

const NO_PROPERTIES: ReadonlyMap<string, Node<"Schema">> = new Map();

export function createShapeReader(document: Document): ShapeReader {
  const known = new Map<object, Shape>();
  const names = new Map<Shape, ReadonlyMap<string, string>>();
  const budget: ShapeSteps = { left: MOST_STEPS };
  let depth = 0;
  return { read, compare: createComparison(read, budget), namesOf, sharedWith };

  function read(written: Node<"Schema">): Shape {
    const node = follow(document, written);
    const { value } = node;
    if (!isObject(value)) return unknownShape(written);
    const before = known.get(value);
    if (before !== undefined) return before;
    if (--budget.left < 0 || depth >= MOST_DEPTH) return unknownShape(written);
    known.set(value, unknownShape(written));
    depth++;
    const shape = merge(node, value);
    depth--;
    known.set(value, shape);
    return shape;
  }

  function merge(node: Node<"Schema">, value: JsonObject): Shape {
    const parts = withoutTombstones(partsOf(node, value).map(read));
    const own = ownShape(node, value);
    const [only] = parts;
    // A schema that only annotates another schema, or makes it nullable, has that schema's shape.
    if (only !== undefined && parts.length === 1 && own.properties.size === 0) return only;
    if (parts.length === 0) return charge(own);
    const properties = new Map<string, Node<"Schema">>();
    for (const part of [...parts, own]) {
      for (const [name, property] of part.properties) {
        if (--budget.left < 0 || properties.size >= MOST_PROPERTIES) break;
        properties.set(name, property);
      }
    }
    const main = parts.find(({ kind }) => kind !== "unknown");
    return {
      ...own,
      kind: properties.size > 0 ? "object" : own.kind === "unknown" ? main?.kind ?? "unknown" : own.kind,
      type: own.type ?? main?.type,
      format: own.format ?? main?.format,
      properties,
      items: own.items ?? main?.items,
    };
  }

  function namesOf(shape: Shape): ReadonlyMap<string, string> {
    const before = names.get(shape);
    if (before !== undefined) return before;
    const found = new Map<string, string>();
    for (const name of shape.properties.keys()) {
      if (--budget.left < 0) break;
      const plain = plainName(name);
      if (!found.has(plain)) found.set(plain, name);
    }
    names.set(shape, found);
    return found;
  }

  function sharedWith(body: Shape, item: Shape): number {
    const own = namesOf(item);
    return [...body.properties.keys()].filter((name) => own.has(plainName(name))).length;
  }

  function charge(shape: Shape): Shape {
    budget.left -= shape.properties.size;
    return shape;
  }
}

/** The schemas in `allOf`, `anyOf` and `oneOf`, without those that don't affect properties, such as `type: "null"`. */
function partsOf(node: Node<"Schema">, value: JsonObject): Node<"Schema">[] {
  const parts: Node<"Schema">[] = [];
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    if (!Array.isArray(value[keyword])) continue;
    for (const part of items(child(node, keyword))) {
      if (isObject(part.value) && !isEmpty(part.value)) parts.push(part);
    }
  }
  return parts;
}

/** Keywords that don't restrict the properties of a value. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  "default",
  "deprecated",
  "description",
  "example",
  "examples",
  "nullable",
  "readOnly",
  "title",
  "xml",
]);

/** Whether a schema in `allOf`, `anyOf` or `oneOf` has no effect on properties: `null`, or annotations only. */
function isEmpty(schema: JsonObject): boolean {
  return schema["type"] === "null" ||
    Object.keys(schema).every((key) =>
      ANNOTATIONS.has(key) || (key === "type" && schema["nullable"] === true) || key.startsWith("x-")
    );
}

function ownShape(node: Node<"Schema">, value: JsonObject): Shape {
  const written = value["type"];
  const type = Array.isArray(written) ? written.find((name) => name !== "null") : written;
  const fields = isObject(value["properties"]) ? child(node, "properties") : undefined;
  const properties = fields === undefined ? NO_PROPERTIES : propertiesOf(fields);
  return {
    node,
    identity: value,
    kind: kindOf(type, properties.size > 0, value),
    type: typeof type === "string" ? type : undefined,
    format: typeof value["format"] === "string" ? value["format"] : undefined,
    properties,
    items: isObject(value["items"]) ? child(node, "items") : undefined,
  };
}

function propertiesOf(fields: Node): Map<string, Node<"Schema">> {
  const properties = new Map<string, Node<"Schema">>();
  if (!isObject(fields.value)) return properties;
  for (const name of Object.keys(fields.value).slice(0, MOST_PROPERTIES)) {
    properties.set(name, child(fields, name) as Node<"Schema">);
  }
  return properties;
}

function kindOf(type: unknown, hasProperties: boolean, value: JsonObject): Shape["kind"] {
  if (type === "array" || (type === undefined && isObject(value["items"]))) return "array";
  if (type === "object" || hasProperties) return "object";
  return typeof type === "string" ? "scalar" : "unknown";
}

function unknownShape(node: Node<"Schema">): Shape {
  return {
    node,
    identity: node,
    kind: "unknown",
    type: undefined,
    format: undefined,
    properties: NO_PROPERTIES,
    items: undefined,
  };
}

/** Removes alternatives for deleted items, such as Stripe's `deleted_customer`, whose `deleted` is always true. */
function withoutTombstones(parts: readonly Shape[]): readonly Shape[] {
  if (parts.length < 2) return parts;
  const left = parts.filter(({ properties }) => {
    const deleted = properties.get("deleted")?.value;
    if (!isObject(deleted)) return true;
    return deleted["const"] !== true && !(Array.isArray(deleted["enum"]) && deleted["enum"][0] === true);
  });
  return left.length === 0 ? parts : left;
}
