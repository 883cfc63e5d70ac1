/**
 * Writes docs/x-svc.md from the schema of `x-svc`, docs/validate.md from the table of all kinds of problems, and
 * docs/coming-from.md from that of other servers' flags: `deno task docs`. Tests fail when they are out of date.
 *
 * @module
 */
import { describeSetting } from "../lib/openapi/extension/describe_setting.ts";
import { EXTENSION_SCHEMA } from "../lib/openapi/extension/schema.ts";
import type { SettingSchema } from "../lib/openapi/extension/setting_schema.ts";
import { levelsOf } from "../lib/openapi/extension/settings.ts";
import { COMING_FROM, comingFrom } from "./coming_from_docs.ts";
import { RULE_REFERENCE, ruleReference } from "./rule_docs.ts";

/** The file that is written. */
export const EXTENSION_REFERENCE = new URL("../docs/x-svc.md", import.meta.url);

const HEAD = `# x-svc

A definition's settings for gw stand in the extension \`x-svc\`: at the root, in a path item, or in an operation. A key of
an inner \`x-svc\` replaces the same key of an outer one; \`path\`, \`qos\`, \`cors\` and \`mocking\` are merged field by
field. An operation has at most one of \`redirect\`, \`upstream\` and \`upstreams\`: an inner one replaces an outer one, also of
another kind. Unknown keys are errors.

\`\`\`yaml
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
x-svc:
  path: { prefix: /v1 }
  upstream: { service: { name: pets, port: 8080 } } # on a laptop: gw serve --service default/pets=http://127.0.0.1:3000
  qos: { request_timeout: 5, retries: 2 }
paths:
  /pets:
    get:
      x-svc: { mocking: { enabled: true } } # answered by gw, from examples
      responses:
        "200":
          description: All pets.
          content: { application/json: { schema: { type: array }, example: [{ name: Puma }] } }
    post:
      x-svc: { auth: { jwt: { providers: [{ name: main, jwks_uri: https://login.example.com/keys }] } } }
      responses: { "201": { description: A new one. } }
  /old-pets:
    get:
      x-svc: { redirect: { path: /v1/pets, response_code: 301 } }
      responses: { "301": { description: Moved. } }
\`\`\`

\`gw mock\` reads only \`mocking\`, \`disabled\` and \`redirect\`; \`mocking.enabled\` and the latter two only with
\`--as-gateway\` or \`--proxy\`. [Rules](rules.md) says more about \`mocking.delay\`, \`mocking.faults\` and
\`mocking.sequence\`. On a laptop \`gw serve\` honours all keys but \`auth.oauth2\`. For a cluster, [a table](cluster.md#the-objects-of-each-setting)
names the object that each key becomes.

| key | level | value | meaning |
| --- | --------- | ----- | ------------- |
`;

const FOOT = `
A path of a definition matches each spelling of it. \`/%70ets\`, \`//pets\` and \`/x/../pets\` are \`/pets\`.
\`/pets/\` is not \`/pets\`, but it belongs to the same API: unless a path declares it, it is answered 404 and never
reaches a static route. A disabled path is disabled at all methods and with either end, declared methods or not, until an
operation says \`disabled: false\`. A method that a declared path doesn't have is answered 405 with \`Allow\`, before
credentials are checked. So a static route gets only paths that no API declares at that host or pattern of hosts; of
two patterns that fit a host the more specific one counts.
An example may say which requests it answers: \`x-svc: {mocking: {match: {path.id: 3, query.kind: cat, header.X-Tenant:
acme, body./pet/name: Tom}}}\` in an Example Object, when all of it holds.
`;

/** The text of the file, before it is formatted. */
export function extensionReference(): string {
  const { properties } = EXTENSION_SCHEMA;
  const rows = keysOf(properties).flatMap((key) => rowsOf(key, properties[key], levelsOf(key).join(", ")));
  return `${HEAD}${rows.join("\n")}\n${FOOT}`;
}

function rowsOf(path: string, schema: SettingSchema, levels: string, isRequired = false): string[] {
  const { description = "", items } = schema;
  const meaning = description.replace(/[\\*|]/g, "\\$&");
  const row = `| \`${path}\` | ${levels} | ${valueOf(schema)}${isRequired ? ", required" : ""} | ${meaning} |`;
  const { properties = {}, required = [] } = items ?? schema;
  const prefix = items === undefined ? path : `${path}[]`;
  const fields = Object.entries(properties)
    .flatMap(([name, field]) => rowsOf(`${prefix}.${name}`, field, "", required.includes(name)));
  return [row, ...fields];
}

/** The column that says which values a schema allows. */
function valueOf(schema: SettingSchema): string {
  const { type, items, minimum = 0, maximum } = schema;
  if (schema.enum !== undefined) return schema.enum.join(", ");
  switch (type) {
    case "integer":
    case "number": {
      const bounds = maximum === undefined ? `from ${minimum}` : `${minimum} to ${maximum}`;
      return `${type === "integer" ? "whole number" : "number"} ${bounds}`;
    }
    case "array":
      return items === undefined || items.type === "object" ? "list of objects" : `list: ${valueOf(items)}`;
    case "object":
      return "object";
    default:
      return describeSetting(schema);
  }
}

function keysOf<T extends object>(table: T): (keyof T & string)[] {
  // The table has exactly these keys.
  return Object.keys(table) as (keyof T & string)[];
}

if (import.meta.main) {
  await Deno.writeTextFile(EXTENSION_REFERENCE, extensionReference());
  await Deno.writeTextFile(RULE_REFERENCE, ruleReference());
  await Deno.writeTextFile(COMING_FROM, comingFrom());
  const args = ["fmt", ...[EXTENSION_REFERENCE, RULE_REFERENCE, COMING_FROM].map(({ pathname }) => pathname)];
  await new Deno.Command(Deno.execPath(), { args }).output();
}
