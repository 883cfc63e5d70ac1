/** The table of exchanges has rows for each key of `x-svc`. */
import assert from "node:assert/strict";
import { EXTENSION_SCHEMA } from "../../lib/openapi/extension/schema.ts";
import type { SettingSchema } from "../../lib/openapi/extension/setting_schema.ts";
import { definitionOf } from "./row.ts";
import { ROWS } from "./rows.ts";

/** Keys without rows, and where they are tested instead. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "analysis.url": "is for the management API: tests/lib/management/api_contract.ts",
  "auth.oauth2": "is refused by the embedded gateway; through Envoy: tests/cluster/stack/login_test.ts",
  "auth.custom.host.tls": "as upstream.host.tls",
  "mocking.resource": "is read by the mocks, which both gateways ask: tests/lib/mock/infer/",
  "upstream.host.tls": "needs a server whose authority the proxy's system trusts",
};

Deno.test("the table of exchanges has rows for each key of x-svc", () => {
  const used = new Set<string>();
  for (const settings of settingsOf(definitionOf(ROWS))) for (const key of keysOf(settings)) used.add(key);
  const isElsewhere = (key: string): boolean =>
    Object.keys(ELSEWHERE).some((other) => key === other || key.startsWith(`${other}.`));
  const missing = keysOfSchema(EXTENSION_SCHEMA).filter((key) => !used.has(key) && !isElsewhere(key));
  assert.deepEqual(missing, []);
});

/** Lists the innermost keys of a schema, such as `qos.retries`. `upstreams` counts as `upstream`. */
function keysOfSchema(schema: SettingSchema, name = ""): string[] {
  const { properties } = schema.items ?? schema;
  if (properties === undefined) return [name.replace(/^upstreams\b/, "upstream")];
  return Object.entries(properties).flatMap(([key, inner]) =>
    keysOfSchema(inner, name === "" ? key : `${name}.${key}`)
  );
}

/** Lists the innermost keys of settings. */
function keysOf(settings: unknown, name = ""): string[] {
  if (Array.isArray(settings)) return settings.flatMap((item) => keysOf(item, name));
  if (typeof settings !== "object" || settings === null) return [name.replace(/^upstreams\b/, "upstream")];
  return [
    name,
    ...Object.entries(settings).flatMap(([key, inner]) => keysOf(inner, name === "" ? key : `${name}.${key}`)),
  ];
}

/** Finds all `x-svc` of a definition. */
function settingsOf(node: unknown): unknown[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, inner]) => key === "x-svc" ? [inner] : settingsOf(inner));
}
