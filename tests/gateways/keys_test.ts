/** Each setting of `x-svc` has an exchange in the table of both gateways. */
import assert from "node:assert/strict";
import { EXTENSION_SCHEMA } from "../../lib/openapi/extension/schema.ts";
import { isObject } from "../../lib/schema/node.ts";
import { definitionOf } from "./row.ts";
import { ROWS } from "./rows.ts";

/** Settings that are tested elsewhere, and why. */
const ELSEWHERE = [
  {
    key: "auth.oauth2",
    why: "the embedded gateway refuses it, and a login is many requests",
    file: "tests/cluster/stack/login_test.ts",
  },
  {
    key: "auth.custom.host",
    why: "it is read by the same functions as upstream.host",
    file: "tests/lib/cluster/translate/backends_test.ts",
  },
  {
    key: "auth.custom.service",
    why: "its namespace and port are read by the same functions as those of upstream.service",
    file: "tests/lib/cluster/translate/backends_test.ts",
  },
  {
    key: "mocking.resource",
    why: "both gateways call the same engine",
    file: "tests/lib/mock/infer/infer_resources_test.ts",
  },
  {
    key: "analysis",
    why: "only the management API shows it",
    file: "tests/lib/management/api_contract.ts",
  },
];

Deno.test("each setting of x-svc is in the table of exchanges, or says where it is tested", () => {
  const used = new Set<string>();
  const { "x-svc": root, paths } = definitionOf(ROWS);
  collect(root, "", used);
  for (const item of Object.values(Object(paths))) {
    for (const holder of [item, ...Object.values(Object(item))]) collect(Object(holder)["x-svc"], "", used);
  }
  const isElsewhere = (key: string): boolean => ELSEWHERE.some(({ key: prefix }) => `${key}.`.startsWith(`${prefix}.`));
  assert.deepEqual(keysOf(EXTENSION_SCHEMA, "").filter((key) => !used.has(key) && !isElsewhere(key)), []);
});

for (const { key, why, file } of ELSEWHERE) {
  Deno.test(`${key} is in ${file}: ${why}`, () => {
    const text = Deno.readTextFileSync(new URL(`../../${file}`, import.meta.url));
    assert.ok(text.includes(key.split(".").at(-1) ?? ""));
  });
}

/** Adds the paths of all keys in a setting: `upstream.service.name`. */
function collect(value: unknown, path: string, keys: Set<string>): void {
  if (Array.isArray(value)) return value.forEach((item) => collect(item, path, keys));
  if (!isObject(value)) return;
  for (const [name, part] of Object.entries(value)) {
    const key = path === "" ? name : `${path}.${name}`;
    keys.add(key);
    collect(part, key, keys);
  }
}

/** The paths of all keys in a schema. */
function keysOf(schema: unknown, path: string): string[] {
  if (!isObject(schema)) return [];
  const inside = [...Object.entries(Object(schema["properties"]))].flatMap(([name, part]) => {
    const key = path === "" ? name : `${path}.${name}`;
    return [key, ...keysOf(part, key)];
  });
  return [...inside, ...keysOf(schema["items"], path)];
}
