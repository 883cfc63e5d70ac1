import { EXTENSION_SCHEMA } from "../../openapi/extension/schema.ts";
import { type ExtensionSettings, levelsOf } from "../../openapi/extension/settings.ts";
import { FLEET_REFERENCE, ROUTE_STATUS } from "./common_schemas.ts";
import { type SchemaRule, type StructuralSchema, structuralSchema } from "./structural_schema.ts";

/** The settings of `x-svc` that are fields of `spec` by themselves. All others are fields of `spec.settings`. */
const OWN_SETTINGS = ["hosts", "upstream", "auth"] as const satisfies readonly (keyof ExtensionSettings)[];

/**
 * The maximum length in characters of `spec.openapi`: the OpenAPI document that the management API got. The other
 * fields of `spec` have its settings, too.
 */
export const MOST_DOCUMENT_CHARACTERS = 256 * 1024;

const OTHER_SETTINGS = keysOf(EXTENSION_SCHEMA.properties)
  .filter((key) => levelsOf(key).includes("root") && !OWN_SETTINGS.some((own) => own === key));

const ACTIONS: readonly SchemaRule[] = [
  {
    rule: "has(self.upstream) || (has(self.settings) && (has(self.settings.upstreams) || has(self.settings.redirect) " +
      "|| (has(self.settings.disabled) && self.settings.disabled)))",
    message: "upstream is needed, or settings.upstreams, settings.redirect or settings.disabled",
    reason: "FieldValueRequired",
  },
  {
    rule: "[has(self.upstream), has(self.settings) && has(self.settings.upstreams), " +
      "has(self.settings) && has(self.settings.redirect)].filter(given, given).size() <= 1",
    message: "upstream, settings.upstreams and settings.redirect exclude each other",
    reason: "FieldValueForbidden",
  },
  {
    rule: "!has(self.settings) || !has(self.settings.upstreams) || " +
      "self.settings.upstreams.map(upstream, upstream.weight).sum() == 100",
    message: "the weights of settings.upstreams must total 100",
    fieldPath: ".settings.upstreams",
  },
];

const SPEC: StructuralSchema = {
  type: "object",
  description: "Action for the requests that no API of the fleet takes.",
  properties: {
    fleet: FLEET_REFERENCE,
    hosts: schemaOf("hosts"),
    upstream: schemaOf("upstream"),
    auth: schemaOf("auth"),
    settings: {
      type: "object",
      description: "Further settings of x-svc, as at the root of a definition.",
      properties: Object.fromEntries(OTHER_SETTINGS.map((key) => [key, schemaOf(key)])),
    },
    openapi: {
      type: "string",
      description: "The document as deployed by the management API. The other fields override it.",
      maxLength: MOST_DOCUMENT_CHARACTERS,
    },
  },
  "x-kubernetes-validations": ACTIONS,
};

/** The schema of the custom resource `StaticRoute`. */
export const STATIC_ROUTE_SCHEMA = {
  description: "A catch-all of a fleet without a definition, sent to an upstream.",
  spec: SPEC,
  status: ROUTE_STATUS,
};

function schemaOf(key: keyof ExtensionSettings): StructuralSchema {
  return structuralSchema(EXTENSION_SCHEMA.properties[key]);
}

function keysOf<T extends object>(table: T): (keyof T)[] {
  // The object has exactly the keys of its type, so `Object.keys` returns no others.
  return Object.keys(table) as (keyof T)[];
}
