import assert from "node:assert/strict";
import { createMockServer } from "../../../../lib/mock/server/create_mock_server.ts";
import type { MockServer } from "../../../../lib/mock/server/open_mock_server.ts";
import type { Explanation, NearOperation, Step, StepName } from "../../../../lib/mock/explain/explanation.ts";
import { createMock } from "../../../../lib/mock/mock.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const SHOP = `openapi: 3.1.1
info: {title: Shop, version: "1.0"}
servers: [{url: "https://api.example.com/v1"}]
paths:
  /orders:
    get:
      operationId: listOrders
      parameters:
        - {name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 100}}
        - {name: status, in: query, schema: {enum: [open, closed]}}
      responses:
        "200":
          description: Orders
          headers: {X-Total: {schema: {type: integer}}}
          content:
            application/json:
              example: [{id: 1}]
            application/xml:
              schema: {type: array, items: {$ref: "#/components/schemas/Order"}}
        "404": {description: None}
    post:
      operationId: createOrder
      parameters: [{name: X-Tenant, in: header, required: true, schema: {type: string, minLength: 2}}]
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}
      responses:
        "201": {description: Order, content: {application/json: {schema: {$ref: "#/components/schemas/Order"}}}}
        "422": {description: Refused, content: {application/json: {schema: {type: object, properties: {message: {type: string}}}}}}
  /orders/{orderId}:
    parameters: [{name: orderId, in: path, required: true, schema: {type: integer}}]
    get:
      operationId: getOrder
      responses:
        "200":
          description: Order
          content:
            application/json:
              examples:
                chair: {value: {id: 1, item: chair}}
                table: {value: {id: 2, item: table}, x-svc: {mocking: {match: {path.orderId: 2}}}}
                shelf: {value: {id: 3, item: shelf}, x-svc: {mocking: {match: {path.orderId: 3, query.full: "yes"}}}}
        "404": {description: None, content: {application/json: {example: {message: none}}}}
    delete:
      operationId: deleteOrder
      security: [{key: []}]
      responses: {"204": {description: Deleted}}
  /reports/{name}.{format}:
    get:
      operationId: getReport
      parameters:
        - {name: name, in: path, required: true, schema: {type: string}}
        - {name: format, in: path, required: true, schema: {enum: [csv, pdf]}}
      responses: {"200": {description: Report, content: {text/csv: {schema: {type: string}}}}}
  /agents?beta=true:
    get:
      operationId: listBetaAgents
      responses: {"204": {description: Agents}}
  /account:
    get:
      operationId: getAccount
      security: [{basic: []}, {key: []}]
      responses: {"200": {description: Account, content: {application/json: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}}
    put:
      operationId: putAccount
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, required: [name], properties: {name: {type: string}}}}}}
      responses: {"204": {description: Done}}
  /broken:
    get: {operationId: getBroken, responses: {"200": {$ref: "#/components/responses/None"}}}
  /failing:
    get: {operationId: getFailing, responses: {"500": {description: Fails}}}
components:
  securitySchemes:
    basic: {type: http, scheme: basic}
    key: {type: apiKey, in: header, name: X-Key}
  schemas:
    Order:
      type: object
      required: [item]
      properties:
        id: {type: integer}
        item: {type: string, minLength: 2}
        count: {type: integer, minimum: 1}
        lines: {type: array, items: {type: object, required: [sku], properties: {sku: {type: string}}}}
`;

const TODOS = `openapi: 3.1.1
info: {title: Todos, version: "1.0"}
paths:
  /todos:
    get: {operationId: listTodos, responses: {"200": {description: Todos, content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Todo"}}}}}}}
    post:
      operationId: createTodo
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Todo"}}}}
      responses: {"201": {description: Todo, content: {application/json: {schema: {$ref: "#/components/schemas/Todo"}}}}}
  /todos/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {operationId: getTodo, responses: {"200": {description: Todo, content: {application/json: {schema: {$ref: "#/components/schemas/Todo"}}}}}}
    delete: {operationId: deleteTodo, responses: {"204": {description: Deleted}}}
components:
  schemas:
    Todo: {type: object, required: [id, title], properties: {id: {type: integer, readOnly: true}, title: {type: string}}}
`;

type Headers = Readonly<Record<string, string>>;

/** A request, the step that decides its answer, and what its reason or its first near operation tells. */
type Row = readonly [line: string, step: StepName, tells: RegExp, headers?: Headers, body?: string];

const JSON_TYPE = { "content-type": "application/json" };
const TENANT = { ...JSON_TYPE, "x-tenant": "acme" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };

const UNMATCHED: readonly Row[] = [
  ["GET /order", "route", /GET \/orders: Segment 1 of the path is "order"; \/orders has "orders" there/],
  ["GET /Orders", "route", /Segment 1 of the path is "Orders".* Upper and lower case differ/],
  ["GET /orders/", "route", /The path ends with a slash, and \/orders doesn't/],
  ["GET /orders/1/lines", "route", /The path has 3 segments; \/orders\/\{orderId\} has 2/],
  ["GET /v2/orders", "route", /ends as \/orders, but begins with \/v2: the definition's servers have \/v1/],
  ["GET /api/v1/orders", "route", /begins with \/api\/v1/],
  ["GET /api/account", "route", /GET \/account: The path ends as \/account, but begins with \/api/],
  ["PATCH /orders", "route", /not with PATCH: it has GET, POST/],
  ["DELETE /orders", "route", /not with DELETE: it has GET, POST/],
  ["POST /orders/7", "route", /not with POST: it has GET, DELETE/],
  ["PUT /v1/orders", "route", /The path \/v1\/orders is in the definition, but not with PUT/],
  ["GET /agents", "route", /needs the query `beta=true`/],
  ["GET /agents?beta=false", "route", /beta/],
  ["GET /agents?Beta=true", "route", /beta/],
  ["GET /report/may.csv", "route", /Segment 1 of the path is "report"; \/reports\/\{name\}\.\{format\} has "reports"/],
  ["GET /reports/may", "route", /Segment 2 of the path is "may"; .* has "\{name\}\.\{format\}" there/],
  ["GET /orders//", "route", /orders/],
  ["GET /acount", "route", /Segment 1 of the path is "acount"; \/account has "account" there/],
  ["GET /completely/elsewhere", "route", /No path of the definition is like \/completely\/elsewhere/],
  ["GET /v1/accounts", "route", /\/account/],
];

const REFUSED: readonly Row[] = [
  ["GET /orders?limit=0", "validation", /limit must be >= 1/],
  ["GET /orders?limit=ten", "validation", /limit must be integer/],
  ["GET /orders?status=lost", "validation", /status must be/],
  ["GET /v1/orders?limit=1000", "validation", /limit must be <= 100/],
  ["GET /orders/seven", "validation", /orderId must be integer/],
  ["GET /reports/may.doc", "validation", /format must be/],
  ["POST /orders", "validation", /X-Tenant/i, JSON_TYPE, '{"item":"chair"}'],
  [
    "POST /orders",
    "validation",
    /X-Tenant.*fewer than 2|X-Tenant/i,
    { ...JSON_TYPE, "x-tenant": "a" },
    '{"item":"chair"}',
  ],
  ["POST /orders", "validation", /required property 'item'/, TENANT, "{}"],
  ["POST /orders", "validation", /item must/, TENANT, '{"item":"a"}'],
  ["POST /orders", "validation", /item must be string/, TENANT, '{"item":1}'],
  ["POST /orders", "validation", /count must be/, TENANT, '{"item":"chair","count":0}'],
  ["POST /orders", "validation", /sku/, TENANT, '{"item":"chair","lines":[{}]}'],
  ["POST /orders", "validation", /Request body/, TENANT, "{"],
  ["POST /orders", "validation", /body/, TENANT],
  ["POST /orders", "validation", /body is text\/csv, but the operation takes application\/json/, {
    ...TENANT,
    "content-type": "text/csv",
  }, "a,b"],
  ["DELETE /orders/7", "credentials", /X-Key must have an API key/],
  ["GET /account", "credentials", /Basic credentials.*X-Key/],
  ["GET /account", "credentials", /Credentials are missing/, { authorization: "Bearer x" }],
  ["PUT /account", "validation", /required property 'name'/, FORM, "age=3"],
];

const ANSWERED: readonly Row[] = [
  ["GET /orders", "content", /The definition has an example/],
  ["HEAD /orders", "content", /The definition has an example/],
  ["GET /v1/orders", "content", /The definition has an example/],
  ["GET /orders", "content", /generated from its schema, with the seed 0/, { accept: "application/xml" }],
  ["GET /orders", "accept", /accepts image\/png; the response offers only application\/json, application\/xml/, {
    accept: "image/png",
  }],
  ["GET /orders", "preferences", /prefers code=404/, { prefer: "code=404" }],
  ["GET /orders?__dynamic=true", "preferences", /prefers dynamic=true/],
  ["GET /orders/1", "content", /example chair/],
  ["GET /orders/2", "conditions", /conditions of the example table: path\.orderId = 2/],
  ["GET /orders/3", "content", /example chair/],
  ["GET /orders/3?full=yes", "conditions", /conditions of the example shelf/],
  ["GET /orders/1", "preferences", /prefers example=shelf/, { prefer: "example=shelf" }],
  ["GET /orders/1", "preferences", /prefers example=none/, { prefer: "example=none" }],
  ["DELETE /orders/7", "response", /The answer is 204/, { "x-key": "k" }],
  ["GET /reports/may.csv", "content", /generated/],
  ["GET /broken", "response", /The response 200 of getBroken can't be used/],
  ["GET /failing", "response", /getFailing declares no response for that; it declares 500/],
  ["GET /orders?limit=7", "rules", /The rule r3 applies: the status is 503/],
  ["GET /orders?limit=8", "rules", /The rule r2 applies: .*fault empty/],
  ["GET /orders?limit=9", "rules", /The rule r1 applies: its sequence/],
];

const STATE: readonly Row[] = [
  ["GET /todos", "content", /bound to the resource todos as list/],
  ["GET /todos/1", "content", /bound to the resource todos as read/],
  ["GET /todos/999", "content", /There is no todo "999"/],
  ["POST /todos", "content", /bound to the resource todos as create/, JSON_TYPE, '{"title":"Rest"}'],
  ["DELETE /todos/2", "content", /bound to the resource todos as delete/],
  ["GET /todos", "accept", /accepts image\/png/, { accept: "image/png" }],
  ["GET /todos/1", "preferences", /prefers dynamic=true/, { prefer: "dynamic=true" }],
];

async function shop(options: MockOptions = { validate: "error" }): Promise<MockServer> {
  return await createMockServer(await parseDocument(SHOP), { stateful: false, ...options });
}

function requestOf(line: string, headers: Headers = {}, body?: string): [string, RequestInit] {
  const [method = "", path = ""] = line.split(" ");
  return [`http://localhost${path}`, { method, headers, ...body === undefined ? {} : { body } }];
}

function stepOf({ steps }: Explanation, name: StepName): Step {
  const step = steps.find(({ step }) => step === name);
  assert.ok(step, `no step ${name}`);
  return step;
}

async function addRules(server: MockServer): Promise<void> {
  await server.rules.add({ operation: "listOrders", match: { "query.limit": 9 }, sequence: [{ status: 404 }, {}] });
  await server.rules.add({ operation: "listOrders", match: { "query.limit": 8 }, fault: "empty" });
  await server.rules.add({ operation: "listOrders", match: { "query.limit": 7 }, status: 503, force: true });
}

for (
  const [kind, rows, definition] of [
    ["that fits no operation", UNMATCHED, SHOP],
    ["that is refused", REFUSED, SHOP],
    ["that is answered", ANSWERED, SHOP],
    ["for state", STATE, TODOS],
  ] as const
) {
  for (const [line, step, tells, headers, body] of rows) {
    Deno.test(`explain() names the cause of a request ${kind}: ${line} ${JSON.stringify([headers, body])}`, async () => {
      const server = definition === SHOP
        ? await shop()
        : await createMockServer(await parseDocument(TODOS), { validate: "error" });
      if (definition === SHOP) await addRules(server);
      const { outcome } = await server.explain(...requestOf(line, headers, body));
      assert.equal(outcome.decidedBy, step, outcome.reason);
      assert.match(outcome.reason, tells);
      const { steps: again } = await server.explain(...requestOf(line, headers, body));
      assert.ok(again.length > 0);
      const sent = await server.fetch(...requestOf(line, headers, body)).then(
        ({ status }) => status,
        // A broken connection has no status.
        () => outcome.status,
      );
      assert.equal(outcome.status, sent);
    });
  }
}

Deno.test("explain() names the near operations with the place of each", async () => {
  const { steps } = await (await shop()).explain("http://localhost/v2/orders");
  const [first] = stepOf({ steps } as Explanation, "route").details?.near ?? [];
  assert.deepEqual(first satisfies NearOperation | undefined, {
    operationId: "listOrders",
    method: "GET",
    path: "/orders",
    obstacle: "server",
    reason: "The path ends as /orders, but begins with /v2: the definition's servers have /v1. " +
      "`servers: [{url: /v2}]` in the definition adds it.",
    at: { file: "definition", pointer: "/paths/~1orders/get", line: 6, column: 5 },
  });
});

Deno.test("explain() links violations to the lines of the definition", async () => {
  const server = await shop();
  const lineOf = async (line: string, headers?: Headers, body?: string): Promise<string | undefined> => {
    const { steps, outcome } = await server.explain(...requestOf(line, headers, body));
    const at = steps.find(({ step }) => step === outcome.decidedBy)?.at;
    return at === undefined ? undefined : SHOP.split("\n")[at.line - 1]?.trim();
  };
  assert.match(await lineOf("GET /orders?limit=0") ?? "", /^- \{name: limit/);
  assert.match(await lineOf("POST /orders", TENANT, '{"item":"a"}') ?? "", /^item:/);
  assert.match(await lineOf("POST /orders", TENANT, '{"item":"ab","lines":[{"sku":1}]}') ?? "", /^lines:/);
  assert.match(await lineOf("DELETE /orders/7") ?? "", /^security: \[\{key/);
});

Deno.test("explain() tells each condition of the rules and examples, and the weights of media types", async () => {
  const server = await shop();
  await addRules(server);
  const { steps } = await server.explain("http://localhost/orders?limit=8", { headers: { accept: "*/*;q=0.5" } });
  const rules = stepOf({ steps } as Explanation, "rules").details?.rules ?? [];
  assert.deepEqual(rules.map(({ id, applies, conditions }) => [id, applies, conditions.map(({ isMet }) => isMet)]), [
    ["r3", false, [false]],
    ["r2", true, [true]],
    ["r1", false, [false]],
  ]);
  assert.equal(rules[0]?.reason, "the request doesn't meet query.limit = 7.");
  const plain = await server.explain("http://localhost/orders", { headers: { accept: "*/*;q=0.5, text/xml" } });
  assert.deepEqual(stepOf(plain, "accept").details?.offers, [
    { mediaType: "application/json", weight: 0.5, isChosen: true },
    { mediaType: "application/xml", weight: 0.5, isChosen: false },
  ]);
  const example = await server.explain("http://localhost/orders/3");
  assert.deepEqual(stepOf(example, "conditions").details?.examples?.[0], {
    name: "shelf",
    isChosen: false,
    conditions: [
      { part: "path.orderId", wanted: 3, isMet: true },
      { part: "query.full", wanted: "yes", isMet: false },
    ],
  });
});

Deno.test("explain() tells the resource and the item of an answer from state", async () => {
  const server = await createMockServer(await parseDocument(TODOS));
  const resourceOf = async (line: string): Promise<unknown> =>
    stepOf(await server.explain(...requestOf(line)), "content").details?.resource;
  assert.deepEqual(await resourceOf("GET /todos"), { name: "todos", kind: "list" });
  assert.deepEqual(await resourceOf("GET /todos/2"), { name: "todos", kind: "read", key: "2" });
  assert.deepEqual(await resourceOf("DELETE /todos/99"), { name: "todos", kind: "delete", key: "99" });
});

Deno.test("explain() names the place in a file that is referred to, and in a definition that is an object", async () => {
  const paths = { "/pets": { get: { responses: { "200": { $ref: "responses.yaml#/Pets" } } } } };
  const responses = "Pets:\n  description: Pets\n  content:\n    application/json: {example: [Tom]}\n";
  const options = { uri: "file:///pets.yaml", load: () => Promise.resolve(new TextEncoder().encode(responses)) };
  const definition = JSON.stringify({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths }, null, 2);
  const placesOf = async (document: Parameters<typeof createMock>[0]): Promise<unknown> => {
    const { steps } = await createMock(document).explain(new Request("http://localhost/pets"));
    return steps.flatMap(({ step, at }) => at === undefined ? [] : [`${step} ${at.file}:${at.line}:${at.column}`]);
  };
  assert.deepEqual(await placesOf(await parseDocument(definition, options)), [
    "route file:///pets.yaml:9:8",
    "response file:///responses.yaml:1:1",
    "accept file:///responses.yaml:4:5",
    "content file:///responses.yaml:4:24",
  ]);
  const whole = {
    ...JSON.parse(definition),
    paths: { "/pets": { get: { responses: { "204": { description: "" } } } } },
  };
  assert.deepEqual(await placesOf(whole), [
    "route definition:9:8",
    "response definition:11:12",
    "content definition:11:12",
  ]);
});

Deno.test("explain() changes nothing: state, counts of rules, seeds, journal, sessions", async () => {
  const server = await createMockServer(await parseDocument(TODOS), { dynamic: false });
  await server.rules.add({ operation: "listTodos", status: 503, times: 1, force: true });
  const add = requestOf("POST /todos", JSON_TYPE, '{"title":"Rest"}');
  for (let count = 0; count < 3; count++) {
    assert.equal((await server.explain(...add)).outcome.status, 201);
    assert.equal((await server.explain("http://localhost/todos")).outcome.status, 503);
    assert.equal((await server.explain(...requestOf("DELETE /todos/1"))).outcome.status, 204);
    await server.explain("http://localhost/todos", { headers: { "x-gw-session": "other" } });
  }
  assert.equal((await server.state.list("todos")).length, 3);
  assert.deepEqual(server.rules.list().map(({ applied }) => applied), [0]);
  assert.deepEqual(await server.requests.list(), []);
  const made = await (await server.fetch(...add)).json();
  const other = await (await (await createMockServer(await parseDocument(TODOS))).fetch(...add)).json();
  assert.deepEqual(made, other);
});

Deno.test("explain() counts no generated answer: the next request gets the seed that was told", async () => {
  const mock = createMock(await parseDocument(SHOP), { dynamic: true });
  const request = (): Request => new Request("http://localhost/reports/may.csv");
  const seed = async (): Promise<unknown> => stepOf(await mock.explain(request()), "content").details?.seed;
  assert.equal(await seed(), 1);
  assert.equal(await seed(), 1);
  await (await mock(request())).text();
  assert.equal(await seed(), 2);
});

Deno.test("explain() tells the answers of rules with a share in advance", async () => {
  const server = await shop();
  await server.rules.add({ operation: "listOrders", share: 0.5, status: 503, force: true });
  const statuses = new Set<number | undefined>();
  for (let count = 0; count < 20; count++) {
    const { outcome } = await server.explain("http://localhost/orders");
    assert.deepEqual((await server.explain("http://localhost/orders")).outcome, outcome);
    assert.equal((await server.fetch("http://localhost/orders")).status, outcome.status);
    statuses.add(outcome.status);
  }
  assert.deepEqual([...statuses].toSorted(), [200, 503]);
});

Deno.test("explain() tells the delay and the fault of a rule", async () => {
  const server = await shop();
  await server.rules.add({ operation: "listOrders", delay: 250, fault: "truncated", bytes: 3 });
  const { outcome, steps } = await server.explain("http://localhost/orders");
  assert.deepEqual([outcome.delay, outcome.fault, outcome.rules], [250, "truncated", ["r1"]]);
  assert.deepEqual(steps.slice(-2).map(({ summary }) => summary), [
    "A rule holds the answer back for 250 ms.",
    "A rule truncates the body after 3 bytes.",
  ]);
});

Deno.test("explain() sends nothing to the upstream", async () => {
  let sent = 0;
  const upstream = (): Response => {
    sent++;
    return new Response("upstream");
  };
  const options = { upstream, proxyAll: true, proxyUnknown: true, validateUpstream: "error" as const };
  const mock = createMock(await parseDocument(SHOP), options);
  const ask = async (...asked: [string, RequestInit?]) => (await mock.explain(new Request(...asked))).outcome;
  const passed = await ask("http://localhost/orders");
  assert.deepEqual([passed.source, passed.status, passed.decidedBy], ["upstream", undefined, "route"]);
  const unknown = await ask("http://localhost/other");
  assert.deepEqual([unknown.source, unknown.status, unknown.decidedBy], ["upstream", undefined, "route"]);
  const refused = await ask("http://localhost/orders?limit=0");
  assert.deepEqual([refused.status, refused.decidedBy], [422, "validation"]);
  assert.equal(sent, 0);
});

Deno.test("explain() tells how a request names its session", async () => {
  const server = await shop({ control: true });
  const sessionOf = async (path: string, headers: Headers = {}): Promise<unknown> =>
    stepOf(await server.explain(`http://localhost${path}`, { headers }), "session").details?.session;
  assert.deepEqual(await sessionOf("/orders"), { name: "", namedBy: "default" });
  assert.deepEqual(await sessionOf("/orders", { "x-gw-session": "a" }), { name: "a", namedBy: "header" });
  assert.deepEqual(await sessionOf("/_gw/s/b/orders"), { name: "b", namedBy: "path" });
  const ofSession = await server.session("c").explain("http://localhost/orders");
  assert.deepEqual(stepOf(ofSession, "session").details?.session, { name: "c", namedBy: "default" });
  const { outcome } = await server.explain("http://localhost/orders", { headers: { "x-gw-session": "a b" } });
  assert.deepEqual([outcome.status, outcome.decidedBy], [400, "session"]);
});

Deno.test("explain() tells the server's own reason where no path fits", async () => {
  const server = await shop({ control: true });
  const { outcome: slash } = await server.explain("http://localhost/_gw");
  assert.match(slash.reason, /^There is nothing at \/_gw\./);
  const disabled = SHOP.replace("operationId: getFailing,", "operationId: getFailing, x-svc: {disabled: true},");
  const gateway = createMock(await parseDocument(disabled), { asGateway: true });
  const { outcome } = await gateway.explain(new Request("http://localhost/failing", { method: "PUT" }));
  assert.deepEqual([outcome.status, outcome.decidedBy], [404, "route"]);
  assert.match(outcome.reason, /disabled by x-svc\.disabled/);
});

Deno.test("explain() says that credentials and requests aren't checked where that is off", async () => {
  const unchecked = await (await shop({ validate: "off" })).explain("http://localhost/orders?limit=0");
  assert.match(stepOf(unchecked, "validation").summary, /^Requests aren't checked/);
  const open = await (await shop({ validate: "error", security: false })).explain("http://localhost/account");
  assert.match(stepOf(open, "credentials").summary, /^Credentials aren't checked/);
  const warned = await (await shop({ validate: "warn" })).explain("http://localhost/orders?limit=0");
  assert.match(stepOf(warned, "validation").summary, /answered nevertheless; `--validate error` refuses it/);
  assert.deepEqual([warned.outcome.status, warned.outcome.decidedBy], [200, "content"]);
});

Deno.test("explain() doesn't carry out requests for the control API", async () => {
  const server = await shop({ control: true, clientOf: () => "127.0.0.1" });
  await addRules(server);
  const { outcome } = await server.explain("http://localhost/_gw/reset", { method: "POST" });
  assert.deepEqual([outcome.source, outcome.status, outcome.decidedBy], ["gw", undefined, "route"]);
  assert.equal(server.rules.list().length, 3);
});
