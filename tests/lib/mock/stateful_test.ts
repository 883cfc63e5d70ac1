import assert from "node:assert/strict";
import { createResponder } from "../../../lib/mock/responder.ts";
import type { MockOptions } from "../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

const PETS = `
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      responses:
        "200":
          description: Pets.
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Pet"}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses:
        "201":
          description: The new pet.
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
    get:
      responses:
        "200":
          description: A pet.
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}, examples: {tom: {value: {id: "1", name: Tom}}}}}
        "404": {description: No such pet.}
    delete:
      responses: {"204": {description: Deleted.}}
components:
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties: {id: {type: string, readOnly: true}, name: {type: string}}
`;

/** Sends a request to a mock server. */
type Client = (method: string, target: string, init?: RequestInit) => Promise<Response>;

async function startClient(definition: string, options: MockOptions): Promise<Client> {
  const respond = await createResponder([await parseDocument(definition)], options);
  return async (method, target, init = {}) =>
    (await respond(new Request(`http://localhost${target}`, { method, ...init }))).response;
}

function json(value: unknown, headers: Record<string, string> = {}): RequestInit {
  return { body: JSON.stringify(value), headers: { "content-type": "application/json", ...headers } };
}

const STATEFUL: MockOptions = { stateful: true, control: true };

Deno.test("a created item can be read, and is gone after its deletion", async () => {
  const send = await startClient(PETS, STATEFUL);
  const created = await send("POST", "/pets", json({ name: "Rex" }));
  assert.equal(created.status, 201);
  const pet = await created.json();
  assert.equal(pet.name, "Rex");
  assert.deepEqual(await (await send("GET", `/pets/${pet.id}`)).json(), pet);
  assert.equal((await send("DELETE", `/pets/${pet.id}`)).status, 204);
  assert.equal((await send("GET", `/pets/${pet.id}`)).status, 404);
});

const UNREADABLE: readonly { name: string; init: () => RequestInit; status: number }[] = [
  { name: "malformed JSON", init: () => ({ ...json(0), body: '{"name": ' }), status: 400 },
  { name: "deep JSON", init: () => ({ ...json(0), body: "[".repeat(1000) + "]".repeat(1000) }), status: 400 },
  { name: "more than 16 MiB", init: () => ({ ...json(0), body: `"${"x".repeat(17 << 20)}"` }), status: 413 },
  { name: "too many values", init: () => ({ ...json(0), body: `[${"0,".repeat(300_000)}0]` }), status: 413 },
  { name: "not in its coding", init: () => json({ name: "Kit" }, { "content-encoding": "gzip" }), status: 400 },
  { name: "an unknown coding", init: () => json({ name: "Kit" }, { "content-encoding": "zip" }), status: 415 },
  { name: "broken off", init: () => ({ ...json(0), body: brokenStream() }), status: 400 },
];

for (const { name, init, status } of UNREADABLE) {
  Deno.test(`an unreadable body changes nothing: ${name}`, async () => {
    const update =
      "    put: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}, " +
      "responses: {'200': {$ref: '#/components/responses/Pet'}}}\n    delete:";
    const response = "components:\n  responses: {Pet: {description: A pet, content: {application/json: {schema: " +
      "{$ref: '#/components/schemas/Pet'}}}}}";
    const send = await startClient(PETS.replace("    delete:", update).replace("components:", response), STATEFUL);
    const before = await (await send("GET", "/pets")).text();
    const [{ id }] = JSON.parse(before);
    for (const line of ["POST /pets", `PUT /pets/${id}`]) {
      const [method = "", target = ""] = line.split(" ");
      assert.equal((await send(method, target, init())).status, status, line);
    }
    assert.equal(await (await send("GET", "/pets")).text(), before);
  });
}

function brokenStream(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.error(new Error("The client has gone.")) });
}

Deno.test("sessions don't share their items", async () => {
  const send = await startClient(PETS, STATEFUL);
  const pet = await (await send("POST", "/pets", json({ name: "Rex" }, { "x-gw-session": "a" }))).json();
  const cases: [target: string, session: string | undefined, want: number][] = [
    [`/pets/${pet.id}`, "a", 200],
    [`/_gw/s/a/pets/${pet.id}`, undefined, 200],
    [`/_gw/s/a/pets/${pet.id}`, "a", 200],
    [`/pets/${pet.id}`, "b", 404],
    [`/pets/${pet.id}`, undefined, 404],
    [`/_gw/s/b/pets/${pet.id}`, undefined, 404],
    [`/_gw/s/b/pets/${pet.id}`, "a", 400],
    [`/pets/${pet.id}`, "no name", 400],
    ["/_gw/s//pets", undefined, 400],
    [`/_gw/s/${"n".repeat(129)}/pets`, undefined, 400],
  ];
  for (const [target, session, want] of cases) {
    const headers: Record<string, string> = session === undefined ? {} : { "x-gw-session": session };
    assert.equal((await send("GET", target, { headers })).status, want, `${target} ${session}`);
  }
});

Deno.test("Location keeps the base path of the session", async () => {
  const send = await startClient(`${PETS}\nservers: [{url: /v1}]`, STATEFUL);
  for (const base of ["", "/v1", "/_gw/s/a", "/_gw/s/a/v1"]) {
    const created = await send("POST", `${base}/pets`, json({ name: "Rex" }));
    const pet = await created.json();
    assert.equal(created.headers.get("location"), `${base}/pets/${pet.id}`);
  }
});

Deno.test("preferences take precedence over the state", async () => {
  const send = await startClient(PETS, STATEFUL);
  const response = await send("GET", "/pets/none", { headers: { prefer: "example=tom" } });
  assert.deepEqual(await response.json(), { id: "1", name: "Tom" });
});

Deno.test("array-size takes the first items of the state, and other preferences don't change its answers", async () => {
  const send = await startClient(PETS, STATEFUL);
  const all = await (await send("GET", "/pets")).json();
  for (const [size, want] of [[2, all.slice(0, 2)], [0, []], [50, all]] as const) {
    const response = await send("GET", "/pets", { headers: { prefer: `array-size=${size}` } });
    assert.deepEqual(await response.json(), want);
    assert.equal(response.headers.get("preference-applied"), `array-size=${size}`);
    assert.deepEqual(await (await send("GET", `/pets?__array-size=${size}`)).json(), want);
  }
  const { id } = all[0];
  for (const prefer of ["array-size=5", "seed=7", "dynamic=false"]) {
    const response = await send("GET", `/pets/${id}`, { headers: { prefer } });
    assert.deepEqual(await response.json(), all[0]);
    assert.equal(response.headers.get("preference-applied"), null);
  }
});

Deno.test("state takes precedence over an example that a parameter's example selects", async () => {
  const named = PETS.replace("schema: {type: string}}]", 'schema: {type: string}, examples: {tom: {value: "1"}}}]');
  const send = await startClient(named, STATEFUL);
  assert.equal((await send("DELETE", "/pets/1")).status, 204);
  assert.equal((await send("GET", "/pets/1")).status, 404);
});

Deno.test("rules take precedence over preferences and state", async () => {
  const rules = [{ operation: "GET /pets/{petId}", status: 503, times: 1 }, {
    operation: "GET /pets",
    headers: { "x-a": "b" },
  }];
  const send = await startClient(PETS, { ...STATEFUL, rules });
  const prefer = { headers: { prefer: "example=tom" } };
  assert.equal((await send("GET", "/pets/none", prefer)).status, 503);
  assert.equal((await send("GET", "/pets/none", prefer)).status, 200);
  assert.equal((await send("GET", "/pets/none")).status, 404);
  const list = await send("GET", "/pets");
  assert.deepEqual([list.status, list.headers.get("x-a")], [200, "b"]);
});

Deno.test("an operation is stateless by default", async () => {
  const cases: [definition: string, options: MockOptions, want: number][] = [
    [PETS, { control: true }, 200],
    [PETS, STATEFUL, 404],
    [`${PETS}\nx-svc: {mocking: {stateful: true}}`, {}, 404],
    [`${PETS}\nx-svc: {mocking: {stateful: false}}`, STATEFUL, 200],
    [PETS.replace("    get:", "    x-svc: {mocking: {stateful: true}}\n    get:"), {}, 200],
    [PETS.replace("/{petId}:", "/{petId}:\n    x-svc: {mocking: {stateful: true}}"), {}, 404],
  ];
  for (const [definition, options, want] of cases) {
    const send = await startClient(definition, options);
    assert.equal((await send("GET", "/pets/none")).status, want);
  }
});

Deno.test("a server without sessions ignores the session header", async () => {
  for (const options of [{}, { asGateway: true, control: true }]) {
    const send = await startClient(`${PETS}\nx-svc: {mocking: {enabled: true}}`, options);
    const response = await send("GET", "/pets/1", { headers: { "x-gw-session": "no name" } });
    assert.equal(response.status, 200);
  }
});
