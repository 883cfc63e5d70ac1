import assert from "node:assert/strict";
import { createStateClient } from "../state_client.ts";

/** A definition whose response to a create has more fields than that to a read. */
function limits(read: string): string {
  const json = (name: string): string =>
    `content: {application/json: {schema: {$ref: "#/components/schemas/${name}"}}}`;
  return `
openapi: 3.1.0
info: {title: Limits, version: "1"}
paths:
  /limits:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {type: string}, denied: {type: integer}, secret: {type: string}}}}}}
      responses: {"201": {description: Made, ${json("Made")}}}
  /limits/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string, format: uuid}}]
    get: {responses: {"200": {description: One, ${json("Limit")}}}}
    patch:
      requestBody: {${json("Made")}}
      responses: {"200": {description: One, ${json("Made")}}}
    delete: {responses: {"204": {description: Gone}}}
components:
  schemas:
    Limit: {type: object, required: [id, name], ${read}properties: {id: {type: string, format: uuid}, name: {type: string}}}
    Made:
      type: object
      required: [name]
      properties: {id: {type: string, format: uuid}, name: {type: string}, denied: {type: integer, default: 0}, average: {type: number, default: 2}}
`;
}

Deno.test("a field that any response shows is kept, with its default, and shown where it is declared", async () => {
  const client = await createStateClient(limits(""));
  const { body } = await client.ask("POST /limits", { name: "a", denied: 3, secret: "x" });
  assert.deepEqual(body, { id: body.id, name: "a", denied: 3, average: 2 });
  assert.deepEqual((await client.ask(`GET /limits/${body.id}`)).body, { id: body.id, name: "a" });
  assert.equal((await client.ask(`PATCH /limits/${body.id}`, { average: 5 })).body.denied, 3);
  const { body: other } = await client.ask("POST /limits", { name: "b" });
  assert.deepEqual([other.denied, other.average], [0, 2]);
});

Deno.test("a field that the items' schema forbids isn't kept", async () => {
  const client = await createStateClient(limits("additionalProperties: false, "));
  const { body } = await client.ask("POST /limits", { name: "a", denied: 3 });
  assert.equal(body.name, "a");
  assert.deepEqual((await client.ask(`GET /limits/${body.id}`)).body, { id: body.id, name: "a" });
});
