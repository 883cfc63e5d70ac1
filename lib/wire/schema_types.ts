import type { Document } from "../openapi/document.ts";
import { child, entries, isObject, items as itemsOf, type Node, stringOf } from "../schema/node.ts";
import { follow } from "../schema/reference.ts";
import type { Steps } from "../schema/steps.ts";
import { type Chosen, createInPlaceSchemas, type InPlaceSchemas, NOTHING_CHOSEN } from "./schema_choice.ts";

/** A type of JSON Schema. */
export type JsonType = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

/**
 * What a schema says about how to read text as a value: `3` in a query is a number where the schema wants an integer.
 * Parts are worked out when they are first asked for, so that a recursive schema does no harm.
 */
export interface SchemaTypes {
  /** The types that the schema allows; empty when it allows anything, or can't be understood. */
  readonly allowed: ReadonlySet<JsonType>;
  /** Names of the properties that the schema describes, one by one. */
  readonly propertyNames: ReadonlySet<string>;
  /** Names of the properties that one of its schemas requires. */
  readonly required: ReadonlySet<string>;
  /** Whether the schema describes properties besides these (`additionalProperties`, `patternProperties`). */
  readonly describesOthers: boolean;
  /** What the schema says of a property's value. */
  property(name: string): SchemaTypes;
  /** What the schema says of an array's item. */
  item(index: number): SchemaTypes;
  /** The schema, what it refers to and all that it is combined of; the nearest first. */
  readonly schemas: readonly Node[];
  /** The schemas that were asked about: the value is described by all of them, or by one. */
  readonly alternatives: readonly Node[];
  /** The same with one branch taken of each choice that the schema leaves; none where it leaves no choice. */
  readonly branches: readonly SchemaTypes[];
}

/** Combinations of branches that are told apart; beyond as many, choices that are still open are left open. */
const MOST_BRANCHES = 1_000;
const MOST_COMBINED = 100;
/** Schemas in all combinations together, unless there are but a few combinations. */
const MOST_COMBINED_SCHEMAS = 1_000;

const TYPES: readonly string[] = ["null", "boolean", "integer", "number", "string", "array", "object"];

/** What a schema with one of these keywords is about, where it has no `type`. */
const KEYWORDS_OF_TYPE: readonly (readonly [string, JsonType])[] = [
  ["properties", "object"],
  ["additionalProperties", "object"],
  ["patternProperties", "object"],
  ["items", "array"],
  ["prefixItems", "array"],
];

/** What the types of a document's schemas are worked out with: equal lists of schemas have one `SchemaTypes`. */
interface Workshop {
  readonly document: Document;
  readonly inPlace: InPlaceSchemas;
  readonly known: Map<string, SchemaTypes>;
  /** The types that schemas allow, by what is chosen of them; of those that no circle leads into. */
  readonly types: Map<Chosen, Map<object, Set<JsonType> | undefined>>;
  /** Steps that are left, and how often a schema was met inside itself. */
  readonly steps: Steps & { circles: number };
}

/** Schemas that are looked into for the types of all parts: beyond as many, any type is allowed. */
const MOST_STEPS = 200_000;

/** Reads what a schema, if there is one, says of types. */
export function schemaTypes(document: Document, schema: Node | undefined): SchemaTypes {
  const workshop = {
    document,
    inPlace: createInPlaceSchemas(document),
    known: new Map(),
    types: new Map(),
    steps: { left: MOST_STEPS, circles: 0 },
  };
  return typesFor(workshop, schema === undefined ? [] : [schema], "all");
}

/** Whether each of several schemas describes a value, or one of them that isn't known. */
type Extent = "all" | "any";

/** What several schemas say of a value. */
function typesFor(
  workshop: Workshop,
  alternatives: readonly Node[],
  extent: Extent,
  chosen = NOTHING_CHOSEN,
): SchemaTypes {
  const key = `${extent} ${workshop.inPlace.keyOf(alternatives, chosen)}`;
  const types = workshop.known.get(key) ?? createSchemaTypes(workshop, alternatives, extent, chosen);
  workshop.known.set(key, types);
  return types;
}

function createSchemaTypes(
  workshop: Workshop,
  alternatives: readonly Node[],
  extent: Extent,
  chosen: Chosen,
): SchemaTypes {
  const { inPlace } = workshop;
  const schemas = inPlace.all(alternatives, chosen);
  const allowed = lazily(() => (extent === "all" ? typesOfAll : typesOfAny)(workshop, alternatives, chosen));
  const propertyNames = lazily(() => new Set(schemas.flatMap((schema) => keysOf(child(schema, "properties").value))));
  const required = lazily(() =>
    new Set(schemas.flatMap((schema) => itemsOf(child(schema, "required")).flatMap((name) => stringOf(name) ?? [])))
  );
  const positions = lazily(() => Math.max(0, ...schemas.map((schema) => itemsOf(child(schema, "prefixItems")).length)));
  const branches = lazily(() =>
    combinations(inPlace, alternatives, chosen).map((chosen) => typesFor(workshop, alternatives, extent, chosen))
  );
  /** Without a choice, whatever the schemas say of a part of the value holds. */
  const extentOfParts = lazily((): Extent => {
    const isCertain = extent === "all" || alternatives.length < 2;
    return isCertain && inPlace.openChoice(schemas, chosen) === undefined ? "all" : "any";
  });
  // Both are bounded by the schema, not by what requests contain.
  const properties = new Map<string | undefined, SchemaTypes>();
  const items = new Map<number, SchemaTypes>();
  return {
    schemas,
    alternatives,
    get allowed() {
      return allowed();
    },
    get propertyNames() {
      return propertyNames();
    },
    get required() {
      return required();
    },
    get branches() {
      return branches();
    },
    get describesOthers() {
      return schemas.some(({ value }) =>
        isObject(value) && (isObject(value["patternProperties"]) || isPermissive(value["additionalProperties"]))
      );
    },
    property(name) {
      const declared = propertyNames().has(name) ? name : undefined;
      return memoize(
        properties,
        declared,
        () => typesFor(workshop, propertyOf(schemas, declared), declared === undefined ? "any" : extentOfParts()),
      );
    },
    item(index) {
      const position = Math.min(index, positions());
      return memoize(items, position, () => typesFor(workshop, itemOf(schemas, position), extentOfParts()));
    },
  };
}

/** The ways to choose one branch wherever schemas leave a choice; none where they leave none. */
function combinations(inPlace: InPlaceSchemas, alternatives: readonly Node[], chosen: Chosen): Chosen[] {
  let open = [chosen];
  const closed: Chosen[] = [];
  const size = inPlace.all(alternatives, chosen).length;
  const most = Math.min(MOST_COMBINED, Math.max(2, Math.floor(MOST_COMBINED_SCHEMAS / size)));
  while (open.length > 0 && open.length + closed.length < most) {
    open = open.flatMap((chosen) => {
      const options = inPlace.openChoice(inPlace.all(alternatives, chosen), chosen);
      if (options === undefined) closed.push(chosen);
      return options ?? [];
    });
  }
  const all = [...closed, ...open].slice(0, MOST_BRANCHES);
  return all.length === 1 ? [] : all;
}

/** Computes a value when it is first asked for. */
function lazily<Value extends object | number | string>(compute: () => Value): () => Value {
  let value: Value | undefined;
  return () => value ??= compute();
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : [];
}

function memoize<Key>(known: Map<Key, SchemaTypes>, key: Key, create: () => SchemaTypes): SchemaTypes {
  const types = known.get(key) ?? create();
  known.set(key, types);
  return types;
}

function isPermissive(additionalProperties: unknown): boolean {
  return additionalProperties === true || isObject(additionalProperties);
}

function propertyOf(schemas: readonly Node[], name: string | undefined): Node[] {
  if (name !== undefined) {
    return schemas.filter(({ value }) => isObject(value) && hasKey(value["properties"], name))
      .map((schema) => child(child(schema, "properties"), name));
  }
  const patterns = schemas.flatMap((schema) => entries(child(schema, "patternProperties")).map(([, node]) => node));
  return [...patterns, ...present(schemas.map((schema) => child(schema, "additionalProperties")))];
}

function hasKey(value: unknown, name: string): boolean {
  return isObject(value) && Object.hasOwn(value, name) && value[name] !== undefined;
}

function itemOf(schemas: readonly Node[], position: number): Node[] {
  const positional = present(schemas.map((schema) => child(child(schema, "prefixItems"), position)));
  return positional.length > 0 ? positional : present(schemas.map((schema) => child(schema, "items")));
}

function present(nodes: readonly Node[]): Node[] {
  return nodes.filter((node) => node.value !== undefined);
}

/** The types that each of the schemas allows. */
function typesOfAll(workshop: Workshop, schemas: readonly Node[], chosen: Chosen): Set<JsonType> {
  let types: Set<JsonType> | undefined;
  for (const schema of schemas) types = intersect(types, typesOf(workshop, schema, chosen, []));
  return types ?? new Set();
}

/** The types that at least one of the schemas allows. */
function typesOfAny(
  workshop: Workshop,
  schemas: readonly Node[],
  chosen: Chosen,
  around: readonly unknown[] = [],
): Set<JsonType> {
  const union = new Set<JsonType>();
  for (const schema of schemas) {
    const types = typesOf(workshop, schema, chosen, around);
    if (types === undefined) return new Set();
    for (const type of types) union.add(type);
  }
  return union;
}

/** The types that a schema allows; `undefined` when it allows any. */
function typesOf(
  workshop: Workshop,
  written: Node,
  chosen: Chosen,
  around: readonly unknown[],
): Set<JsonType> | undefined {
  const schema = follow(workshop.document, written);
  const { steps } = workshop;
  if (!isObject(schema.value) || --steps.left < 0) return undefined;
  if (around.includes(schema.value)) {
    steps.circles++;
    return undefined;
  }
  const known = workshop.types.get(chosen) ?? new Map<object, Set<JsonType> | undefined>();
  workshop.types.set(chosen, known);
  if (known.has(schema.value)) return known.get(schema.value);
  const { circles } = steps;
  const types = findTypes(workshop, schema, schema.value, chosen, [...around, schema.value]);
  // Results within a cycle of references depend on where the cycle was entered, so they are not memoised.
  if (steps.circles === circles) known.set(schema.value, types);
  return types;
}

function findTypes(
  workshop: Workshop,
  schema: Node,
  value: Record<string, unknown>,
  chosen: Chosen,
  inside: readonly unknown[],
): Set<JsonType> | undefined {
  const { inPlace } = workshop;
  let types = ownTypes(value) ?? typesOfValues(value);
  for (const part of inPlace.under(schema, "allOf", chosen)) {
    types = intersect(types, typesOf(workshop, part, chosen, inside));
  }
  for (const keyword of ["anyOf", "oneOf", "enum"] as const) {
    const parts = inPlace.under(schema, keyword, chosen);
    if (parts.length === 0) continue;
    const union = typesOfAny(workshop, parts, chosen, inside);
    if (union.size > 0) types = intersect(types, union);
  }
  return types ?? typesOfKeywords(value);
}

function ownTypes(schema: Record<string, unknown>): Set<JsonType> | undefined {
  const written = Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]];
  const types = new Set(written.filter(isJsonType));
  if (types.size === 0) return undefined;
  if (schema["nullable"] === true) types.add("null");
  return types;
}

function isJsonType(type: unknown): type is JsonType {
  return typeof type === "string" && TYPES.includes(type);
}

function typesOfValues(schema: Record<string, unknown>): Set<JsonType> | undefined {
  const values = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  return Array.isArray(values) ? new Set(values.map(typeOfValue)) : undefined;
}

function typeOfValue(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "boolean":
      return "boolean";
    case "number":
      return "number";
    case "string":
      return "string";
    default:
      return "object";
  }
}

function typesOfKeywords(schema: Record<string, unknown>): Set<JsonType> | undefined {
  const types = KEYWORDS_OF_TYPE.filter(([keyword]) => Object.hasOwn(schema, keyword)).map(([, type]) => type);
  return types.length === 0 ? undefined : new Set(types);
}

function intersect(a: Set<JsonType> | undefined, b: Set<JsonType> | undefined): Set<JsonType> | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const both = a.intersection(b);
  // A number may well be an integer.
  if (a.has("number") && b.has("integer") || a.has("integer") && b.has("number")) both.add("integer");
  return both;
}
