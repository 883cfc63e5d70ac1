import assert from "node:assert/strict";
import { type MockApi, mockApiWith } from "../../adapters/shared/mock_api.ts";
import { parseDocument } from "../../mod.ts";

const PETS = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      responses:
        "200":
          description: Pets
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"201": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}}
components:
  schemas:
    Pet: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, name: {type: string}}}
`);

/** Runs the tests of a file as a test runner does, one after the other. */
async function runTests(makeTests: (api: MockApi) => (() => Promise<void>)[]): Promise<void> {
  const [starts, resets, ends]: [(() => Promise<void>)[], (() => void)[], (() => void)[]] = [[], [], []];
  const hooks = {
    beforeAll: (run: () => Promise<void>) => void starts.push(run),
    afterEach: (run: () => void) => void resets.push(run),
    afterAll: (run: () => void) => void ends.push(run),
  };
  const tests = makeTests(mockApiWith(hooks, PETS));
  for (const start of starts) await start();
  try {
    for (const test of tests) {
      await test();
      resets.forEach((reset) => reset());
    }
  } finally {
    ends.forEach((end) => end());
  }
}

Deno.test("mockApi() resets the sessions that requests have named", async () => {
  const headers = { "x-gw-session": "a", "content-type": "application/json" };
  const count = async (): Promise<number> => (await (await fetch("http://localhost/pets", { headers })).json()).length;
  await runTests(() => [
    async () => {
      await (await fetch("http://localhost/pets", { method: "POST", headers, body: '{"name": "Tom"}' })).body?.cancel();
      assert.equal(await count(), 4);
    },
    async () => assert.equal(await count(), 3),
  ]);
});
