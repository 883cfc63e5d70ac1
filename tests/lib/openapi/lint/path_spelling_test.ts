import assert from "node:assert/strict";
import { checkMockable } from "../../../../lib/mock/lint/check_mockable.ts";
import { validateDocument } from "../../../../lib/mock/lint/validate_document.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { pathMeant } from "../../../../lib/openapi/lint/path_spelling.ts";

const MEANT: Readonly<Record<string, string>> = {
  "items": "/items",
  "pets/{id}": "/pets/{id}",
  "/items/:id": "/items/{id}",
  "/a/:b/c/:d_e": "/a/{b}/c/{d_e}",
  "/a/:b?": "/a/{b}",
  "items/:id": "/items/{id}",
  "/users/<id>/x": "/users/{id}/x",
  "/users/<int:id>": "/users/{id}",
  "/users/[id]/[...rest]": "/users/{id}/{rest}",
  "/a/:b?q=:c": "/a/{b}?q=:c",
  // These are right as they are.
  "/": "/",
  "/things:batchGet": "/things:batchGet",
  "/{name}:cancel": "/{name}:cancel",
  "/a/:": "/a/:",
  "/a/<b": "/a/<b",
  "/a/{b}#c/:d": "/a/{b}#c/:d",
};

for (const [path, meant] of Object.entries(MEANT)) {
  Deno.test(`pathMeant() reads ${path} as ${meant}`, () => assert.equal(pathMeant(path), meant));
}

const OPERATION = "{get: {responses: {200: {description: A}}}}";

const CASES: Readonly<Record<string, { rest: string; mock: string[]; validate: string[] }>> = {
  "a path without its slash": {
    rest: `paths: {/a: ${OPERATION}, b: ${OPERATION}}`,
    mock: ["bad-path warning 3: The path `b` matches no request. Write `/b`."],
    validate: ["bad-path error 3: The path `b` must start with `/`: write `/b`."],
  },
  "a parameter of another program": {
    rest: `paths:\n  /a/:b: ${OPERATION}`,
    mock: [
      "bad-path warning 4: The path `/a/:b` has no parameter: a request must have it to the letter. For a " +
      "parameter, write `/a/{b}`.",
    ],
    validate: [
      "bad-path warning 4: The path `/a/:b` has no parameter: a request must have it to the letter. For a " +
      "parameter, write `/a/{b}`.",
    ],
  },
  "no path": {
    rest: "paths: {}",
    mock: [
      "missing-paths warning 3: The definition has no operation, so that no request can be answered. Write one, " +
      "such as `/pets: {get: {responses: {}}}`.",
    ],
    validate: [
      "missing-paths warning 3: The definition has no operation, so that no request can be answered. Write " +
      "one, such as `/pets: {get: {responses: {}}}`.",
    ],
  },
  "a method in upper case": {
    rest: "paths: {/a: {GET: {}}}",
    mock: [
      "missing-paths warning 3: The definition has no operation, so that no request can be answered. `GET` is " +
      "written `get`.",
    ],
    validate: [],
  },
  "components for other definitions": {
    rest: "paths: {}\ncomponents: {}",
    mock: [
      "missing-paths warning 3: The definition has no operation, so that no request can be answered. Write one, " +
      "such as `/pets: {get: {responses: {}}}`.",
    ],
    validate: [],
  },
  "webhooks only": { rest: `paths: {}\nwebhooks: {a: ${OPERATION}}`, mock: [], validate: [] },
};

for (const [name, { rest, mock, validate }] of Object.entries(CASES)) {
  Deno.test(`gw mock and gw validate say of ${name} what was meant`, async () => {
    const document = await parseDocument(`openapi: 3.1.0\ninfo: {title: T, version: "1"}\n${rest}\n`);
    const lineOf = (pointer: string): number =>
      document.root.source.text().slice(
        0,
        document.root.source.locate([
          { pointer, atKey: true },
        ])[0],
      ).split("\n").length;
    const mocked = await checkMockable([document], { asGateway: false });
    assert.deepEqual(mocked.map((d) => `${d.code} ${d.severity} ${lineOf(d.pointer)}: ${d.message}`), mock);
    const validated = (await validateDocument(document)).filter(({ code }) => /-paths?$/.test(code));
    assert.deepEqual(validated.map((d) => `${d.code} ${d.severity} ${d.line}: ${d.message}`), validate);
  });
}

Deno.test("gw validate finds the merge keys of every text, and nothing that only looks like one", async () => {
  const texts: Record<string, string> = {
    "file:///a.yaml": `openapi: 3.1.0
info: {title: T, version: "1", description: "<<: no key", "<<": &x {x-a: 1}}
paths:
  /a:
    get:
      responses: &common
        "200": {description: "<<"}
    post:
      responses:
        <<: *common
        "201": {$ref: b.yaml}
x-list: [{<<: {x-b: 1}}, "<<"]
`,
    "file:///b.yaml": "x-x: &x {x-y: 1}\n<<: *x\ndescription: B\n",
  };
  const bytes = (uri: string): Uint8Array => new TextEncoder().encode(texts[uri]);
  const load = (uri: string): Promise<Uint8Array> => Promise.resolve(bytes(uri));
  const document = await parseDocument(bytes("file:///a.yaml"), { uri: "file:///a.yaml", load });
  const found = (await validateDocument(document)).filter(({ code }) => code === "merge-key");
  const places = found.map(({ uri, line, column }) => `${uri.slice(8)}:${line}:${column}`);
  assert.deepEqual(places, ["a.yaml:10:9", "a.yaml:12:11", "b.yaml:2:1"]);
});
