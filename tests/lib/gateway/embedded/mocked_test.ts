/** Mocked operations: the embedded gateway sends the same bytes as `gw mock --as-gateway --no-cors`. */
import assert from "node:assert/strict";
import { createMock } from "../../../../lib/mock/mock.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { ask, plan } from "./fleet.ts";

const todo = await Deno.readTextFile(new URL("../../../data/todo.yaml", import.meta.url));
const mocked = todo.replace(/^x-svc:$/m, "x-svc:\n  mocking: {enabled: true}");

const TEMPLATED = `
openapi: 3.1.0
info: {title: Pets, version: "1"}
x-svc: {mocking: {enabled: true}}
paths:
  /pets/{petId}:
    get:
      parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
      responses:
        "200":
          description: A pet.
          headers: {X-Rate: {schema: {type: integer}, example: 5}}
          content:
            application/json: {schema: {type: object}, example: {name: Tom}}
            application/xml: {schema: {type: object}, example: {name: Tom}}
            text/csv: {schema: {type: string}}
    delete: {responses: {"204": {description: Gone.}}}
    patch:
      x-svc: {mocking: {enabled: true, generate: true}}
      responses: {"200": {description: A pet., content: {application/json: {schema: {type: object, required: [n], properties: {n: {type: string, minLength: 3}}}}}}}
    put: {responses: {default: {description: Who knows.}}}
`;

const accepts = [
  undefined,
  "*/*",
  "application/xml",
  "application/json;q=0.1, application/xml;q=0.9",
  "text/csv",
  "image/png",
  "application/json;q=0, */*;q=0.1",
];

Deno.test("a mocked operation is answered as gw mock --as-gateway answers it", async (t) => {
  for (
    const [name, text, paths] of [["todo", mocked, ["/todos", "/todos/1"]], ["templates", TEMPLATED, [
      "/pets/7",
    ]]] as const
  ) {
    const plans = [await plan(text)];
    const mock = createMock(await parseDocument(text), { asGateway: true, cors: false });
    for (const path of paths) {
      for (const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]) {
        for (const accept of accepts) {
          await t.step(`${name}: ${method} ${path} Accept: ${accept}`, async () => {
            const init = { method, headers: { prefer: "code=404", ...(accept === undefined ? {} : { accept }) } };
            const want = await mock(new Request(`http://h${path}`, init));
            const { response } = await ask(plans, `http://h${path}`, init);
            assert.equal(response.status, want.status);
            assert.deepEqual([...response.headers], [...want.headers]);
            if (want.status !== 405) assert.deepEqual(await response.bytes(), await want.bytes());
          });
        }
      }
    }
  }
});

Deno.test("mocked templated paths are found, and tell that they are mocked", async () => {
  const { response, source } = await ask([await plan(TEMPLATED)], "http://h/pets/42");
  assert.equal(response.status, 200);
  assert.equal(response.headers.get("x-svc-mocked"), "true");
  assert.deepEqual(await response.json(), { name: "Tom" });
  assert.equal(source, "example");
});

Deno.test("the definition is served without its extensions", async () => {
  const text = TEMPLATED.replace("x-svc: {mocking", "x-svc: {public_api_path: /public/api.json, mocking")
    .replace("info: {", "info: {summary: 9007199254740993, ");
  const { response, source } = await ask([await plan(text)], "http://h/public/api.json");
  assert.equal(response.headers.get("content-type"), "application/json");
  assert.equal(source, "definition");
  const served = await response.text();
  assert.doesNotMatch(served, /x-svc/);
  assert.match(served, /9007199254740993/);
  const document = await parseDocument(served);
  assert.deepEqual(document.diagnostics, []);
  assert.deepEqual(Object.keys(JSON.parse(served).paths), ["/pets/{petId}"]);
});
