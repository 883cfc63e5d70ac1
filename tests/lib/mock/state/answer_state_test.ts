import assert from "node:assert/strict";
import { createHandlerContext } from "../../../../lib/mock/operation/operation_handler.ts";
import { SHOP } from "./shop.ts";
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

Deno.test("answerFromState() plans an operation again after its plan has failed", async () => {
  const handlers = createHandlerContext();
  let failures = 1;
  const validatorOf: typeof handlers.validatorOf = (document) =>
    failures-- > 0 ? Promise.reject(new Error("No validator.")) : handlers.validatorOf(document);
  const client = await createStateClient(PETS, { handlers: { ...handlers, validatorOf } });
  await assert.rejects(client.ask("GET /pets"), /No validator/);
  assert.equal((await client.ask("GET /pets")).status, 200);
});

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
  assert.deepEqual(gone.body, { message: 'There is no pet "1".' });
  assert.deepEqual((await client.ask("GET /pets")).body, []);
  assert.equal((await client.ask("DELETE /pets/1")).status, 404);
});

Deno.test("a sent value that violates the schema is replaced by a valid one near it, with a remark", async () => {
  const client = await createStateClient(SHOP);
  const created = await client.ask("POST /customers", {
    name: "A".repeat(40),
    email: "no",
    age: 200,
    password: "x",
    a: 1,
  });
  assert.equal(created.status, 201);
  assert.equal(created.body.name, "A".repeat(30));
  assert.equal(created.body.age, 150);
  assert.match(created.body.email, /@/);
  assert.equal(created.body.password, undefined);
  assert.deepEqual(created.remarks, [
    "The item's schema doesn't allow all that was sent; changed: /name, /email, /age.",
  ]);
});

Deno.test("an item is shown in the media types and envelopes of each response", async () => {
  const client = await createStateClient(SHOP);
  const { id } = (await client.ask("POST /customers", { name: "Ann", age: 7 })).body;
  assert.deepEqual((await client.ask("GET /customers")).body, { data: [{ id, name: "Ann" }], total: 1 });
  const xml = await client.ask(`GET /customers/${id}`, undefined, { accept: "application/xml" });
  assert.match(xml.body, /<doc><name>Ann<\/name><age>7<\/age>/);
  const before = (await client.ask("GET /customers")).body.total;
  const refused = await client.ask("POST /customers", { name: "Bob" }, { accept: "image/png" });
  assert.equal(refused.status, 406);
  assert.equal((await client.ask("GET /customers")).body.total, before);
});

Deno.test("POST on an item updates it by a form", async () => {
  const client = await createStateClient(SHOP);
  const { id } = (await client.ask("POST /customers", { name: "Ann", email: "a@example.com" })).body;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const { body } = await client.ask(`POST /customers/${id}`, "age=7", headers);
  assert.deepEqual([body.name, body.email, body.age], ["Ann", "a@example.com", 7]);
});

Deno.test("a form merges inner objects, and an empty text in it removes a field", async () => {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const client = await createStateClient(
    PETS.replace(
      "application/merge-patch+json: {schema: {type: object}}",
      () =>
        'application/x-www-form-urlencoded: {schema: {$ref: "#/components/schemas/Pet"}, encoding: {toys: {style: deepObject, explode: true}}}',
    )
      .replace("tag: {type: string}", "toys: {type: object, additionalProperties: {type: string}}"),
  );
  await client.ask("POST /pets", { name: "Tom", toys: { ball: "red" } });
  const added = await client.ask("PATCH /pets/1", "toys[mouse]=grey", form);
  assert.deepEqual(added.body.toys, { ball: "red", mouse: "grey" });
  const removed = await client.ask("PATCH /pets/1", "toys[ball]=", form);
  assert.deepEqual(removed.body.toys, { mouse: "grey" });
});

Deno.test("a taken id is refused where 409 is declared", async () => {
  const client = await createStateClient(SHOP);
  await client.ask("POST /products", { sku: "a-1", price: 12 });
  const taken = await client.ask("POST /products", { sku: "a-1", price: 13 });
  assert.equal(taken.status, 409);
  assert.deepEqual(taken.body, { message: 'products has an item "a-1" already.' });
});

Deno.test("a taken id is replaced by a free one if the operation doesn't declare 409", async () => {
  const client = await createStateClient(PETS.replace(/"409".*/, ""));
  await client.ask("POST /pets", { id: 5, name: "Tom" });
  const second = await client.ask("POST /pets", { id: 5, name: "Tim" });
  assert.equal(second.status, 201);
  assert.notEqual(second.body.id, 5);
  assert.deepEqual(second.remarks, [`The id 5 is taken: the new item has the id ${second.body.id}.`]);
});

Deno.test("If-Match and ETag take effect if the operation declares them", async () => {
  const client = await createStateClient(SHOP);
  await client.ask("POST /products", { sku: "a-1", price: 12 });
  const etag = (await client.ask("GET /products/a-1")).headers.get("etag") ?? "";
  const change = { sku: "a-1", price: 13 };
  const changed = await client.ask("PUT /products/a-1", change, { "if-match": etag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get("etag"), etag);
  assert.equal((await client.ask("PUT /products/a-1", change, { "if-match": etag })).status, 412);
});

Deno.test("an action sets the status whose enum value fits the action's name", async () => {
  const client = await createStateClient(SHOP);
  const { id } = (await client.ask("POST /customers", { name: "Ann" })).body;
  const order = (await client.ask(`POST /customers/${id}/orders`, {})).body;
  assert.deepEqual([order.status, order.cancelledAt], ["pending", null]);
  const cancelled = (await client.ask(`POST /customers/${id}/orders/${order.id}/cancel`)).body;
  assert.deepEqual([cancelled.status, cancelled.cancelledAt], ["cancelled", "2026-01-01T00:00:00.000Z"]);
  assert.deepEqual((await client.ask(`GET /customers/${id}/orders/${order.id}`)).body, cancelled);
});

Deno.test("a create beyond a limit of the state is answered with 507, and changes nothing", async () => {
  const client = await createStateClient(PETS, { limits: { items: 1 } });
  await client.ask("POST /pets", { name: "Tom" });
  const refused = await client.ask("POST /pets", { name: "Tim" });
  assert.equal(refused.status, 507);
  assert.equal(refused.body.limit, "items");
  assert.equal((await client.ask("GET /pets")).body.length, 1);
});

Deno.test("answerFromState() loses no change by concurrent requests, and deletes an item once", async () => {
  const client = await createStateClient(PETS);
  await client.ask("POST /pets", { name: "Tom" });
  const merge = { "content-type": "application/merge-patch+json" };
  await Promise.all([
    client.ask("PATCH /pets/1", { tag: "cat" }, merge),
    client.ask("PATCH /pets/1", { name: "Rex" }, merge),
    client.ask("PATCH /pets/1", { status: "sold" }, merge),
  ]);
  const { body: { name, tag, status } } = await client.ask("GET /pets/1");
  assert.deepEqual({ name, tag, status }, { name: "Rex", tag: "cat", status: "sold" });
  const deleted = await Promise.all([client.ask("DELETE /pets/1"), client.ask("DELETE /pets/1")]);
  assert.deepEqual(deleted.map(({ status }) => status).sort(), [204, 404]);
  const created = await Promise.all([1, 2, 3].map(() => client.ask("POST /pets", { name: "Ivy" })));
  assert.equal(new Set(created.map(({ body }) => body.id)).size, 3);
});

Deno.test("a list isn't cached if an item changed while its answer was encoded", async () => {
  const client = await createStateClient(SHOP);
  const { id } = (await client.ask("POST /customers", { name: "Ann" })).body;
  const order = (await client.ask(`POST /customers/${id}/orders`, {})).body;
  await client.ask(`GET /customers/${id}`);
  const list = `GET /customers/${id}/orders`;
  const cancel = `POST /customers/${id}/orders/${order.id}/cancel`;
  await Promise.all([client.ask(list), client.ask(cancel)]);
  const [cancelled] = (await client.ask(list)).body;
  assert.equal(cancelled.status, "cancelled");
});

Deno.test("a create replaces no item if the schema allows no further id", async () => {
  const client = await createStateClient(
    PETS.replace("id: {type: integer}", "id: {type: integer, minimum: 1, maximum: 2}"),
  );
  for (const name of ["Tom", "Tim"]) assert.equal((await client.ask("POST /pets", { name })).status, 201);
  const before = (await client.ask("GET /pets")).body;
  assert.equal((await client.ask("POST /pets", { name: "Rex" })).status, 409);
  assert.deepEqual((await client.ask("GET /pets")).body, before);
});

Deno.test("a rename beyond a limit of the state leaves the item unchanged", async () => {
  const client = await createStateClient(ISSUES, { limits: { items: 1 } });
  const label = { name: "bug", color: "red" };
  await client.ask("POST /labels", label);
  const renamed = await client.ask("PATCH /labels/bug", { new_name: "fault", color: "blue" });
  assert.equal(renamed.status, 507);
  assert.deepEqual((await client.ask("GET /labels/bug")).body, label);
});

const ISSUES = `
openapi: 3.1.0
info: {title: Issues, version: 1.0.0}
paths:
  /issues:
    get:
      responses:
        "200":
          description: Issues
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Issue"}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/NewIssue"}}}}
      responses:
        "200": {description: Issue, content: {application/json: {schema: {$ref: "#/components/schemas/Issue"}}}}
        "201": {description: Issue, content: {application/json: {schema: {$ref: "#/components/schemas/Issue"}}}}
  /issues/{number}:
    parameters: [{name: number, in: path, required: true, schema: {type: integer}}]
    get:
      responses:
        "200": {description: Issue, content: {application/json: {schema: {$ref: "#/components/schemas/Issue"}}}}
    patch:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/NewIssue"}}}}
      responses:
        "200": {description: Issue, content: {application/json: {schema: {$ref: "#/components/schemas/Issue"}}}}
  /labels:
    get:
      responses:
        "200":
          description: Labels
          content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Label"}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Label"}}}}
      responses:
        "201": {description: Label, content: {application/json: {schema: {$ref: "#/components/schemas/Label"}}}}
  /labels/{name}:
    parameters: [{name: name, in: path, required: true, schema: {type: string}}]
    get:
      responses:
        "200": {description: Label, content: {application/json: {schema: {$ref: "#/components/schemas/Label"}}}}
    patch:
      requestBody:
        content:
          application/json:
            schema: {type: object, properties: {new_name: {type: string}, color: {type: string}}}
      responses:
        "200": {description: Label, content: {application/json: {schema: {$ref: "#/components/schemas/Label"}}}}
components:
  schemas:
    NewIssue:
      type: object
      properties:
        title: {type: string}
        state: {type: string, enum: [open, closed]}
        tags: {type: array, items: {type: string}}
    Issue:
      type: object
      required: [number, title, state, closed_at, tags]
      properties:
        number: {type: integer}
        title: {type: string}
        state: {type: string, enum: [open, closed]}
        closed_at: {type: [string, "null"], format: date-time}
        closed_by: {type: object, properties: {login: {type: string}}}
        tags: {type: array, items: {type: string}}
    Label:
      type: object
      required: [name, color]
      properties: {name: {type: string}, color: {type: string}}
`;

Deno.test("a changed status sets the time that is named after it", async () => {
  const client = await createStateClient(ISSUES);
  const created = await client.ask("POST /issues", { title: "Bug" });
  assert.equal(created.status, 201);
  assert.deepEqual(created.body, { number: 1, title: "Bug", state: "open", closed_at: null, tags: [] });
  const closed = (await client.ask("PATCH /issues/1", { state: "closed" })).body;
  assert.deepEqual([closed.state, closed.closed_at], ["closed", "2026-01-01T00:00:00.000Z"]);
  const opened = (await client.ask("PATCH /issues/1", { state: "open" })).body;
  assert.deepEqual([opened.state, opened.closed_at], ["open", null]);
});

Deno.test("a request with a new id renames the item", async () => {
  const client = await createStateClient(ISSUES);
  await client.ask("POST /labels", { name: "bug", color: "red" });
  await client.ask("POST /labels", { name: "idea", color: "blue" });
  assert.equal((await client.ask("PATCH /labels/bug", { new_name: "idea" })).status, 409);
  const renamed = { name: "fault", color: "red" };
  assert.deepEqual((await client.ask("PATCH /labels/bug", { new_name: "fault" })).body, renamed);
  assert.deepEqual((await client.ask("GET /labels/fault")).body, renamed);
  assert.equal((await client.ask("GET /labels/bug")).status, 404);
});

Deno.test("a deeply nested field is stored or refused, without an internal error", async () => {
  const client = await createStateClient(PETS);
  const depth = 200_000;
  const nested = `{"name":"Tom","tag":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  const created = await client.ask("POST /pets", nested, { "content-type": "application/json" });
  assert.equal(created.status, 201);
  const open = await createStateClient(PETS.replace("tag: {type: string}", "tag: {}"));
  const kept = await open.ask("POST /pets", nested, { "content-type": "application/json" });
  assert.equal(kept.status, 201);
  assert.equal((await open.ask("GET /pets")).status, 200);
});

Deno.test("PUT on a collection replaces the item whose id its body has", async () => {
  const put = `
    put:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
      responses:
        "200": {description: Pet, content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}}
  /pets/{petId}:`;
  const client = await createStateClient(PETS.replace("\n  /pets/{petId}:", put));
  await client.ask("POST /pets", { id: 7, name: "Tom" });
  assert.equal((await client.ask("PUT /pets", { id: 7, name: "Tim" })).status, 200);
  assert.equal((await client.ask("GET /pets/7")).body.name, "Tim");
  assert.equal((await client.ask("PUT /pets", { id: 8, name: "Tim" })).status, 404);
});

Deno.test("a declared HEAD of an item is answered with 404 after the item was deleted", async () => {
  const head = `    head: {responses: {"200": {description: Pet, headers: {ETag: {schema: {type: string}}}}}}`;
  const client = await createStateClient(PETS.replace("\n  /pets/{petId}:", `$&\n${head}`));
  await client.ask("POST /pets", { id: 7, name: "Tom" });
  const { status, headers, body } = await client.ask("HEAD /pets/7");
  assert.deepEqual([status, headers.has("etag"), body], [200, true, undefined]);
  await client.ask("DELETE /pets/7");
  assert.equal((await client.ask("HEAD /pets/7")).status, 404);
});
