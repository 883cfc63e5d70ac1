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

Deno.test("a path whose literal names no property of the items isn't bound", async () => {
  const client = await createStateClient(things("/things/{id}", "/things/suggestions/{name}"));
  await assert.rejects(client.ask("GET /things/suggestions/amber"), /is not bound/);
});
