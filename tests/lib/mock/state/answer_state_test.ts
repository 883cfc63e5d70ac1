import assert from "node:assert/strict";
import { createStateClient } from "./state_client.ts";

const PETS = `
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
      responses:
        "201":
          description: The new pet
          content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
        "409": {description: Taken, content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: integer}}]
    get:
      responses:
        "200": {description: Pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
        "404": {description: Unknown, content: {application/json: {schema: {$ref: "#/components/schemas/Error"}}}}
    put:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses:
        "200": {description: Pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
    patch:
      requestBody:
        content:
          application/merge-patch+json: {schema: {type: object}}
          application/json-patch+json: {schema: {type: array}}
      responses:
        "200": {description: Pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
    delete: {responses: {"204": {description: Gone}}}
components:
  schemas:
    Pet:
      type: object
      required: [id, name, createdAt]
      properties:
        id: {type: integer}
        name: {type: string, maxLength: 20}
        tag: {type: string}
        status: {type: string, enum: [available, sold], default: available}
        createdAt: {type: string, format: date-time, readOnly: true}
        updatedAt: {type: string, format: date-time, readOnly: true}
    Error: {type: object, required: [message], properties: {message: {type: string}}}
`;

Deno.test("answerFromState() reads, lists, changes and deletes what was created", async () => {
  const client = await createStateClient(PETS);
  assert.deepEqual((await client.ask("GET /pets")).body, []);

  const created = await client.ask("POST /pets", { name: "Tom", tag: "cat" });
  const tom = {
    id: 1,
    name: "Tom",
    tag: "cat",
    status: "available",
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  };
  assert.equal(created.status, 201);
  assert.equal(created.headers.get("location"), "/pets/1");
  assert.deepEqual(created.body, tom);
  assert.deepEqual((await client.ask("GET /pets/1")).body, tom);
  assert.deepEqual((await client.ask("GET /pets")).body, [tom]);

  client.time += 1000;
  const replaced = await client.ask("PUT /pets/1", { id: 1, name: "Tim", createdAt: "2020-01-01T00:00:00Z" });
  const { tag: _, ...others } = tom;
  assert.deepEqual(replaced.body, { ...others, name: "Tim", updatedAt: "2026-01-01T00:00:01Z" });

  client.time += 1000;
  const merged = await client.ask("PATCH /pets/1", JSON.stringify({ tag: "dog" }), {
    "content-type": "application/merge-patch+json",
  });
  assert.deepEqual(merged.body, { ...others, name: "Tim", tag: "dog", updatedAt: "2026-01-01T00:00:02Z" });

  const patched = await client.ask("PATCH /pets/1", JSON.stringify([{ op: "remove", path: "/tag" }]), {
    "content-type": "application/json-patch+json",
  });
  assert.equal(patched.body.tag, undefined);

  assert.equal((await client.ask("DELETE /pets/1")).status, 204);
  const gone = await client.ask("GET /pets/1");
  assert.equal(gone.status, 404);
  assert.deepEqual(gone.body, { message: 'There is no pets "1".' });
  assert.deepEqual((await client.ask("GET /pets")).body, []);
  assert.equal((await client.ask("DELETE /pets/1")).status, 404);
});
