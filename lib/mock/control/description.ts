import { load } from "js-yaml";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { RULE_SCHEMA } from "../rules/rule_schema.ts";
import text from "./openapi.yaml" with { type: "text" };

/**
 * The OpenAPI description of the control API, as a value, with the schema of rules.
 *
 * @param controlPath The base path of the API.
 */
export function descriptionAt(controlPath: string): JsonObject {
  const written = load(text);
  const root = isObject(written) ? written : {};
  const components = isObject(root["components"]) ? root["components"] : {};
  const schemas = isObject(components["schemas"]) ? components["schemas"] : {};
  return {
    ...root,
    servers: [{ url: controlPath.replace(/\/$/, "") || "/" }],
    components: { ...components, schemas: { ...schemas, Rule: RULE_SCHEMA } },
  };
}
