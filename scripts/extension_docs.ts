/**
 * Generates docs/x-svc.md from the schema of `x-svc`, for `deno task docs`.
 *
 * @module
 */
import { describeSetting } from "../lib/openapi/extension/describe_setting.ts";
import { EXTENSION_SCHEMA } from "../lib/openapi/extension/schema.ts";
import type { SettingSchema } from "../lib/openapi/extension/setting_schema.ts";
import { levelsOf } from "../lib/openapi/extension/settings.ts";

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

\`gw mock\` reads only \`mocking\`, \`disabled\`, \`redirect\` and \`path.prefix\`; \`mocking.enabled\` and the latter three only with
\`--as-gateway\` or \`--proxy\`. [Rules](rules.md) says more about \`mocking.delay\`, \`mocking.faults\` and
\`mocking.sequence\`. On a laptop \`gw serve\` honours all keys but \`auth.oauth2\`. For a cluster, [a table](cluster.md#the-objects-of-each-setting) names the object that each key becomes.

## Keys

Without another remark a key is optional.
`;

const FOOT = `
## Paths

A path of a definition matches each spelling of it. \`/%70ets\`, \`//pets\` and \`/x/../pets\` are \`/pets\`.
\`/pets/\` is not \`/pets\`, but it belongs to the same API: unless a path declares it, it is answered 404 and never
reaches a static route. A disabled path is disabled at all methods and with either end, declared methods or not, until an
operation says \`disabled: false\`. A method that a declared path doesn't have is answered 405 with \`Allow\`, before
credentials are checked. So a static route gets only paths that no API declares at that host or pattern of hosts; of
two patterns that fit a host the more specific one counts.

Both gateways decode letters, digits, \`-\`, \`.\`, \`_\` and \`~\` of a path once, and resolve its dot segments. Routes,
rewrites, the server of \`auth.custom\` and the upstream get this path, the server with the client's \`Host\`. \`%2F\`, \`%5C\` and \`;\` stay as they are: \`%2F\` is a
part of a path parameter, and divides no segments. Since servers read such paths in different ways, the gateways refuse
some of them:

| path                                                   | answer | examples                              |
| ------------------------------------------------------ | ------ | ------------------------------------- |
| a dot segment beside an encoded slash or backslash     | 400    | \`/files/..%2Fadmin\`, \`/files/x%5C..\` |
| a dot segment that is encoded twice                    | 400    | \`/files/%252e%252e/admin\`             |
| a dot segment with parameters, a query or a fragment   | 400    | \`/files/..;x/admin\`, \`/files/..%3F\`  |
| a NUL character                                        | 400    | \`/users/admin%00\`                     |
| another reading of the path of a stricter operation    | 404    | \`/users/admin;x\`, \`/users/%2Fadmin\`  |

The last row is for paths with \`%2F\`, \`%5C\` or \`;\` that a server may read as the path of an operation that is disabled
or has other \`auth\`: \`/users/admin\` is protected, and \`/users/{id}\` is open.

An upstream must tell apart what the gateway tells apart, or it answers a protected operation by an open template:

- **Case.** \`/users/ADMIN\` is another path than \`/users/admin\`. Express, ASP.NET and IIS ignore case by default. In
  Express, \`app.set("case sensitive routing", true)\` changes that. \`gw validate\` and deployments warn of such
  operations (\`open-template\`).
- **A slash at the end**, where an open template ends with one: \`/users/admin/\` isn't \`/users/admin\`.
- **What few servers decode**: spaces and dots at the end of a segment, overlong UTF-8, \`%u002e\`, a path that is encoded
  three times.

The portable profile refuses none of these paths, since it can't say which regular expression comes first.

## In examples

An Example Object may say which requests it answers, when all of it holds:
\`x-svc: {mocking: {match: {path.id: 3, query.kind: cat, header.X-Tenant: acme, body./pet/name: Tom}}}\`.
Beside \`match\`, \`contentType: text/plain; charset=iso-8859-1\` is the \`Content-Type\` of the answer, in whose charset
the example is sent. Default: the key of its media type.
`;

/** The text of docs/x-svc.md before formatting. */
export function extensionReference(): string {
  const { properties } = EXTENSION_SCHEMA;
  const listed = new Map<string, string>();
  return `${HEAD}${keysOf(properties).map((key) => sectionOf(key, properties[key], listed)).join("\n")}${FOOT}`;
}

/**
 * The section about a key.
 *
 * @param listed Fields that the page already describes, with the key in whose section they are.
 */
function sectionOf(
  key: keyof typeof EXTENSION_SCHEMA.properties,
  schema: SettingSchema,
  listed: Map<string, string>,
): string {
  const levels = levelsOf(key).map((level) =>
    level === "root" ? "the root" : level === "path" ? "a path" : "an operation"
  );
  const at = levels.length > 1 ? `${levels.slice(0, -1).join(", ")} or ${levels.at(-1)}` : levels.join("");
  const fields = fieldsOf(key, schema, "", listed);
  return [`### ${key}\n`, `At ${at}${valueOf(schema)}. ${meaningOf(schema)}\n`, ...fields, ""].join("\n");
}

function fieldsOf(path: string, schema: SettingSchema, indent: string, listed: Map<string, string>): string[] {
  const { properties = {}, required = [] } = schema.items ?? schema;
  return Object.entries(properties).flatMap(([name, field]) => {
    const remark = `${required.includes(name) ? ", required" : ""}${valueOf(field)}`;
    const line = `${indent}- \`${name}\`${remark}. ${meaningOf(field)}`;
    const { properties } = field.items ?? field;
    if (properties === undefined) return [line];
    const same = JSON.stringify(properties);
    const first = listed.get(same);
    if (first !== undefined) return [`${line} Its fields are those of \`${first}\`.`];
    listed.set(same, `${path}.${name}`);
    return [line, ...fieldsOf(`${path}.${name}`, field, `${indent}  `, listed)];
  });
}

function meaningOf({ description = "" }: SettingSchema): string {
  return description.replace(/[\\*]/g, "\\$&");
}

/** The values that a schema allows, as a part of a sentence. Empty for objects, whose fields are listed. */
function valueOf(schema: SettingSchema): string {
  const { type, items } = schema;
  if (type === "object") return "";
  if (type !== "array") return `: ${plainValueOf(schema)}`;
  return items === undefined || items.type === "object"
    ? ": a list of objects"
    : `: a list; each item is ${plainValueOf(items)}`;
}

function plainValueOf(schema: SettingSchema): string {
  const { type, minimum = 0, maximum } = schema;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(", ");
  if (type !== "integer" && type !== "number") return describeSetting(schema);
  const bounds = maximum === undefined ? `from ${minimum}` : `from ${minimum} to ${maximum}`;
  return `${type === "integer" ? "a whole number" : "a number"} ${bounds}`;
}

function keysOf<T extends object>(table: T): (keyof T & string)[] {
  // The cast is safe: the table has exactly the keys of its type.
  return Object.keys(table) as (keyof T & string)[];
}
