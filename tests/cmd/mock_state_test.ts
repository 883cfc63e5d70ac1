import assert from "node:assert/strict";
import { createFolder } from "./definitions.ts";
import { runGw, type Running, startGw } from "./process.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get: {responses: {"200": {description: Pets, content: {application/json: {
      schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}, example: [{id: 1, name: Rex}, {id: 2, name: Ivy}]}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses: {"201": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}
  /pets/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: A pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}}}
    delete: {responses: {"204": {description: Deleted.}}}
components:
  schemas:
    Pet: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, name: {type: string}}}
`;

const ARGS = ["mock", "pets.yaml", "--stateful", "--items", "2", "--state", "state.json"];

async function petFolder(): ReturnType<typeof createFolder> {
  const folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/pets.yaml`, PETS);
  return folder;
}

async function ask(gw: Running, path: string, init?: RequestInit): Promise<unknown> {
  const response = await fetch(`${gw.url}${path}`, init);
  const text = await response.text();
  return text === "" ? response.status : JSON.parse(text);
}

function create(gw: Running, name: string): Promise<unknown> {
  return ask(gw, "/pets", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
}

Deno.test("gw mock --state keeps what clients changed over restarts", async () => {
  await using folder = await petFolder();
  {
    await using gw = await startGw({ args: ARGS, cwd: folder.path });
    assert.deepEqual(await create(gw, "Tom"), { id: 3, name: "Tom" });
    assert.equal(await ask(gw, "/pets/1", { method: "DELETE" }), 204);
    gw.signal("SIGTERM");
    assert.equal((await gw.ended).code, 0);
  }
  await using gw = await startGw({ args: ARGS, cwd: folder.path });
  assert.deepEqual(await ask(gw, "/pets"), [{ id: 2, name: "Ivy" }, { id: 3, name: "Tom" }]);
  for (const id of [2, 3]) await ask(gw, `/pets/${id}`, { method: "DELETE" });
  gw.signal("SIGTERM");
  await gw.ended;
  await using again = await startGw({ args: ARGS, cwd: folder.path });
  assert.deepEqual(await ask(again, "/pets"), []);
});

Deno.test("gw mock --stateful keeps its state over reloads of the definition", async () => {
  await using folder = await petFolder();
  await using gw = await startGw({ args: ["mock", "pets.yaml", "--stateful", "--items", "2"], cwd: folder.path });
  await create(gw, "Tom");
  await Deno.writeTextFile(
    `${folder.path}/pets.yaml`,
    PETS.replace("{id: 1, name: Rex}, ", "").replace("Deleted.", "Gone."),
  );
  await gw.until(/Reloaded/);
  assert.deepEqual(await ask(gw, "/pets/3"), { id: 3, name: "Tom" });
});

Deno.test("gw mock refuses a file that isn't a state, and leaves it alone", async () => {
  await using folder = await petFolder();
  await Deno.writeTextFile(`${folder.path}/state.json`, PETS);
  const { code, stderr } = await runGw({ args: ARGS, cwd: folder.path });
  assert.equal(code, 3);
  assert.match(stderr, /^Cannot take the state from state\.json: .* Remove the file to begin anew, or name another/m);
  assert.equal(await Deno.readTextFile(`${folder.path}/state.json`), PETS);
});
