/**
 * Writes docs/x-svc.md from the tables that the program reads `x-svc` by, and docs/validate.md from that of all kinds of
 * problems: `deno task docs`. Tests fail when they are out of date.
 *
 * @module
 */
import { EXTENSION_KEYS } from "../lib/openapi/extension/settings.ts";
import type { Shape } from "../lib/openapi/extension/shape.ts";
import { EXTENSION_DOCUMENTATION } from "../lib/cluster/crds/extension_documentation.ts";
import { RULE_REFERENCE, ruleReference } from "./rule_docs.ts";

/** The file that is written. */
export const EXTENSION_REFERENCE = new URL("../docs/x-svc.md", import.meta.url);

const HEAD = `# x-svc

A definition's settings for gw stand in the extension \`x-svc\`: at the root, in a path item, or in an operation. A key of
an inner \`x-svc\` replaces the same key of an outer one; \`path\`, \`qos\` and \`cors\` are merged field by field. An
operation has at most one of \`redirect\`, \`upstream\` and \`upstreams\`: an inner one replaces an outer one, also of
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

\`gw mock\` reads only \`mocking\`, \`disabled\` and \`redirect\`, and these only with \`--as-gateway\` or \`--proxy\`. On a
laptop \`gw serve\` honours all keys but \`auth.oauth2\`. For a cluster, [a table](cluster.md#the-objects-of-each-setting)
names the object that each key becomes.

| key | stands at | value | what it means |
| --- | --------- | ----- | ------------- |
`;

const FOOT = `
A path of a definition stands for each spelling of it. \`/%70ets\`, \`//pets\` and \`/x/../pets\` are \`/pets\`.
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
  const rows = Object.entries(EXTENSION_KEYS).flatMap(([key, { at, shape }]) => rowsOf(key, shape, at.join(", ")));
  return `${HEAD}${rows.join("\n")}\n${FOOT}`;
}

function rowsOf(path: string, shape: Shape, at: string, isRequired = false): string[] {
  const meaning = (EXTENSION_DOCUMENTATION[path] ?? "").replaceAll("\\", "\\\\").replaceAll("*", "\\*");
  const value = `${valueOf(shape)}${isRequired ? ", required" : ""}`;
  const row = `| \`${path}\` | ${at} | ${value} | ${meaning.replaceAll("|", "\\|")} |`;
  const items = shape.kind === "list" ? shape.items : shape;
  if (items.kind !== "object") return [row];
  const prefix = shape.kind === "list" ? `${path}[]` : path;
  const required: readonly string[] = items.required ?? [];
  const fields = Object.entries<Shape>(items.fields)
    .flatMap(([name, field]) => rowsOf(`${prefix}.${name}`, field, "", required.includes(name)));
  return [row, ...fields];
}

function valueOf(shape: Shape): string {
  switch (shape.kind) {
    case "boolean":
      return "true or false";
    case "number": {
      if (shape.among !== undefined) return shape.among.join(", ");
      const bounds = shape.most === undefined ? `from ${shape.least ?? 0}` : `${shape.least ?? 0} to ${shape.most}`;
      return `${shape.whole ? "whole number" : "number"} ${bounds}`;
    }
    case "text":
      if (shape.among !== undefined) return shape.among.join(", ");
      return shape.syntax?.description ?? "text";
    case "list":
      return shape.items.kind === "object" ? "list of objects" : `list: ${valueOf(shape.items)}`;
    case "object":
      return "object";
  }
}

if (import.meta.main) {
  await Deno.writeTextFile(EXTENSION_REFERENCE, extensionReference());
  await Deno.writeTextFile(RULE_REFERENCE, ruleReference());
  const args = ["fmt", EXTENSION_REFERENCE.pathname, RULE_REFERENCE.pathname];
  await new Deno.Command(Deno.execPath(), { args }).output();
}
