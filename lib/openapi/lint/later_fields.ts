import type { Kind } from "../../schema/kinds.ts";

/** Fields that came with a later version than the first that has their object. */
const LATER: Partial<Record<Kind, Readonly<Record<string, "3.1" | "3.2">>>> = {
  OpenAPI: { webhooks: "3.1", jsonSchemaDialect: "3.1", $self: "3.2" },
  Info: { summary: "3.1" },
  License: { identifier: "3.1" },
  Server: { name: "3.2" },
  Components: { pathItems: "3.1", mediaTypes: "3.2" },
  PathItem: { query: "3.2", additionalOperations: "3.2" },
  MediaType: { description: "3.2", itemSchema: "3.2", itemEncoding: "3.2", prefixEncoding: "3.2" },
  Encoding: { encoding: "3.2", itemEncoding: "3.2", prefixEncoding: "3.2" },
  Response: { summary: "3.2" },
  Example: { dataValue: "3.2", serializedValue: "3.2" },
  Tag: { summary: "3.2", parent: "3.2", kind: "3.2" },
  Discriminator: { defaultMapping: "3.2" },
  XML: { nodeType: "3.2" },
  SecurityScheme: { deprecated: "3.2" },
  OAuthFlows: { deviceAuthorization: "3.2" },
};

/** The version of OpenAPI that first has a field of an object; `undefined` for fields of the first, and of none. */
export function laterVersionOf(kind: Kind, field: string): "3.1" | "3.2" | undefined {
  const fields = LATER[kind];
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
