import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import { createHandlerContext } from "../../../../lib/mock/operation/operation_handler.ts";
import { createInitialStates } from "../../../../lib/mock/state/store/initial_states.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { createStateClient, type StateClient, type StateClientOptions } from "./state_client.ts";

/** A definition whose orders have a path of their own, and a path below their user. */
export const SHOP = `
openapi: 3.1.0
info: {title: Shop, version: 1.0.0}
paths:
  /users: {get: {responses: {"200": {$ref: "#/components/responses/Users"}}}}
  /users/{userId}:
    get: {responses: {"200": {$ref: "#/components/responses/User"}}}
    delete: {responses: {"204": {description: Deleted}}}
  /users/{userId}/orders: {$ref: "#/components/pathItems/Orders"}
  /users/{userId}/orders/{orderId}: {$ref: "#/components/pathItems/Order"}
  /orders: {$ref: "#/components/pathItems/Orders"}
  /orders/{orderId}: {$ref: "#/components/pathItems/Order"}
  /orders/{orderId}/lines:
    get: {responses: {"200": {$ref: "#/components/responses/Lines"}}}
    post: {requestBody: {$ref: "#/components/requestBodies/Line"}, responses: {"201": {$ref: "#/components/responses/Line"}}}
  /orders/{orderId}/lines/{lineId}: {get: {responses: {"200": {$ref: "#/components/responses/Line"}}}}
  /payments: {get: {responses: {"200": {$ref: "#/components/responses/Payments"}}}}
  /payments/{paymentId}: {get: {responses: {"200": {$ref: "#/components/responses/Payment"}}}}
components:
  pathItems:
    Orders:
      get:
        parameters: [{name: userId, in: query, schema: {type: integer}}]
        responses: {"200": {$ref: "#/components/responses/Orders"}}
      post: {requestBody: {$ref: "#/components/requestBodies/Order"}, responses: {"201": {$ref: "#/components/responses/Order"}}}
    Order:
      get: {responses: {"200": {$ref: "#/components/responses/Order"}}}
      put: {requestBody: {$ref: "#/components/requestBodies/Order"}, responses: {"200": {$ref: "#/components/responses/Order"}}}
      patch: {requestBody: {$ref: "#/components/requestBodies/Order"}, responses: {"200": {$ref: "#/components/responses/Order"}}}
      delete: {responses: {"204": {description: Deleted}}}
  requestBodies:
    Order: {content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
    Line: {content: {application/json: {schema: {$ref: "#/components/schemas/Line"}}}}
  responses:
${
  ["User", "Order", "Line", "Payment"].map((name) => `
    ${name}: {description: One, content: {application/json: {schema: {$ref: "#/components/schemas/${name}"}}}}
    ${name}s: {description: Many, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/${name}"}}}}}
`).join("")
}
  schemas:
    User: {type: object, required: [id, name], properties: {id: {type: integer}, name: {type: string}}}
    Order:
      type: object
      required: [id, userId]
      properties: {id: {type: integer}, userId: {type: integer}, note: {type: string}}
    Line: {type: object, required: [id, text], properties: {id: {type: integer}, text: {type: string}}}
    Payment: {type: object, required: [id, orderId], properties: {id: {type: integer}, orderId: {type: integer}}}
`;

/** Makes a client of the shop with the initial items that a server would have. */
export async function createShopClient(
  definition = SHOP,
  { limits = {} }: Pick<StateClientOptions, "limits"> = {},
): Promise<StateClient> {
  const document = await parseDocument(definition);
  const handlers = createHandlerContext();
  const initial = createInitialStates(inferResources([document]), handlers)(0);
  return await createStateClient(definition, { initial, handlers, limits });
}

export async function idsAt(client: StateClient, path: string): Promise<number[]> {
  const { body } = await client.ask(`GET ${path}`);
  return (body as { id: number }[]).map(({ id }) => id);
}
