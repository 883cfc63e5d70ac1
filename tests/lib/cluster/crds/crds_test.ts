import assert from "node:assert/strict";
import { customResourceDefinitions } from "../../../../lib/cluster/crds/crds.ts";
import { isObject } from "../../../../lib/schema/json/node.ts";
import { EXTENSION_SCHEMA } from "../../../../lib/openapi/extension/schema.ts";

/** The OpenAPI schema of each custom resource. */
const SCHEMAS = customResourceDefinitions().map((definition) => {
  const { versions: [version], names } = Object(definition.spec);
  return [names.kind, version.schema.openAPIV3Schema] as const;
});

Deno.test("every field of gw's kinds is described in sentences", () => {
  const faults: string[] = [];
  for (const [kind, schema] of SCHEMAS) {
    walk(schema, kind, (field, { description }) => {
      const text = typeof description === "string" ? description : "";
      if (
        !/^[A-Za-z].*[.]$|^gateway\.x-svc\.io\/|^(API|Fleet|StaticRoute)$/s.test(text) && !field.endsWith(".metadata")
      ) {
        faults.push(`${field}: ${text}`);
      }
    });
  }
  assert.deepEqual(faults, []);
});

Deno.test("the settings of a static route are those that a definition has at its top", () => {
  const [, schema] = SCHEMAS.find(([kind]) => kind === "StaticRoute") ?? [];
  const { properties } = schema.properties.spec;
  const fields = [...Object.keys(properties), ...Object.keys(properties.settings.properties)];
  const settings = Object.keys(EXTENSION_SCHEMA.properties);
  assert.deepEqual(fields.filter((field) => settings.includes(field)).toSorted(), settings.toSorted());
});

/** Calls `tell` for each property of a schema and of its subschemas. */
function walk(schema: unknown, path: string, tell: (path: string, schema: Record<string, unknown>) => void): void {
  if (!isObject(schema)) return;
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  for (const [name, property] of Object.entries(properties)) {
    if (isObject(property)) tell(`${path}.${name}`, property);
    walk(property, `${path}.${name}`, tell);
  }
  walk(schema["items"], `${path}[]`, tell);
}
