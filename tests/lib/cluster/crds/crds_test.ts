import assert from "node:assert/strict";
import { customResourceDefinitions } from "../../../../lib/cluster/crds/crds.ts";
import { EXTENSION_DOCUMENTATION } from "../../../../lib/cluster/crds/extension_documentation.ts";
import { structuralSchema } from "../../../../lib/cluster/crds/structural_schema.ts";
import { isObject } from "../../../../lib/schema/node.ts";
import { EXTENSION_KEYS } from "../../../../lib/openapi/extension/settings.ts";

/** The schema of each kind. */
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

Deno.test("nothing is described that isn't there", () => {
  const used = new Set<string>();
  const documentation = new Proxy({ ...EXTENSION_DOCUMENTATION }, {
    get: (table, key) => {
      used.add(String(key));
      return Reflect.get(table, key);
    },
  });
  for (const [key, { shape }] of Object.entries(EXTENSION_KEYS)) structuralSchema(shape, key, documentation);
  assert.deepEqual(Object.keys(EXTENSION_DOCUMENTATION).filter((key) => !used.has(key)), []);
});

Deno.test("structuralSchema() says of which setting nothing is said", () => {
  assert.throws(() => structuralSchema({ kind: "boolean" }, "a.b", {}), /Nothing is said of `a\.b`/);
});

Deno.test("the settings of a static route are those that a definition has at its top", () => {
  const [, schema] = SCHEMAS.find(([kind]) => kind === "StaticRoute") ?? [];
  const { properties } = schema.properties.spec;
  const fields = [...Object.keys(properties), ...Object.keys(properties.settings.properties)];
  const settings = Object.keys(EXTENSION_KEYS);
  assert.deepEqual(fields.filter((field) => settings.includes(field)).toSorted(), settings.toSorted());
});

/** Tells of each property in a schema, however deep. */
function walk(schema: unknown, path: string, tell: (path: string, schema: Record<string, unknown>) => void): void {
  if (!isObject(schema)) return;
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  for (const [name, property] of Object.entries(properties)) {
    if (isObject(property)) tell(`${path}.${name}`, property);
    walk(property, `${path}.${name}`, tell);
  }
  walk(schema["items"], `${path}[]`, tell);
}
