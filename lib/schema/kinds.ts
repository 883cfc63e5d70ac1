/**
 * The kinds of objects in a definition, and the fields of each kind, from the tables of the OpenAPI Specification. The
 * linter and the type {@linkcode Node} use them.
 *
 * @module
 */
/** A kind of object, named as in the OpenAPI Specification: `MediaType` is the Media Type Object. */
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

/** The content of a field: an object, a list of objects, or a map of objects with keys that the author chooses. */
export type Content = Kind | { readonly listOf: Kind } | { readonly mapOf: Kind };

/** The fields of a kind that hold objects of the OpenAPI Specification. */
export type Fields = Readonly<Record<string, Content>>;

/**
 * For each kind, the fields that hold objects, in OpenAPI 3.0, 3.1 or 3.2. The linter checks which versions have a
 * field.
 */
export const FIELDS = {
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
} as const satisfies Readonly<Record<Kind, Fields>>;

/** Kinds whose field names the author chooses, with the kind of their values. */
export const MAPS = { Paths: "PathItem", Responses: "Response", Callback: "PathItem" } as const satisfies Partial<
  Record<Kind, Kind>
>;

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

/** The fields of Swagger 2.0 whose objects differ from those of OpenAPI 3. */
export const FIELDS_20 = {
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
} as const satisfies Readonly<Record<Kind, Fields>>;

/**
 * For each kind, the fields that hold scalars or free-form values, as a union of names. The fields that only Swagger
 * 2.0 has come last in a union.
 */
interface ValueFields {
  OpenAPI:
    | "openapi"
    | "jsonSchemaDialect"
    | "$self"
    | "swagger"
    | "host"
    | "basePath"
    | "schemes"
    | "consumes"
    | "produces";
  Info: "title" | "summary" | "description" | "termsOfService" | "version";
  Contact: "name" | "url" | "email";
  License: "name" | "identifier" | "url";
  Server: "url" | "description" | "name";
  ServerVariable: "enum" | "default" | "description";
  Components: never;
  Paths: never;
  PathItem: "summary" | "description";
  Operation:
    | "tags"
    | "summary"
    | "description"
    | "operationId"
    | "deprecated"
    | "consumes"
    | "produces"
    | "schemes";
  ExternalDocumentation: "description" | "url";
  Parameter: "name" | "in" | "allowEmptyValue" | ParameterOrHeader;
  RequestBody: "description" | "required";
  MediaType: "description" | "example";
  Encoding: "contentType" | "style" | "explode" | "allowReserved";
  Responses: never;
  Response: "summary" | "description" | "examples";
  Callback: never;
  Example: "summary" | "description" | "value" | "externalValue" | "dataValue" | "serializedValue";
  Link: "operationRef" | "operationId" | "parameters" | "requestBody" | "description";
  Header: ParameterOrHeader;
  Tag: "name" | "summary" | "description" | "parent" | "kind";
  Schema: ValueKeyword;
  Discriminator: "propertyName" | "mapping" | "defaultMapping";
  XML: "nodeType" | "name" | "namespace" | "prefix" | "attribute" | "wrapped";
  SecurityScheme:
    | "type"
    | "description"
    | "name"
    | "in"
    | "scheme"
    | "bearerFormat"
    | "openIdConnectUrl"
    | "oauth2MetadataUrl"
    | "deprecated"
    | "flow"
    | "authorizationUrl"
    | "tokenUrl"
    | "scopes";
  OAuthFlows: "implicit" | "password" | "clientCredentials" | "authorizationCode" | "deviceAuthorization";
  /** The fields of a Security Requirement Object are the names of security schemes, which the author chooses. */
  SecurityRequirement: string;
}

type ParameterOrHeader =
  | "description"
  | "required"
  | "deprecated"
  | "style"
  | "explode"
  | "allowReserved"
  | "example"
  | "collectionFormat"
  | "items"
  | ValueKeyword;

type ValueKeyword =
  | "$id"
  | "$schema"
  | "$anchor"
  | "$dynamicRef"
  | "$dynamicAnchor"
  | "type"
  | "enum"
  | "const"
  | "format"
  | "title"
  | "description"
  | "default"
  | "deprecated"
  | "readOnly"
  | "writeOnly"
  | "example"
  | "examples"
  | "nullable"
  | "multipleOf"
  | "maximum"
  | "exclusiveMaximum"
  | "minimum"
  | "exclusiveMinimum"
  | "maxLength"
  | "minLength"
  | "pattern"
  | "maxItems"
  | "minItems"
  | "uniqueItems"
  | "maxContains"
  | "minContains"
  | "maxProperties"
  | "minProperties"
  | "required"
  | "dependentRequired"
  | "dependencies"
  | "additionalItems"
  | "contentEncoding"
  | "contentMediaType";

type Maps = typeof MAPS;

type TableOf<Of extends Kind> = (typeof FIELDS)[Of] | (typeof FIELDS_20)[Of];

type KeysOf<Table> = Table extends unknown ? keyof Table : never;

type FieldIn<Table, Key> = Table extends unknown ? Key extends keyof Table ? Table[Key] : never : never;

/** The keys that a node of a kind may have; any key where the kind is unknown. */
export type FieldOf<Of extends Content> = Content extends Of ? string | number
  : Of extends keyof Maps | { readonly mapOf: Kind } ? string
  : Of extends Kind ? KeysOf<TableOf<Of>> | ValueFields[Of] | "$ref" | `x-${string}`
  : number;

/** The kind of the child node under a key; any kind where the OpenAPI Specification has no object there. */
export type ContentOf<Of extends Content, Key> = Content extends Of ? Content
  : Of extends keyof Maps ? Maps[Of]
  : Of extends Kind ? OrAny<FieldIn<TableOf<Of>, Key>>
  : ItemOf<Of>;

/** The kind of the child nodes of a list or a map. */
export type ItemOf<Of extends Content> = Content extends Of ? Content
  : Of extends keyof Maps ? Maps[Of]
  : Of extends { readonly listOf: infer Item extends Kind } ? Item
  : Of extends { readonly mapOf: infer Entry extends Kind } ? Entry
  : Content;

type OrAny<Found> = [Found] extends [never] ? Content : Extract<Found, Content>;

export const KINDS: readonly Kind[] = Object.keys(FIELDS) as Kind[];

/** The name of a kind in messages, as in the OpenAPI Specification: `Media Type Object`. */
export function nameOfKind(kind: Kind): string {
  return `${kind === "OpenAPI" ? kind : kind.replace(/([a-z])([A-Z])/g, "$1 $2")} Object`;
}

/** The name of a kind with its article: `a Media Type Object`. */
export function oneOfKind(kind: Kind): string {
  return `${/^[AEIO]|^XML/.test(kind) ? "an" : "a"} ${nameOfKind(kind)}`;
}
