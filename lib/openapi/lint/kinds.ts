/**
 * The kinds of objects that a definition is made of: what the specification's tables of fields say, as a table.
 *
 * @module
 */

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
export type Content = Kind | { listOf: Kind } | { mapOf: Kind };

export type Fields = Readonly<Record<string, Content>>;

/** The objects in the fields of each kind (OpenAPI 3.0 to 3.2: a version without a field refuses it elsewhere). */
export const FIELDS: Readonly<Record<Kind, Fields>> = {
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
export const MAPS: Partial<Record<Kind, Kind>> = { Paths: "PathItem", Responses: "Response", Callback: "PathItem" };

/** Kinds in whose place a `$ref` may stand. */
export const REFERABLE = new Set<Kind>([
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

/** The fields of Swagger 2.0 that hold other objects than later versions. */
export const FIELDS_20: Readonly<Record<Kind, Fields>> = {
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
