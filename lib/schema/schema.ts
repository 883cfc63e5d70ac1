import { COMBINATORS, type Dialect, dialectOf, type SchemaDocument, type Version } from "./dialect.ts";
import { child, entries, isObject, items, type JsonObject, type Node } from "./node.ts";
import { baseOf, follow, followOnce, lookUp } from "./reference.ts";
import { resolveUri, withoutFragment } from "./uri.ts";
import { OutOfSteps } from "./steps.ts";

/** Which way a body goes: a request has no `readOnly` properties, a response no `writeOnly` ones. */
export type Direction = "request" | "response";

/** A type of JSON Schema. */
export type Type = "null" | "boolean" | "integer" | "number" | "string" | "array" | "object";

const TYPES: ReadonlySet<unknown> = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

/** Whether a value is the name of a type. */
export function isType(value: unknown): value is Type {
  return TYPES.has(value);
}

/**
 * A Schema Object in the words of JSON Schema 2020-12, whatever dialect it is written in, and for one direction.
 * Keywords that can't mean anything as they are written are left out. A schema without any keyword allows everything.
 */
export interface Schema {
  /** Where the schema stands. */
  readonly node: Node;
  /** Why nothing satisfies the schema: it is `false`, or a property that this direction doesn't have. */
  readonly never?: "false" | "readOnly" | "writeOnly";
  /** `$ref` and `$dynamicRef`. */
  readonly references?: readonly SchemaReference[];
  readonly types?: readonly Type[];
  readonly enum?: readonly unknown[];
  readonly const?: { readonly value: unknown };
  readonly format?: string;

  readonly multipleOf?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly exclusiveMaximum?: number;

  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** How bytes are written in the text: `base64`, `base64url`. Not checked (2020-12 Validation, section 8). */
  readonly contentEncoding?: string;
  /** The media type of the text, or of the bytes that it encodes. */
  readonly contentMediaType?: string;

  readonly prefixItems?: readonly Schema[];
  readonly items?: Schema;
  readonly unevaluatedItems?: Schema;
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;

  readonly properties?: ReadonlyMap<string, Schema>;
  readonly patternProperties?: ReadonlyMap<string, Schema>;
  readonly additionalProperties?: Schema;
  readonly unevaluatedProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly dependentRequired?: ReadonlyMap<string, readonly string[]>;
  readonly dependentSchemas?: ReadonlyMap<string, Schema>;

  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;

  readonly discriminator?: Discriminator;
  readonly xml?: XmlObject;
  /** `example` and `examples`. */
  readonly examples?: readonly unknown[];
  readonly default?: { readonly value: unknown };
  /** Keywords that begin with `x-`. */
  readonly extensions?: JsonObject;
}

/** The part of an XML document that a value becomes (OpenAPI 3.2, section 4.26.1, XML Node Types). */
export type XmlNodeType = "element" | "attribute" | "text" | "cdata" | "none";

/** An XML Object. Empty texts count as missing. */
export interface XmlObject {
  /** As given, or as `attribute` and `wrapped` mean it. */
  readonly nodeType?: XmlNodeType;
  readonly name?: string;
  readonly prefix?: string;
  readonly namespace?: string;
}

/** A reference from one schema to another. */
export interface SchemaReference {
  /** As the definition has it: `#/components/schemas/Pet`. */
  readonly written: string;
  /** The schema that is meant; `undefined` when there is none. Read when first asked for. */
  readonly target: () => Schema | undefined;
}

/** How one property tells which schema an object follows (OpenAPI 3.1, section 4.8.25). */
export interface Discriminator {
  readonly propertyName: string;
  /** Values of the property, and the schemas that they stand for. */
  readonly mapping: ReadonlyMap<string, SchemaReference>;
}

/** Reads schemas of one document for one direction; each only once, and what a `$ref` leads to only when asked. */
export interface SchemaReader {
  readonly read: (node: Node) => Schema;
}

type Draft = { -readonly [Key in keyof Schema]: Schema[Key] };

/** What the reading of a schema depends on beside its text. Equal ones are one object. */
interface Context {
  readonly dialect: Dialect;
  /** Names of properties that this direction doesn't have, as said by a schema that applies to the same value. */
  readonly dropped: ReadonlySet<string>;
  /** Base URIs of the schema resources gone through, outermost first: the dynamic scope (2020-12, section 7.1). */
  readonly scope: readonly string[];
  readonly done: WeakMap<object, Schema>;
}

/** `$ref` and `allOf` that are followed to find out whether a property is one that a direction doesn't have. */
const MOST_HOPS = 5;
/** Schemas in place of each other that are asked which properties a direction doesn't have. */
const MOST_LEVELS = 500;
/**
 * Readings of schemas that were read before, in another context: at least, and for each schema. Choices between schemas
 * that drop different properties give a context for each way through them.
 */
const MOST_AGAIN = { least: 50_000, each: 10 };

const NO_NAMES: ReadonlySet<string> = new Set();

/**
 * Makes a reader of a document's schemas. It throws {@linkcode OutOfSteps} for a document whose schemas would have to be
 * read too often, each time in another context.
 *
 * @param banned Whether properties that the direction doesn't have are refused, or are what their schema says. In
 * either case they aren't required.
 */
export function createSchemaReader(
  document: SchemaDocument,
  direction: Direction,
  banned: "refused" | "described" = "refused",
): SchemaReader {
  const banning = direction === "request" ? "readOnly" : "writeOnly";
  const contexts = new Map<string, Context>();
  const droppedNames = new WeakMap<object, ReadonlySet<string>>();
  const bans = new WeakMap<object, (boolean | undefined)[]>();
  const anchors = dynamicAnchors(document);
  const known = new WeakSet<object>();
  const readings = { first: 0, again: 0 };
  const usesDynamicScope = anchors.size > 0;

  return { read: (node) => readRoot(node, NO_NAMES, []) };

  /** Reads a schema that a reference or nothing leads to. */
  function readRoot(node: Node, dropped: ReadonlySet<string>, scope: readonly string[]): Schema {
    const base = usesDynamicScope ? baseOf(document, node) : "";
    const inside = usesDynamicScope ? within(scope, base) : scope;
    return readSchema(node, contextOf(dialectOf(document, node), union(dropped, dropsOf(node)), inside));
  }

  /** Reads a schema of another value: what its parent's siblings drop doesn't bear on it. */
  function readPart(node: Node, { dialect, scope }: Context): Schema {
    return readInPlace(node, contextOf(dialect, NO_NAMES, scope));
  }

  /** Reads a schema of the same value. */
  function readInPlace(node: Node, context: Context): Schema {
    const { value } = node;
    const dropped = union(context.dropped, dropsOf(node));
    const resource = usesDynamicScope && isObject(value) && typeof value["$id"] === "string";
    const base = resource ? baseOf(document, node) : undefined;
    const scope = base === undefined ? context.scope : within(context.scope, base);
    return readSchema(node, contextOf(context.dialect, dropped, scope));
  }

  /** The dynamic scope inside a resource: the outermost of an anchor counts, so that no other with it is noted. */
  function within(scope: readonly string[], base: string): readonly string[] {
    const isNew = (anchor: string): boolean => !scope.some((outer) => anchors.get(outer)?.has(anchor));
    return [...anchors.get(base) ?? []].some(isNew) ? [...scope, base] : scope;
  }

  function contextOf(dialect: Dialect, dropped: ReadonlySet<string>, scope: readonly string[]): Context {
    const key = JSON.stringify([dialect.referenceStandsAlone, dialect.nullable, [...dropped].sort(), scope]);
    let context = contexts.get(key);
    if (context === undefined) contexts.set(key, context = { dialect, dropped, scope, done: new WeakMap() });
    return context;
  }

  function readSchema(node: Node, context: Context): Schema {
    if (node.value === false) return { node, never: "false" };
    if (!isObject(node.value)) return { node };
    const done = context.done.get(node.value);
    if (done !== undefined) return done;
    countReading(node.value);
    const schema: Draft = { node };
    readKeywords(schema, node, node.value, context);
    // Only a schema that was read to its end is kept: reading may run out of steps.
    context.done.set(node.value, schema);
    return schema;
  }

  function countReading(value: object): void {
    if (!known.has(value)) {
      known.add(value);
      readings.first++;
    } else if (++readings.again > MOST_AGAIN.least + MOST_AGAIN.each * readings.first) {
      throw new OutOfSteps();
    }
  }

  function readKeywords(schema: Draft, node: Node, value: JsonObject, context: Context): void {
    const references = readReferences(node, value, context);
    if (references.length > 0) {
      schema.references = references;
      if (context.dialect.referenceStandsAlone && typeof value["$ref"] === "string") return;
    }
    readAny(schema, value, context.dialect);
    readNumber(schema, value);
    readString(schema, value);
    readArray(schema, node, value, context);
    readObject(schema, node, value, context);
    readInPlaceKeywords(schema, node, context);
    readAnnotations(schema, value);
    readXml(schema, value, document.version);
    readDiscriminator(schema, node, context);
  }

  function readReferences(node: Node, value: JsonObject, context: Context): SchemaReference[] {
    const references: SchemaReference[] = [];
    for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
      const written = value[keyword];
      if (typeof written !== "string") continue;
      const find = (): Node | undefined =>
        keyword === "$ref" ? followOnce(document, node) : resolveDynamic(node, written, context.scope);
      references.push(referenceTo(written, find, context));
    }
    return references;
  }

  function referenceTo(written: string, find: () => Node | undefined, context: Context): SchemaReference {
    let target: Schema | undefined;
    let isRead = false;
    return {
      written,
      target: () => {
        if (isRead) return target;
        isRead = true;
        const found = find();
        if (found?.value !== undefined) target = readRoot(found, context.dropped, context.scope);
        return target;
      },
    };
  }

  function readDiscriminator(schema: Draft, node: Node, context: Context): void {
    const discriminator = child(node, "discriminator");
    const propertyName = child(discriminator, "propertyName").value;
    if (typeof propertyName !== "string") return;
    const mapping = new Map<string, SchemaReference>();
    for (const [name, { value }] of entries(child(discriminator, "mapping"))) {
      if (typeof value !== "string") continue;
      // A name is that of a component, unless it can only be an address.
      const $ref = /[#/]|\.(json|ya?ml)$/.test(value) ? value : `#/components/schemas/${value}`;
      mapping.set(name, referenceTo(value, () => followOnce(document, { ...node, value: { $ref } }), context));
    }
    schema.discriminator = { propertyName, mapping };
  }

  /** Resolves `$dynamicRef` (2020-12, section 8.2.3.2). */
  function resolveDynamic(node: Node, written: string, scope: readonly string[]): Node | undefined {
    const uri = resolveUri(written, baseOf(document, node));
    const found = lookUp(document, uri) ?? followOnce(document, { ...node, value: { $ref: uri } });
    const anchor = uri.slice(uri.indexOf("#") + 1);
    const isDynamic = (candidate: Node | undefined): boolean =>
      candidate !== undefined && child(candidate, "$dynamicAnchor").value === anchor;
    if (!isDynamic(found)) return found;
    const outermost = scope.map((base) => document.named.get(`${base}#${anchor}`)).find(isDynamic);
    return outermost ?? found;
  }

  function readArray(schema: Draft, node: Node, value: JsonObject, context: Context): void {
    // Up to 2019-09 an array under `items` is what `prefixItems` is now, and `additionalItems` what `items` is now.
    const isTuple = Array.isArray(value["items"]);
    const prefix = items(child(node, isTuple ? "items" : "prefixItems"));
    if (prefix.length > 0) schema.prefixItems = prefix.map((item) => readPart(item, context));
    part("items", isTuple ? "additionalItems" : "items");
    part("unevaluatedItems");
    part("contains");
    count(schema, value, "minContains", "maxContains", "minItems", "maxItems");
    if (value["uniqueItems"] === true) schema.uniqueItems = true;

    function part(to: "items" | "unevaluatedItems" | "contains", from: string = to): void {
      if (isSchema(value[from])) schema[to] = readPart(child(node, from), context);
    }
  }

  function readObject(schema: Draft, node: Node, value: JsonObject, context: Context): void {
    const properties = schemasOf(child(node, "properties"));
    if (properties.length > 0) {
      schema.properties = new Map(properties.map(([name, property]) => [
        name,
        banned === "refused" && isBanned(property, context.dialect)
          ? { node: property, never: banning }
          : readPart(property, context),
      ]));
    }
    const patterns = schemasOf(child(node, "patternProperties"));
    if (patterns.length > 0) {
      schema.patternProperties = new Map(patterns.map(([pattern, property]) => [pattern, readPart(property, context)]));
    }
    for (const keyword of ["additionalProperties", "unevaluatedProperties", "propertyNames"] as const) {
      if (isSchema(value[keyword])) schema[keyword] = readPart(child(node, keyword), context);
    }
    const required = namesIn(value["required"]).filter((name) => !context.dropped.has(name));
    if (required.length > 0) schema.required = required;
    count(schema, value, "minProperties", "maxProperties");
    readDependencies(schema, node, context);
  }

  function readDependencies(schema: Draft, node: Node, context: Context): void {
    const required = new Map<string, readonly string[]>();
    const schemas = new Map<string, Schema>();
    for (const keyword of ["dependencies", "dependentRequired", "dependentSchemas"]) {
      for (const [name, dependency] of entries(child(node, keyword))) {
        if (Array.isArray(dependency.value)) {
          required.set(name, namesIn(dependency.value).filter((needed) => !context.dropped.has(needed)));
        } else if (isSchema(dependency.value)) schemas.set(name, readInPlace(dependency, context));
      }
    }
    if (required.size > 0) schema.dependentRequired = required;
    if (schemas.size > 0) schema.dependentSchemas = schemas;
  }

  function readInPlaceKeywords(schema: Draft, node: Node, context: Context): void {
    for (const keyword of COMBINATORS) {
      const members = items(child(node, keyword)).filter((member) => isSchema(member.value));
      if (members.length > 0) schema[keyword] = members.map((member) => readInPlace(member, context));
    }
    for (const keyword of ["not", "if", "then", "else"] as const) {
      const member = child(node, keyword);
      if (isSchema(member.value)) schema[keyword] = readInPlace(member, context);
    }
  }

  /** Whether a property is one that this direction doesn't have; its schema may say so through `$ref` and `allOf`. */
  function isBanned(property: Node, dialect: Dialect, hops = 0): boolean {
    if (!isObject(property.value) || hops > MOST_HOPS) return false;
    const key = hops * 2 + Number(dialect.referenceStandsAlone);
    const answers = bans.get(property.value) ?? [];
    bans.set(property.value, answers);
    return answers[key] ??= findBan(property, dialect, hops);
  }

  function findBan(property: Node, dialect: Dialect, hops: number): boolean {
    if (!isObject(property.value)) return false;
    const alone = dialect.referenceStandsAlone && typeof property.value["$ref"] === "string";
    if (property.value[banning] === true && !alone) return true;
    if (typeof property.value["$ref"] === "string" && isBanned(follow(document, property), dialect, hops + 1)) {
      return true;
    }
    return !alone && items(child(property, "allOf")).some((member) => isBanned(member, dialect, hops + 1));
  }

  /** Names of the properties that a schema, or one that applies with it, takes from this direction. */
  function dropsOf(node: Node, level = 0): ReadonlySet<string> {
    if (!isObject(node.value) || level > MOST_LEVELS) return NO_NAMES;
    const known = droppedNames.get(node.value);
    if (known !== undefined) return known;
    droppedNames.set(node.value, NO_NAMES);
    const dialect = dialectOf(document, node);
    const names = new Set<string>();
    const hasReference = typeof node.value["$ref"] === "string";
    if (hasReference) dropsOf(followOnce(document, node), level + 1).forEach((name) => names.add(name));
    if (!hasReference || !dialect.referenceStandsAlone) {
      for (const [name, property] of entries(child(node, "properties"))) {
        if (isBanned(property, dialect)) names.add(name);
      }
      for (const member of items(child(node, "allOf"))) dropsOf(member, level + 1).forEach((name) => names.add(name));
    }
    const drops = names.size === 0 ? NO_NAMES : names;
    droppedNames.set(node.value, drops);
    return drops;
  }
}

/** The dynamic anchors of each schema resource, by its base URI. */
function dynamicAnchors({ named }: SchemaDocument): Map<string, Set<string>> {
  const anchors = new Map<string, Set<string>>();
  for (const [uri, { value }] of named) {
    const anchor = isObject(value) ? value["$dynamicAnchor"] : undefined;
    if (typeof anchor !== "string" || !uri.endsWith(`#${anchor}`)) continue;
    const base = withoutFragment(uri);
    anchors.set(base, (anchors.get(base) ?? new Set()).add(anchor));
  }
  return anchors;
}

function readAny(schema: Draft, value: JsonObject, dialect: Dialect): void {
  const written = Array.isArray(value["type"]) ? value["type"] : [value["type"]];
  const types = written.filter(isType);
  const nullable = (dialect.nullable && value["nullable"] === true) ||
    (dialect.customNullable && value["x-nullable"] === true);
  if (types.length > 0) schema.types = nullable && !types.includes("null") ? [...types, "null"] : types;
  if (Array.isArray(value["enum"])) schema.enum = value["enum"];
  if (Object.hasOwn(value, "const")) schema.const = { value: value["const"] };
  if (typeof value["format"] === "string") schema.format = value["format"];
}

function readNumber(schema: Draft, value: JsonObject): void {
  for (const [bound, exclusive] of [["minimum", "exclusiveMinimum"], ["maximum", "exclusiveMaximum"]] as const) {
    const limit = finite(value[bound]);
    const exclusiveLimit = finite(value[exclusive]);
    // Up to draft 4, and in OpenAPI 3.0, the exclusive bound is a boolean beside the bound.
    if (limit !== undefined) schema[value[exclusive] === true ? exclusive : bound] = limit;
    if (exclusiveLimit !== undefined) schema[exclusive] = exclusiveLimit;
  }
  const multipleOf = finite(value["multipleOf"]);
  if (multipleOf !== undefined && multipleOf > 0) schema.multipleOf = multipleOf;
}

function readString(schema: Draft, value: JsonObject): void {
  count(schema, value, "minLength", "maxLength");
  if (typeof value["pattern"] === "string") schema.pattern = value["pattern"];
  if (typeof value["contentEncoding"] === "string") schema.contentEncoding = value["contentEncoding"];
  if (typeof value["contentMediaType"] === "string") schema.contentMediaType = value["contentMediaType"];
}

function readAnnotations(schema: Draft, value: JsonObject): void {
  const examples = Array.isArray(value["examples"]) ? [...value["examples"]] : [];
  if (Object.hasOwn(value, "example")) examples.unshift(value["example"]);
  if (examples.length > 0) schema.examples = examples;
  if (Object.hasOwn(value, "default")) schema.default = { value: value["default"] };
  const extensions = Object.keys(value).filter((key) => key.startsWith("x-"));
  if (extensions.length > 0) schema.extensions = Object.fromEntries(extensions.map((key) => [key, value[key]]));
}

const XML_NODE_TYPES: ReadonlySet<unknown> = new Set(
  ["element", "attribute", "text", "cdata", "none"] satisfies XmlNodeType[],
);

function isXmlNodeType(value: unknown): value is XmlNodeType {
  return XML_NODE_TYPES.has(value);
}

function readXml(schema: Draft, value: JsonObject, version: Version): void {
  const written = value["xml"];
  if (!isObject(written)) return;
  const xml: { -readonly [Key in keyof XmlObject]: XmlObject[Key] } = {};
  if (isXmlNodeType(written["nodeType"])) xml.nodeType = written["nodeType"];
  else if (written["attribute"] === true) xml.nodeType = "attribute";
  else if (written["wrapped"] === true) xml.nodeType = "element";
  // In OpenAPI 3.2 a schema with `$ref` is no node itself, unless the XML Object says so.
  if (version === "3.2" && schema.references !== undefined && xml.nodeType === undefined) return;
  for (const key of ["name", "prefix", "namespace"] as const) {
    const text = written[key];
    if (typeof text === "string" && text !== "") xml[key] = text;
  }
  schema.xml = xml;
}

type Count =
  | "minLength"
  | "maxLength"
  | "minItems"
  | "maxItems"
  | "minContains"
  | "maxContains"
  | "minProperties"
  | "maxProperties";

function count(schema: Draft, value: JsonObject, ...keywords: Count[]): void {
  for (const keyword of keywords) {
    const number = finite(value[keyword]);
    if (number !== undefined && number >= 0) {
      schema[keyword] = keyword.startsWith("min") ? Math.ceil(number) : Math.floor(number);
    }
  }
}

function finite(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function isSchema(value: unknown): boolean {
  return typeof value === "boolean" || isObject(value);
}

function schemasOf(node: Node): [string, Node][] {
  return entries(node).filter(([, schema]) => isSchema(schema.value));
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}

function union(left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> {
  if (right.size === 0) return left;
  return left.size === 0 ? right : left.union(right);
}
