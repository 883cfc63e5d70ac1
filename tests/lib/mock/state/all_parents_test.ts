import assert from "node:assert/strict";
import { createStateClient } from "./state_client.ts";

/** Orders are one resource below users, although some of its paths don't have the user. */
const SHOP = `
openapi: 3.1.0
info: {title: Shop, version: "1.0"}
paths:
  /users:
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}
      responses: {"201": {description: The user, content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}}
  /users/{userId}:
    parameters: [{name: userId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: A user, content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}}}}
    delete: {responses: {"204": {description: Deleted}}}
  /users/{userId}/orders:
    parameters: [{name: userId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: Orders, content: {application/json: {schema: {$ref: "#/components/schemas/Orders"}}}}}}
  /orders:
    get:
      parameters: [{name: userId, in: query, schema: {type: integer}}, {name: status, in: query, schema: {type: string}}]
      responses: {"200": {description: Orders, content: {application/json: {schema: {$ref: "#/components/schemas/Orders"}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
      responses: {"201": {description: The order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}}
  /orders/{orderId}:
    parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: An order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}}}
    patch:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
      responses: {"200": {description: The order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}}
    delete: {responses: {"204": {description: Deleted}}}
components:
  schemas:
    User: {type: object, required: [id], properties: {id: {type: integer, readOnly: true}, name: {type: string}}}
    Order:
      type: object
      required: [id, userId]
      properties: {id: {type: integer, readOnly: true}, userId: {type: integer}, status: {type: string}}
    Orders: {type: array, items: {$ref: "#/components/schemas/Order"}}
`;

/** Requests in turn, with the ids of the listed orders, or the status of the answer. */
const STEPS: readonly { line: string; body?: unknown; want: number | readonly number[] }[] = [
  { line: "GET /orders", want: [] },
  { line: "POST /users", body: { name: "Ann" }, want: 201 },
  { line: "POST /users", body: { name: "Bob" }, want: 201 },
  { line: "POST /orders", body: { userId: 2, status: "open" }, want: 201 },
  { line: "POST /orders", body: { userId: 1, status: "open" }, want: 201 },
  { line: "POST /orders", body: { userId: 2, status: "paid" }, want: 201 },
  { line: "GET /orders", want: [1, 2, 3] },
  { line: "GET /orders?userId=2", want: [1, 3] },
  { line: "GET /users/2/orders", want: [1, 3] },
  { line: "GET /orders?status=open", want: [1, 2] },
  { line: "PATCH /orders/1", body: { status: "paid" }, want: 200 },
  { line: "GET /orders?status=paid", want: [1, 3] },
  { line: "DELETE /orders/3", want: 204 },
  { line: "GET /orders/3", want: 404 },
  { line: "GET /orders", want: [1, 2] },
  { line: "DELETE /users/2", want: 204 },
  { line: "GET /orders", want: [2] },
  { line: "GET /orders/1", want: 404 },
  { line: "POST /orders", body: { userId: 1 }, want: 201 },
  { line: "GET /orders", want: [2, 4] },
];

Deno.test("reads without the parent see each change of the items of all parents", async () => {
  const client = await createStateClient(SHOP);
  for (const { line, body, want } of STEPS) {
    const seen = await client.ask(line, body);
    assert.deepEqual(
      typeof want === "number" ? seen.status : seen.body.map(({ id }: { id: number }) => id),
      want,
      line,
    );
  }
});
