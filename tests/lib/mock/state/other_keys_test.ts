import assert from "node:assert/strict";
import { createStateClient } from "./state_client.ts";

/** A definition of things with a path for an item, and another that reads items by another key. */
function things(member: string, other = "/things/by-slug/{slug}"): string {
  const parameterOf = (path: string): string => /\{([^}]+)\}/.exec(path)?.[1] ?? "";
  return `
openapi: 3.1.0
info: {title: Things, version: 1.0.0}
paths:
  /things:
    get: {responses: {"200": {description: All., content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Thing"}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
      responses: {"201": {description: Made., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}
  ${other}:
    parameters: [{name: ${parameterOf(other)}, in: path, required: true, schema: {type: string}}]
    get: {responses: {"200": {description: One., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}}
  ${member}:
    parameters: [{name: ${parameterOf(member)}, in: path, required: true, schema: {type: string}}]
    get: {responses: {"200": {description: One., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}}
    patch:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}
      responses: {"200": {description: One., content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}
    delete: {responses: {"204": {description: Gone.}}}
components:
  schemas:
    Thing:
      type: object
      required: [id, name]
      properties: {id: {type: string, format: uuid, readOnly: true}, name: {type: string}, slug: {type: string}}
`;
}

for (const parameter of ["id_or_name", "idOrName", "thing_id_or_name", "name-or-id"]) {
  Deno.test(`{${parameter}} is the id or the name of an item`, async () => {
    const client = await createStateClient(things(`/things/{${parameter}}`));
    const { body: amber, headers } = await client.ask("POST /things", { name: "amber" });
    await client.ask("POST /things", { name: "birch" });
    assert.equal(headers.get("location"), `/things/${amber.id}`);
    for (const key of [amber.id, "amber"]) assert.deepEqual((await client.ask(`GET /things/${key}`)).body, amber);
    assert.equal((await client.ask("GET /things/unknown")).status, 404);
    assert.equal((await client.ask("PATCH /things/amber", { name: "ash" })).body.id, amber.id);
    assert.equal((await client.ask("GET /things/amber")).status, 404);
    assert.equal((await client.ask("DELETE /things/ash")).status, 204);
    assert.equal((await client.ask(`GET /things/${amber.id}`)).status, 404);
  });
}

for (
  const [other, property] of [
    ["/things/name/{name}", "name"],
    ["/things/by-slug/{slug}", "slug"],
    ["/things/by_name/{thingName}", "name"],
    ["/things/slug/{value}", "slug"],
  ] as const
) {
  Deno.test(`GET ${other} reads the item with this ${property}`, async () => {
    const client = await createStateClient(things("/things/{id}", other));
    const ask = (value: string) => client.ask(`GET ${other.replace(/\{.*\}/, value)}`);
    const { body: amber } = await client.ask("POST /things", { name: "amber", slug: "amber" });
    assert.deepEqual((await ask("amber")).body, amber);
    const { body: newer } = await client.ask("POST /things", { name: "amber", slug: "amber" });
    assert.deepEqual((await ask("amber")).body, newer);
    assert.equal((await ask(amber.id)).status, 404);
    await client.ask(`DELETE /things/${newer.id}`);
    await client.ask(`PATCH /things/${amber.id}`, { name: "birch", slug: "birch" });
    assert.equal((await ask("amber")).status, 404);
    assert.equal((await ask("birch")).body.id, amber.id);
  });
}

Deno.test("a path with another key changes and deletes the item too", async () => {
  const thing = `{content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}`;
  const more = `    patch:
      requestBody: ${thing}
      responses: {"200": {description: One., ${thing.slice(1)}}
    put:
      requestBody: ${thing}
      responses: {"201": {description: One., ${thing.slice(1)}}
    delete: {responses: {"204": {description: Gone.}}}
  /things/{id}:`;
  const client = await createStateClient(
    things("/things/{id}", "/things/name/{name}").replace("  /things/{id}:", more),
  );
  const { body: { id } } = await client.ask("POST /things", { name: "amber" });
  assert.equal((await client.ask("PATCH /things/name/amber", { slug: "a" })).body.id, id);
  assert.deepEqual((await client.ask("PUT /things/name/amber", { name: "birch" })).body, { id, name: "birch" });
  assert.equal((await client.ask("PUT /things/name/amber", { name: "amber" })).status, 404);
  assert.equal((await client.ask("DELETE /things/name/birch")).status, 204);
  assert.equal((await client.ask(`GET /things/${id}`)).status, 404);
});

for (const path of ["/things/{name}/latest", "/things/{slug}/newest", "/things/{thingSlug}/most-recent"]) {
  Deno.test(`GET ${path} reads the newest item with this property`, async () => {
    const client = await createStateClient(things("/things/{id}", path));
    const ask = (value: string) => client.ask(`GET ${path.replace(/\{.*\}/, value)}`);
    await client.ask("POST /things", { name: "amber", slug: "amber" });
    const { body: newer } = await client.ask("POST /things", { name: "amber", slug: "amber" });
    await client.ask("POST /things", { name: "birch", slug: "birch" });
    assert.deepEqual((await ask("amber")).body, newer);
    assert.equal((await ask("cedar")).status, 404);
  });
}

Deno.test("GET /things/latest reads the newest item", async () => {
  const client = await createStateClient(
    things("/things/{id}", "/things/latest").replace(/ {4}parameters: \[\{name: , .*\n/, ""),
  );
  assert.equal((await client.ask("GET /things/latest")).status, 404);
  const { body } = await client.ask("POST /things", { name: "amber" });
  assert.deepEqual((await client.ask("GET /things/latest")).body, body);
  await client.ask(`DELETE /things/${body.id}`);
  assert.equal((await client.ask("GET /things/latest")).status, 404);
});

Deno.test("the newest version of an item isn't an item of the collection", async () => {
  const client = await createStateClient(things("/things/{id}", "/things/{thingId}/latest"));
  await assert.rejects(client.ask("GET /things/1/latest"), /is not bound/);
});

Deno.test("a path whose literal names no property of the items isn't bound", async () => {
  const client = await createStateClient(things("/things/{id}", "/things/suggestions/{name}"));
  await assert.rejects(client.ask("GET /things/suggestions/amber"), /is not bound/);
});
