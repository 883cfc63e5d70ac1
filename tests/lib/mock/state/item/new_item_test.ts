import assert from "node:assert/strict";
import { createMockServer } from "../../../../../lib/mock/server/create_mock_server.ts";
import { parseDocument } from "../../../../../lib/openapi/document.ts";
import { createStateClient } from "../state_client.ts";

const PRICES = `
openapi: 3.1.0
info: {title: Prices, version: 1.0.0}
paths:
  /prices:
    post:
      requestBody:
        content:
          application/json:
            schema: {type: object, properties: {amount: {type: integer}, labels: {}, nickname: {}, recurring: {type: object}}}
      responses:
        "201": {description: The price., content: {application/json: {schema: {$ref: "#/components/schemas/Price"}}}}
  /prices/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200": {description: The price., content: {application/json: {schema: {$ref: "#/components/schemas/Price"}}}}
components:
  schemas:
    Price:
      type: object
      required: [id, amount, labels, nickname]
      properties:
        id: {type: string}
        amount: {type: integer}
        labels: {type: array, items: {type: string, example: bug}}
        nickname: {type: [string, "null"]}
        recurring: {anyOf: [{$ref: "#/components/schemas/Recurring"}, {type: "null"}]}
    Recurring:
      type: object
      required: [interval, count]
      properties: {interval: {type: string, enum: [day, month]}, count: {type: integer}}
`;

Deno.test("a sent object without properties that the response requires is completed", async () => {
  const client = await createStateClient(PRICES);
  const { body } = await client.ask("POST /prices", { amount: 5, recurring: { interval: "month" } });
  assert.equal(body.recurring.interval, "month");
  assert.equal(typeof body.recurring.count, "number");
});

Deno.test("required fields that a client doesn't send are null or empty where the schema allows it", async () => {
  const client = await createStateClient(PRICES);
  const { body } = await client.ask("POST /prices", { amount: 5 });
  assert.deepEqual([body.labels, body.nickname], [[], null]);
});

Deno.test("a new item has no times of later events", async () => {
  const client = await createStateClient(PRICES.replaceAll(
    "recurring: {anyOf",
    [
      "doneAt: {type: string, format: date-time, readOnly: true}",
      "taken_on: {type: string, format: date, readOnly: true}",
      "createdAt: {type: string, format: date-time, readOnly: true}",
      "recurring: {anyOf",
    ].join("\n        "),
  ));
  const { body } = await client.ask("POST /prices", { amount: 5 });
  assert.deepEqual(Object.keys(body).filter((name) => /_on$|At$/.test(name)), ["createdAt"]);
});

Deno.test("a field that a client doesn't send has its default of the request's schema", async () => {
  const client = await createStateClient(
    PRICES.replace("amount: {type: integer}, labels", "amount: {type: integer, default: 3}, labels"),
  );
  assert.equal((await client.ask("POST /prices", {})).body.amount, 3);
  assert.equal((await client.ask("POST /prices", { amount: 5 })).body.amount, 5);
});

Deno.test("new items have the same generated fields after a reset", async () => {
  const server = await createMockServer(await parseDocument(PRICES));
  const create = async (): Promise<unknown> => {
    const init = { method: "POST", body: "{}", headers: { "content-type": "application/json" } };
    return await (await server.fetch(new Request("http://localhost/prices", init))).json();
  };
  const first = [await create(), await create()];
  server.reset();
  assert.deepEqual([await create(), await create()], first);
});
