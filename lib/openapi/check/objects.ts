/**
 * The objects that a definition is made of, each with its kind: what the specification's tables of fields say, as a
 * table, and a walk through a definition by it.
 *
 * @module
 */
import type { Document } from "../document.ts";
import { child, entries, isObject, items, type Node } from "../node.ts";
import { followOnce, referenceOf } from "../reference.ts";

/** A kind of object, named as in the specification: `MediaType` is the Media Type Object. */
export type Kind =
  | "OpenAPI"
  | "Info"
  | "Contact"
  | "License"
  | "Server"
  | "ServerVariable"
  | "Components"
  | "Paths"
  | "PathItem"
  | "Operation"
  | "ExternalDocumentation"
  | "Parameter"
  | "RequestBody"
  | "MediaType"
  | "Encoding"
  | "Responses"
  | "Response"
  | "Callback"
  | "Example"
  | "Link"
  | "Header"
  | "Tag"
  | "Schema"
  | "Discriminator"
  | "XML"
  | "SecurityScheme"
  | "OAuthFlows"
  | "SecurityRequirement";

/** What stands in a field: an object, a list of objects, or a map of objects by names of the author's. */
type Content = Kind | { listOf: Kind } | { mapOf: Kind };

type Fields = Readonly<Record<string, Content>>;

/** The objects in the fields of each kind (OpenAPI 3.0 to 3.2: a version without a field refuses it elsewhere). */
const FIELDS: Readonly<Record<Kind, Fields>> = {
  OpenAPI: {
    info: "Info",
    servers: { listOf: "Server" },
    paths: "Paths",
    webhooks: { mapOf: "PathItem" },
    components: "Components",
    security: { listOf: "SecurityRequirement" },
    tags: { listOf: "Tag" },
    externalDocs: "ExternalDocumentation",
  },
  Info: { contact: "Contact", license: "License" },
  Contact: {},
  License: {},
  Server: { variables: { mapOf: "ServerVariable" } },
  ServerVariable: {},
  Components: {
    schemas: { mapOf: "Schema" },
    responses: { mapOf: "Response" },
    parameters: { mapOf: "Parameter" },
    examples: { mapOf: "Example" },
    requestBodies: { mapOf: "RequestBody" },
    headers: { mapOf: "Header" },
    securitySchemes: { mapOf: "SecurityScheme" },
    links: { mapOf: "Link" },
    callbacks: { mapOf: "Callback" },
    pathItems: { mapOf: "PathItem" },
    mediaTypes: { mapOf: "MediaType" },
  },
  Paths: {},
  PathItem: {
    get: "Operation",
    put: "Operation",
    post: "Operation",
    delete: "Operation",
    options: "Operation",
    head: "Operation",
    patch: "Operation",
    trace: "Operation",
    query: "Operation",
    additionalOperations: { mapOf: "Operation" },
    servers: { listOf: "Server" },
    parameters: { listOf: "Parameter" },
  },
  Operation: {
    externalDocs: "ExternalDocumentation",
    parameters: { listOf: "Parameter" },
    requestBody: "RequestBody",
    responses: "Responses",
    callbacks: { mapOf: "Callback" },
    security: { listOf: "SecurityRequirement" },
    servers: { listOf: "Server" },
  },
  ExternalDocumentation: {},
  Parameter: { schema: "Schema", examples: { mapOf: "Example" }, content: { mapOf: "MediaType" } },
  RequestBody: { content: { mapOf: "MediaType" } },
  MediaType: {
    schema: "Schema",
    itemSchema: "Schema",
    examples: { mapOf: "Example" },
    encoding: { mapOf: "Encoding" },
    prefixEncoding: { listOf: "Encoding" },
    itemEncoding: "Encoding",
  },
  Encoding: {
    headers: { mapOf: "Header" },
    encoding: { mapOf: "Encoding" },
    prefixEncoding: { listOf: "Encoding" },
    itemEncoding: "Encoding",
  },
  Responses: {},
  Response: { headers: { mapOf: "Header" }, content: { mapOf: "MediaType" }, links: { mapOf: "Link" } },
  Callback: {},
  Example: {},
  Link: { server: "Server" },
  Header: { schema: "Schema", examples: { mapOf: "Example" }, content: { mapOf: "MediaType" } },
  Tag: { externalDocs: "ExternalDocumentation" },
  Schema: {
    properties: { mapOf: "Schema" },
    patternProperties: { mapOf: "Schema" },
    dependentSchemas: { mapOf: "Schema" },
    $defs: { mapOf: "Schema" },
    definitions: { mapOf: "Schema" },
    allOf: { listOf: "Schema" },
    anyOf: { listOf: "Schema" },
    oneOf: { listOf: "Schema" },
    prefixItems: { listOf: "Schema" },
    items: "Schema",
    contains: "Schema",
    additionalProperties: "Schema",
    unevaluatedItems: "Schema",
    unevaluatedProperties: "Schema",
    propertyNames: "Schema",
    contentSchema: "Schema",
    not: "Schema",
    if: "Schema",
    then: "Schema",
    else: "Schema",
    discriminator: "Discriminator",
    xml: "XML",
    externalDocs: "ExternalDocumentation",
  },
  Discriminator: {},
  XML: {},
  SecurityScheme: { flows: "OAuthFlows" },
  OAuthFlows: {},
  SecurityRequirement: {},
};

/** Every kind. */
export const KINDS: readonly Kind[] = Object.keys(FIELDS) as Kind[];

/** How messages name a kind, as the specification does: `Media Type Object`. */
export function nameOfKind(kind: Kind): string {
  return `${kind === "OpenAPI" ? kind : kind.replace(/([a-z])([A-Z])/g, "$1 $2")} Object`;
}

/** The same with its article. */
export function oneOfKind(kind: Kind): string {
  return `${/^[AEIO]|^XML/.test(kind) ? "an" : "a"} ${nameOfKind(kind)}`;
}

/** Kinds whose own fields are named by the author. */
const MAPS: Partial<Record<Kind, Kind>> = { Paths: "PathItem", Responses: "Response", Callback: "PathItem" };

/** Kinds in whose place a `$ref` may stand. */
const REFERABLE = new Set<Kind>([
  "PathItem",
  "Parameter",
  "RequestBody",
  "MediaType",
  "Response",
  "Callback",
  "Example",
  "Link",
  "Header",
  "Schema",
  "SecurityScheme",
]);

/** An object of a definition. */
export interface PlacedObject {
  readonly kind: Kind;
  readonly node: Node;
  /** The object that it is in, or that refers to it; none for the definition itself. */
  readonly parent: PlacedObject | undefined;
  /** Whether it holds a `$ref`, so that another object stands for it (or, in a Path Item or a Schema, beside it). */
  readonly isReference: boolean;
}

/** A `$ref` in the place of an object. */
export interface PlacedReference {
  /** The object with the `$ref`. */
  readonly from: PlacedObject;
  /** What it leads to; its value is `undefined` where that is nothing. */
  readonly target: Node;
  /** What the target is where it stands, when that is known and not what the reference needs. */
  readonly found: Kind | undefined;
}

/** What a definition is made of. */
export interface Objects {
  /** Each object once, in the order of the text; those that only references lead to come last. */
  readonly objects: readonly PlacedObject[];
  readonly references: readonly PlacedReference[];
}

/** The fields of Swagger 2.0 that hold other objects than later versions. */
const FIELDS_20: Readonly<Record<Kind, Fields>> = {
  ...FIELDS,
  OpenAPI: {
    info: "Info",
    paths: "Paths",
    definitions: { mapOf: "Schema" },
    parameters: { mapOf: "Parameter" },
    responses: { mapOf: "Response" },
    securityDefinitions: { mapOf: "SecurityScheme" },
    security: { listOf: "SecurityRequirement" },
    tags: { listOf: "Tag" },
    externalDocs: "ExternalDocumentation",
  },
  Parameter: { schema: "Schema" },
  Response: { schema: "Schema", headers: { mapOf: "Header" } },
  Header: {},
  Schema: {
    properties: { mapOf: "Schema" },
    allOf: { listOf: "Schema" },
    items: "Schema",
    additionalProperties: "Schema",
    xml: "XML",
    externalDocs: "ExternalDocumentation",
  },
  SecurityScheme: {},
};

/**
 * Lists the objects of a definition: those under its root, and those that references lead to, in whatever text. What
 * YAML aliases share is one object.
 */
export function placeObjects(document: Document): Objects {
  const objects: PlacedObject[] = [];
  const references: { from: PlacedObject; target: Node }[] = [];
  const kinds = new Map<unknown, Kind[]>();
  const fields = document.version === "2.0" ? FIELDS_20 : FIELDS;

  place({ kind: "OpenAPI", node: document.root, parent: undefined, isReference: false });
  // References grow while they are gone through: what one leads to may hold others.
  for (const { from, target } of references) {
    if (target.value !== undefined && !kinds.has(target.value)) place(objectAt(from.kind, target, from));
  }
  return {
    objects,
    references: references.map(({ from, target }) => {
      const known = kinds.get(target.value) ?? [];
      return { from, target, found: known.includes(from.kind) ? undefined : known[0] };
    }),
  };

  function place(root: PlacedObject): void {
    const stack = [root];
    for (let object = stack.pop(); object !== undefined; object = stack.pop()) {
      if (isPlaced(object)) continue;
      objects.push(object);
      if (object.isReference) references.push({ from: object, target: followOnce(document, object.node) });
      const parts = partsOf(object, fields[object.kind]);
      for (let index = parts.length - 1; index >= 0; index--) {
        const part = parts[index];
        if (part !== undefined) stack.push(part);
      }
    }
  }

  function isPlaced({ kind, node: { value } }: PlacedObject): boolean {
    if (typeof value !== "object" || value === null) return false;
    const known = kinds.get(value);
    if (known === undefined) kinds.set(value, [kind]);
    else if (known.includes(kind)) return true;
    else known.push(kind);
    return false;
  }
}

function objectAt(kind: Kind, node: Node, parent: PlacedObject): PlacedObject {
  return { kind, node, parent, isReference: REFERABLE.has(kind) && referenceOf(node) !== undefined };
}

/** The objects in an object. What stands where an object should, and is none, counts: it is to be reported. */
function partsOf(object: PlacedObject, fields: Fields): PlacedObject[] {
  const { kind, node } = object;
  if (!isObject(node.value)) return [];
  const each = MAPS[kind];
  if (each !== undefined) {
    return entries(node).filter(([key]) => !key.startsWith("x-")).map(([, part]) => objectAt(each, part, object));
  }
  return Object.keys(node.value).flatMap((key) => {
    const content = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (content === undefined) return [];
    const part = child(node, key);
    if (typeof content === "string") return [objectAt(content, part, object)];
    if ("listOf" in content) return items(part).map((item) => objectAt(content.listOf, item, object));
    return entries(part).map(([, entry]) => objectAt(content.mapOf, entry, object));
  });
}
