import assert from "node:assert/strict";
import { inferResources } from "../../../../lib/mock/infer/infer_resources.ts";
import type { Binding, Resources } from "../../../../lib/mock/infer/resource.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { listOperations } from "../../../../lib/openapi/operation.ts";

type Json = Record<string, unknown>;

const object = (...names: string[]): Json => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
});
const list = (items: Json): Json => ({ type: "array", items });
const inside = (name: string, schema: Json): Json => ({ type: "object", properties: { [name]: schema } });
const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: Json): Json => ({ content: { "application/json": { schema } } });

/** An Operation Object with schemas for its response and its request. */
function operation(status: number | "2XX", response?: Json, body?: Json): Json {
  return {
    responses: { [status]: { description: "Fine", ...response === undefined ? {} : content(response) } },
    ...body === undefined ? {} : { requestBody: content(body) },
  };
}

const SCHEMAS = {
  Pet: object("id", "name", "tag"),
  Order: object("id", "userId", "status"),
  Comment: object("id", "text", "author"),
  Pod: { type: "object", properties: { metadata: object("name", "namespace"), spec: object("image"), kind: {} } },
  Settings: object("theme", "language"),
  Status: object("code", "message"),
};

async function infer(paths: Json, schemas: Json = SCHEMAS): Promise<Resources> {
  const document = await parseDocument({
    openapi: "3.1.0",
    info: { title: "Test", version: "1" },
    paths,
    components: { schemas },
  });
  return inferResources([document]);
}

/** A binding as a line of text: `list GET /pets at data of pets by id`. */
function line({ kind, operation: { method, path }, envelope, resource, scopeParameters }: Binding): string {
  const at = envelope === undefined ? " without item" : envelope.length === 0 ? "" : ` at ${envelope.join(".")}`;
  const by = resource.isSingleton ? "" : ` by ${resource.id.join(".")}`;
  const scope = scopeParameters.length === 0 ? "" : ` in ${scopeParameters.map((name) => name ?? "all").join()}`;
  return `${kind} ${method} ${path}${at} of ${resource.name}${by}${scope}`;
}

const CASES: { title: string; paths: Json; want: string[] }[] = [
  {
    title: "a pair of paths",
    paths: {
      "/pets": { get: operation(200, list(ref("Pet"))), post: operation(201, ref("Pet"), ref("Pet")) },
      "/pets/{petId}": {
        get: operation(200, ref("Pet")),
        put: operation(200, ref("Pet"), ref("Pet")),
        patch: operation(200, ref("Pet"), object("name")),
        delete: operation(204),
      },
    },
    want: [
      "list GET /pets of pets by id",
      "create POST /pets of pets by id",
      "read GET /pets/{petId} of pets by id",
      "replace PUT /pets/{petId} of pets by id",
      "delete DELETE /pets/{petId} without item of pets by id",
      "update PATCH /pets/{petId} of pets by id",
    ],
  },
  {
    title: "no singleton that is a list of anything",
    paths: {
      "/records": {
        get: operation(200, inside("data", list({ type: "object" }))),
        post: operation(201, inside("data", { type: "object" }), inside("data", { type: "object" })),
        delete: operation(200, inside("data", list({ type: "object" }))),
      },
    },
    want: [],
  },
  {
    title: "items whose name otherwise means links or messages, if they have an id",
    paths: {
      "/links": {
        get: operation(200, inside("Links", list(object("LinkId", "Provider")))),
        post: operation(201, inside("Link", object("LinkId", "Provider")), object("Provider")),
      },
      "/links/{linkId}": { delete: operation(200, inside("Link", object("LinkId", "Provider"))) },
      "/messages": { get: operation(200, inside("messages", list(object("id", "text")))) },
      "/messages/{id}": { get: operation(200, inside("message", object("id", "text"))) },
      "/pages": { get: operation(200, inside("errors", list(object("code", "text")))) },
      "/pages/{id}": { get: operation(200, inside("page", object("id", "title"))) },
    },
    want: [
      "list GET /links at Links of links by LinkId",
      "create POST /links at Link of links by LinkId",
      "delete DELETE /links/{linkId} at Link of links by LinkId",
      "list GET /messages at messages of messages by id",
      "read GET /messages/{id} at message of messages by id",
    ],
  },
  {
    title: "envelopes, of any name in an object of its own",
    paths: {
      "/pets": {
        get: operation(200, inside("pets", list(ref("Pet")))),
        post: operation(201, inside("pet", ref("Pet")), inside("pet", ref("Pet"))),
      },
      "/pets/{id}": { get: operation(200, inside("data", inside("pet", ref("Pet")))) },
    },
    want: [
      "list GET /pets at pets of pets by id",
      "create POST /pets at pet of pets by id",
      "read GET /pets/{id} at data.pet of pets by id",
    ],
  },
  {
    title: "HAL, and a format in the path",
    paths: {
      "/pets.json": { get: operation(200, inside("_embedded", inside("pets", list(ref("Pet"))))) },
      "/pets/{id}.json": { get: operation(200, ref("Pet")) },
    },
    want: ["list GET /pets.json at _embedded.pets of pets by id", "read GET /pets/{id}.json of pets by id"],
  },
  {
    title: "a nested id, and a list over all scopes",
    paths: {
      "/api/v1/pods": { get: operation(200, inside("items", list(ref("Pod")))) },
      "/api/v1/namespaces/{namespace}/pods": {
        get: operation(200, inside("items", list(ref("Pod")))),
        post: operation(200, ref("Pod"), ref("Pod")),
      },
      "/api/v1/namespaces/{namespace}/pods/{name}": { get: operation(200, ref("Pod")) },
      "/api/v1/namespaces/{namespace}/pods/{name}/status": {
        get: operation(200, ref("Pod")),
        put: operation(200, ref("Pod"), ref("Pod")),
      },
    },
    want: [
      "list GET /api/v1/namespaces/{namespace}/pods at items of namespaces.pods by metadata.name in namespace",
      "create POST /api/v1/namespaces/{namespace}/pods of namespaces.pods by metadata.name in namespace",
      "read GET /api/v1/namespaces/{namespace}/pods/{name} of namespaces.pods by metadata.name in namespace",
      "read GET /api/v1/namespaces/{namespace}/pods/{name}/status of namespaces.pods by metadata.name in namespace",
      "update PUT /api/v1/namespaces/{namespace}/pods/{name}/status of namespaces.pods by metadata.name in namespace",
      "list GET /api/v1/pods at items of namespaces.pods by metadata.name in all",
    ],
  },
  {
    title: "a list below a parent that a property names",
    paths: {
      "/orders": { get: operation(200, list(ref("Order"))) },
      "/orders/{orderId}": { get: operation(200, ref("Order")) },
      "/users/{userId}/orders": { get: operation(200, list(ref("Order"))) },
    },
    want: [
      "list GET /orders of orders by id in all",
      "read GET /orders/{orderId} of orders by id in all",
      "list GET /users/{userId}/orders of orders by id in userId",
    ],
  },
  {
    title: "items created below a parent, and read beside it",
    paths: {
      "/issues/comments/{comment_id}": { get: operation(200, ref("Comment")), delete: operation(204) },
      "/issues/{number}/comments": {
        get: operation(200, list(ref("Comment"))),
        post: operation(201, ref("Comment"), object("text")),
      },
    },
    want: [
      "read GET /issues/comments/{comment_id} of issues.comments by id in all",
      "delete DELETE /issues/comments/{comment_id} without item of issues.comments by id in all",
      "list GET /issues/{number}/comments of issues.comments by id in number",
      "create POST /issues/{number}/comments of issues.comments by id in number",
    ],
  },
  {
    title: "a POST on an item that changes it, and one that acts on it",
    paths: {
      "/orders": { post: operation(201, ref("Order"), ref("Order")) },
      "/orders/{order}": { get: operation(200, ref("Order")), post: operation(200, ref("Order"), object("status")) },
      "/orders/{order}/cancel": { post: operation(200, ref("Order")) },
      "/orders/{order}/copy": { post: operation(200, ref("Order")) },
      "/orders/{order}/email": { post: operation(200, ref("Status")) },
    },
    want: [
      "create POST /orders of orders by id",
      "read GET /orders/{order} of orders by id",
      "update POST /orders/{order} of orders by id",
      "action POST /orders/{order}/cancel of orders by id",
    ],
  },
  {
    title: "HEAD of an item, unless its GET isn't bound",
    paths: {
      "/orders": { post: operation(201, ref("Order"), ref("Order")) },
      "/orders/{order}": { head: operation(200), get: operation(200, ref("Order")) },
      "/pets": { post: operation(201, ref("Pet"), ref("Pet")) },
      "/pets/{petId}": { head: operation(204), put: operation(200, ref("Pet"), ref("Pet")) },
      "/cats": { post: operation(201, ref("Pet"), ref("Pet")) },
      "/cats/{id}": { head: operation(200), get: operation(200), put: operation(200, ref("Pet"), ref("Pet")) },
    },
    want: [
      "create POST /orders of orders by id",
      "read GET /orders/{order} of orders by id",
      "read HEAD /orders/{order} without item of orders by id",
      "create POST /pets of pets by id",
      "replace PUT /pets/{petId} of pets by id",
      "read HEAD /pets/{petId} without item of pets by id",
      "create POST /cats of cats by id",
      "replace PUT /cats/{id} of cats by id",
    ],
  },
  {
    title: "a singleton",
    paths: {
      "/users/{id}/settings": {
        get: operation(200, ref("Settings")),
        patch: operation(200, ref("Settings"), object("theme")),
      },
    },
    want: [
      "read GET /users/{id}/settings of users.settings in id",
      "update PATCH /users/{id}/settings of users.settings in id",
    ],
  },
  {
    title: "success as a range, and items that become something else when they are deleted",
    paths: {
      "/pets": { get: operation("2XX", inside("value", list(ref("Pet")))) },
      "/pets/{pet-id1}": {
        get: operation("2XX", {
          anyOf: [ref("Pet"), { type: "object", properties: { id: {}, deleted: { enum: [true] } } }],
        }),
      },
    },
    want: ["list GET /pets at value of pets by id", "read GET /pets/{pet-id1} of pets by id"],
  },
  {
    title: "path keys with conditions",
    paths: {
      "/pets?beta=true": { get: operation(200, list(ref("Pet"))) },
      "/pets/{id}?beta=true": { get: operation(200, ref("Pet")) },
    },
    want: ["list GET /pets?beta=true of pets by id", "read GET /pets/{id}?beta=true of pets by id"],
  },
  {
    title: "no RPC, no lone operation, no membership, no status, no list of something else",
    paths: {
      "/search": { post: operation(200, list(ref("Pet")), object("query")) },
      "/pets/{petId}": { get: operation(200, ref("Pet")) },
      "/teams/{id}/members/{memberId}": { put: operation(204), delete: operation(204), get: operation(204) },
      "/jobs": { get: operation(200, list({ type: "string" })), post: operation(202, ref("Status"), object("cmd")) },
      "/health": { get: operation(200, ref("Status")) },
      "/reports/{year}": { get: operation(200, ref("Status")), delete: operation(204) },
    },
    want: [],
  },
];

for (const { title, paths, want } of CASES) {
  Deno.test(`inferResources() binds ${title}`, async () => {
    const { all } = await infer(paths);
    assert.deepEqual(all.flatMap(({ bindings }) => bindings.map(line)), want);
  });
}

Deno.test("inferResources() gives an operation's binding, or the reason why there is none", async () => {
  const resources = await infer({
    "/pets": { get: operation(200, list(ref("Pet"))) },
    "/pets/{id}": { get: operation(200, ref("Pet")), trace: operation(200) },
  });
  const [{ document } = assert.fail()] = resources.all;
  assert.deepEqual(listOperations(document).map((operation) => resources.bindingOf(operation)?.kind), [
    "list",
    "read",
    undefined,
  ]);
  assert.deepEqual(
    resources.unbound.map(({ operation: { method }, reason }) => [method, reason]),
    [["TRACE", "TRACE of an item has no fixed meaning."]],
  );
});

Deno.test("inferResources() finds the parents, and the properties that refer to them", async () => {
  const { all } = await infer({
    "/users": { get: operation(200, list(object("id", "name"))) },
    "/users/{userId}": { get: operation(200, object("id", "name")) },
    "/users/{id}/orders": { get: operation(200, list(ref("Order"))) },
    "/users/{id}/orders/{orderId}": { get: operation(200, ref("Order")) },
  });
  const orders = all.find(({ name }) => name === "users.orders");
  assert.deepEqual(
    orders?.scope.map(({ parameter, property, parent }) => ({ parameter, property, parent: parent?.name })),
    [{ parameter: "id", property: ["userId"], parent: "users" }],
  );
});

/** The paths of users, and of their orders below them. */
const BELOW_USERS: Json = {
  "/users": { get: operation(200, list(object("id", "name"))) },
  "/users/{userId}": { get: operation(200, object("id", "name")) },
  "/users/{userId}/orders": { get: operation(200, list(ref("Order"))) },
  "/users/{userId}/orders/{orderId}": { get: operation(200, ref("Order")), delete: operation(204) },
};
const BESIDE_USERS: Json = {
  "/orders": { get: operation(200, list(ref("Order"))), post: operation(201, ref("Order"), ref("Order")) },
  "/orders/{orderId}": { get: operation(200, ref("Order")) },
};

Deno.test("inferResources() joins items with a path below their parent and a path of their own", async () => {
  const { all } = await infer({ ...BESIDE_USERS, ...BELOW_USERS });
  const [orders, ...others] = all;
  assert.deepEqual(others.map(({ name }) => name), ["users"]);
  assert.deepEqual(orders?.bindings.map(line), [
    "list GET /orders of orders by id in all",
    "create POST /orders of orders by id in all",
    "read GET /orders/{orderId} of orders by id in all",
    "list GET /users/{userId}/orders of orders by id in userId",
    "read GET /users/{userId}/orders/{orderId} of orders by id in userId",
    "delete DELETE /users/{userId}/orders/{orderId} without item of orders by id in userId",
  ]);
  assert.deepEqual(orders?.scope.map(({ property, parent }) => [property, parent?.name]), [[["userId"], "users"]]);
  assert.equal(orders?.evidence.at(-1), "/users/{userId}/orders has the same items: `userId` of an item is {userId}.");
});

const SEPARATE: { title: string; paths?: Json; schemas?: Json }[] = [
  { title: "items without the parent's id", schemas: { ...SCHEMAS, Order: object("id", "owner", "status") } },
  {
    title: "a property that has only a part of the parent's name",
    paths: {
      ...Object.fromEntries(Object.keys(BELOW_USERS).map((path) => [path, undefined])),
      "/service-users": BELOW_USERS["/users"],
      "/service-users/{id}": BELOW_USERS["/users/{userId}"],
      "/service-users/{id}/orders": BELOW_USERS["/users/{userId}/orders"],
      "/service-users/{id}/orders/{orderId}": BELOW_USERS["/users/{userId}/orders/{orderId}"],
    },
  },
  {
    title: "ids that are numbered per parent",
    paths: {
      "/users/{userId}/orders/{orderId}": undefined,
      "/users/{userId}/orders/{number}": { get: operation(200, ref("Order")), delete: operation(204) },
    },
    schemas: { ...SCHEMAS, Order: object("id", "number", "userId", "status") },
  },
  {
    title: "items of another schema",
    paths: { "/users/{userId}/orders/{orderId}": { get: operation(200, object("id", "userId")) } },
    schemas: { ...SCHEMAS, Order: object("id", "userId", "status", "note") },
  },
  {
    title: "a parent that is no resource",
    paths: { "/users": {}, "/users/{userId}": {} },
  },
  {
    title: "a request that creates items without the parent's id",
    paths: {
      "/orders": { get: operation(200, list(ref("Order"))), post: operation(201, ref("Order"), object("status")) },
    },
  },
  {
    title: "a path that shows no items",
    paths: {
      "/orders": { post: operation(201, ref("Order"), ref("Order")) },
      "/orders/{orderId}": { delete: operation(204) },
    },
  },
  {
    title: "a resource with a name of its own",
    paths: {
      "/orders/{orderId}": {
        "x-svc": { mocking: { resource: { name: "all-orders" } } },
        get: operation(200, ref("Order")),
      },
    },
  },
];

for (const { title, paths = {}, schemas = SCHEMAS } of SEPARATE) {
  Deno.test(`inferResources() doesn't join ${title}`, async () => {
    const entries = Object.entries({ ...BESIDE_USERS, ...BELOW_USERS, ...paths });
    const { all } = await infer(Object.fromEntries(entries.filter(([, item]) => item !== undefined)), schemas);
    const below = all.flatMap(({ bindings }) => bindings)
      .find(({ kind, operation: { path } }) =>
        kind === "read" && path.includes("users/{") && path.includes("/orders/")
      );
    const beside = all.flatMap(({ bindings }) => bindings).find(({ operation: { path } }) =>
      path.startsWith("/orders")
    );
    assert.ok(below !== undefined && beside !== undefined);
    assert.notEqual(below.resource, beside.resource);
  });
}

Deno.test("inferResources() follows the settings of the definition", async () => {
  const svc = (resource: unknown): Json => ({ "x-svc": { mocking: { resource } } });
  const schemas = { Thing: object("sku", "label", "colour") };
  const { all, unbound } = await infer({
    "/catalog": { get: operation(200, list(ref("Thing"))) },
    "/thing/{which}": {
      ...svc({ name: "things", id: "sku", collection: "/catalog" }),
      get: operation(200, ref("Thing")),
      delete: { ...operation(204), ...svc(false) },
    },
    "/make-thing": { ...svc({ collection: "/catalog" }), post: operation(201, ref("Thing"), ref("Thing")) },
  }, schemas);
  assert.deepEqual(all.flatMap(({ bindings }) => bindings.map(line)), [
    "list GET /catalog of things by sku",
    "read GET /thing/{which} of things by sku",
    "create POST /make-thing of things by sku",
  ]);
  assert.deepEqual(unbound.map(({ reason }) => reason), ["Its settings say `resource: false`."]);
});

Deno.test("inferResources() prefers the id property that a Link Object names", async () => {
  const created = operation(201, object("id", "code", "name"), object("name"));
  const links = { get: { operationId: "getPet", parameters: { ref: "$response.body#/code" } } };
  const { responses } = created as { responses: Json };
  const { all } = await infer({
    "/pets": { post: { ...created, responses: { 201: { ...responses[201] as Json, links } } } },
    "/pets/{ref}": { get: { ...operation(200, object("id", "code", "name")), operationId: "getPet" } },
  });
  assert.deepEqual(all.map(({ id }) => id), [["code"]]);
});

Deno.test("inferResources() gives names that are unique among definitions, and the same after a reload", async () => {
  const paths = {
    "/v1/pets": { get: operation(200, list(ref("Pet"))) },
    "/v1/pets/{id}": { get: operation(200, ref("Pet")) },
    "/v2/pets": { get: operation(200, list(ref("Pet"))) },
    "/v2/pets/{id}": { get: operation(200, ref("Pet")) },
  };
  const names = async (): Promise<string[]> => {
    const [{ document } = assert.fail()] = (await infer(paths)).all;
    return inferResources([document, (await infer(paths)).all[0]?.document ?? document]).all.map(({ name }) => name);
  };
  assert.deepEqual(await names(), ["pets", "v2.pets", "v1.pets", "v2.pets-2"]);
  assert.deepEqual(await names(), await names());
});
