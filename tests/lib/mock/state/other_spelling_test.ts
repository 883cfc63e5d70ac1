import assert from "node:assert/strict";
import { createStateClient } from "./state_client.ts";

/** A definition whose requests spell the properties of an item in their own way. */
function people(sent: Record<string, unknown>, shown: Record<string, unknown>): Record<string, unknown> {
  const person = { type: "object", required: ["id"], properties: { id: { type: "integer" }, ...shown } };
  const requestBody = { content: { "application/json": { schema: { type: "object", properties: sent } } } };
  const response = { description: "A person", content: { "application/json": { schema: person } } };
  return {
    openapi: "3.1.0",
    info: { title: "People", version: "1" },
    paths: {
      "/people": {
        get: {
          responses: {
            "200": {
              description: "All",
              content: { "application/json": { schema: { type: "array", items: person } } },
            },
          },
        },
        post: { requestBody, responses: { "201": response } },
      },
      "/people/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        get: { responses: { "200": response } },
        post: { requestBody, responses: { "200": response } },
        put: { requestBody, responses: { "200": response } },
      },
    },
  };
}

const text = { type: "string" };

const CASES: { title: string; sent: string[]; shown: string[]; body: unknown; want: unknown }[] = [
  {
    title: "capitals in the request, underscores in the item",
    sent: ["FriendlyName", "Email"],
    shown: ["friendly_name", "email"],
    body: { FriendlyName: "Acme", Email: "a@example.com" },
    want: { friendly_name: "Acme", email: "a@example.com" },
  },
  {
    title: "underscores in the request, a small first letter in the item",
    sent: ["first_name"],
    shown: ["firstName"],
    body: { first_name: "Ada" },
    want: { firstName: "Ada" },
  },
  {
    title: "a name that the item has as it is stays, beside one like it",
    sent: ["petName", "pet_name"],
    shown: ["petName", "pet_name"],
    body: { petName: "a", pet_name: "b" },
    want: { petName: "a", pet_name: "b" },
  },
  {
    title: "a name like two of the item's is neither",
    sent: ["PetName"],
    shown: ["petName", "pet_name"],
    body: { PetName: "a" },
    want: {},
  },
  {
    title: "the item's own spelling counts where both are sent",
    sent: ["Name", "name"],
    shown: ["name"],
    body: { Name: "a", name: "b" },
    want: { name: "b" },
  },
];

for (const { title, sent, shown, body, want } of CASES) {
  const object = (names: string[]) => Object.fromEntries(names.map((name) => [name, text]));

  Deno.test(`fields in another spelling are kept: ${title}`, async () => {
    const client = await createStateClient(people(object(sent), object(shown)));
    const { body: { id, ...made } } = await client.ask("POST /people", body);
    assert.deepEqual({ ...made, ...want as object }, made);
    assert.equal(shown.some((name) => made[name] === "a" && (want as Record<string, unknown>)[name] !== "a"), false);
    assert.deepEqual((await client.ask(`GET /people/${id}`)).body, { id, ...made });
  });

  Deno.test(`fields in another spelling are changed by PUT and POST: ${title}`, async () => {
    const client = await createStateClient(people(object(sent), object(shown)));
    const { body: { id } } = await client.ask("POST /people", {});
    for (const method of ["POST", "PUT"]) {
      const { body: changed } = await client.ask(`${method} /people/${id}`, body);
      assert.deepEqual({ ...changed, ...want as object, id }, changed, method);
    }
  });
}
