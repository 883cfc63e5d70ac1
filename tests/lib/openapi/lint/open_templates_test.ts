/** Warnings of protected and disabled paths that an open template takes in another spelling. */
import assert from "node:assert/strict";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { checkDocument } from "../../../../lib/openapi/lint/lint.ts";

const JWT = "auth: {jwt: {providers: [{name: id, jwks_uri: 'https://id.example/keys'}]}}";
const UPSTREAM = "upstream: {service: {name: web}}";

Deno.test("checkDocument() warns of an open template beside a stricter path", async (t) => {
  const cases: readonly { name: string; root?: string; paths: readonly string[]; want: readonly string[] }[] = [
    {
      name: "authentication",
      paths: ["GET /users/{id}: ", `GET /users/admin: ${JWT}`],
      want: ["/paths/~1users~1admin/get: `GET /users/{id}` takes `/v1/users/ADMIN`."],
    },
    {
      name: "disabled, and behind one authentication otherwise",
      root: JWT,
      paths: ["GET /users/{id}: ", "GET /users/admin: disabled: true"],
      want: ["/paths/~1users~1admin/get: `GET /users/{id}` takes `/v1/users/ADMIN`."],
    },
    {
      name: "text and a parameter in one segment, and a parameter in both",
      paths: ["POST /{kind}/{name}.{format}: ", `POST /{kind}/keys.json: ${JWT}`],
      want: ["/paths/~1{kind}~1keys.json/post: `POST /{kind}/{name}.{format}` takes `/v1/{kind}/KEYS.JSON`."],
    },
    { name: "one authentication", root: JWT, paths: ["GET /users/{id}: ", "GET /users/admin: "], want: [] },
    { name: "another method", paths: ["PUT /users/{id}: ", `GET /users/admin: ${JWT}`], want: [] },
    { name: "another length", paths: ["GET /users/{id}/{part}: ", `GET /users/admin: ${JWT}`], want: [] },
    { name: "another literal", paths: ["GET /pets/{id}: ", `GET /users/admin: ${JWT}`], want: [] },
    { name: "a protected template", paths: ["GET /users/{id}: ", `GET /users/{id}/keys: ${JWT}`], want: [] },
    { name: "a path without letters", paths: ["GET /years/{year}: ", `GET /years/2020: ${JWT}`], want: [] },
    {
      name: "a mocked template",
      paths: ["GET /users/{id}: mocking: {enabled: true}", `GET /users/a: ${JWT}`],
      want: [],
    },
    { name: "a redirect", paths: ["GET /users/{id}: redirect: {path: /x}", `GET /users/a: ${JWT}`], want: [] },
    { name: "no upstream", root: "hosts: [h.example]", paths: ["GET /a/{id}: ", `GET /a/b: ${JWT}`], want: [] },
  ];
  for (const { name, root, paths, want } of cases) {
    await t.step(name, async () => {
      const lines = paths.map((line) => {
        const [, method = "", path = "", settings = ""] = /^(\S+) (\S+): (.*)$/.exec(line) ?? [];
        const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) =>
          `{name: ${name}, in: path, required: true, schema: {type: string}}`
        );
        return `  ${path}: {${method.toLowerCase()}: {x-svc: {${settings}}, parameters: [${names.join()}], responses: {"200": {description: Fine.}}}}`;
      });
      const shared = [root === "hosts: [h.example]" ? "" : UPSTREAM, root ?? "", "path: {prefix: /v1}"].filter(Boolean);
      const text = `openapi: 3.1.0\ninfo: {title: T, version: "1"}\nx-svc: {${shared.join(", ")}}\npaths:\n${
        lines.join("\n")
      }`;
      const { diagnostics } = await checkDocument(await parseDocument(text));
      const found = diagnostics.filter(({ code }) => code === "open-template");
      assert.deepEqual(found.map(({ pointer, message }) => `${pointer}: ${/^.*?`\.(?= )/.exec(message)?.[0]}`), want);
      assert.ok(found.every(({ severity }) => severity === "warning"));
    });
  }
});
