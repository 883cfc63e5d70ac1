/** Path keys with conditions (a query or a fragment) in a mock server. */
import assert from "node:assert/strict";
import { createMock } from "../../../lib/mock/mock.ts";
import type { MockOptions } from "../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";

function operation(name: string, parameters = "[]"): string {
  return `{operationId: ${name}, parameters: ${parameters}, responses: {"200": {description: Fine., ` +
    `content: {text/plain: {example: ${name}}}}}}`;
}

const ID = "[{name: id, in: path, required: true, schema: {type: string}}]";
const ACTION = (value: string): string =>
  `[{name: Action, in: query, required: true, schema: {type: string, enum: [${value}]}}]`;
const USER = "[{name: user, in: path, required: true, schema: {type: string, maxLength: 3}}]";

const DEFINITION = `openapi: 3.1.0
info: {title: Keys, version: "1"}
servers: [{url: /api}]
paths:
  /agents/{id}: {get: ${operation("stable", ID)}}
  "/agents/{id}?beta=true": {get: ${operation("beta", ID)}, delete: ${operation("remove", ID)}}
  "/#X-Amz-Target=DynamoDB.ListTables": {post: ${operation("list")}}
  "/#X-Amz-Target=DynamoDB.GetItem": {post: ${operation("item")}}
  "/iam#Action=CreateUser": {get: ${operation("create", ACTION("CreateUser"))}}
  "/iam#Action=DeleteUser": {get: ${operation("delete", ACTION("DeleteUser"))}}
  "/odd#one": {get: ${operation("one", "[{name: not a token, in: header, required: true, schema: {type: string}}]")}}
  "/odd#two": {get: ${operation("two", "[{name: key, in: query, required: true, schema: {type: string}}]")}}
  "/users?name={user}": {get: ${operation("user", USER)}}
`;

async function ask(
  line: string,
  headers: Record<string, string> = {},
  options: MockOptions = {},
): Promise<Response> {
  const [method = "", target = ""] = line.split(" ");
  const mock = createMock(await parseDocument(DEFINITION), { control: true, ...options });
  return await mock(new Request(`http://localhost${target}`, { method, headers }));
}

const CASES: readonly (readonly [line: string, headers: Record<string, string>, want: string])[] = [
  ["GET /agents/1", {}, "stable"],
  ["GET /agents/1?beta=true", {}, "beta"],
  ["GET /api/agents/1?beta=true", {}, "beta"],
  ["DELETE /agents/1?beta=true", {}, "remove"],
  ["POST /", { "x-amz-target": "DynamoDB.GetItem" }, "item"],
  ["GET /iam?Action=DeleteUser", {}, "delete"],
  ["GET /iam?Action=CreateUser", {}, "create"],
  ["GET /iam", {}, "create"],
  ["GET /users?name=Tom", {}, "user"],
  ["GET /odd?key=a", {}, "two"],
];

for (const [line, headers, want] of CASES) {
  Deno.test(`${line} ${JSON.stringify(headers)} is answered by ${want}`, async () => {
    const response = await ask(line, headers, { validate: "error" });
    const text = await response.text();
    // `GET /iam` reaches the operation `create`, which refuses it: it lacks the query `Action`.
    assert.ok(text === want || (line === "GET /iam" && text.includes("Action")), text);
  });
}

Deno.test("a path parameter in the query of a path key is checked", async () => {
  const response = await ask("GET /users?name=Thomas", {}, { validate: "error" });
  assert.equal(response.status, 422);
  assert.deepEqual((await response.json()).validation[0].location, ["path", "user"]);
});

const NEEDS_TARGET =
  "The request lacks a query or header that the definition's path demands: POST / needs the header " +
  "`X-Amz-Target: DynamoDB.ListTables`; POST / needs the header `X-Amz-Target: DynamoDB.GetItem`.";

const PROBLEMS: readonly (readonly [line: string, headers: Record<string, string>, status: number, detail: string])[] =
  [
    ["POST /", {}, 404, NEEDS_TARGET],
    ["POST /", { "x-amz-target": "" }, 404, NEEDS_TARGET],
    // By default, gw answers `GET /` with a list of the operations. This definition declares `/`, so gw doesn't.
    ["GET /", {}, 404, NEEDS_TARGET],
    [
      "GET /users",
      {},
      404,
      "The request lacks a query or header that the definition's path demands: GET /users needs the query `name`.",
    ],
    ["DELETE /agents/1", {}, 405, "/agents/1 has no DELETE; it has GET, HEAD, OPTIONS."],
    [
      "GET /agent/1",
      {},
      404,
      "No path of the definition fits /agent/1. Near it: /agents/{id}, /agents/{id}?beta=true.",
    ],
  ];

for (const [line, headers, status, detail] of PROBLEMS) {
  Deno.test(`${line} ${JSON.stringify(headers)} is refused with ${status}`, async () => {
    const response = await ask(line, headers);
    assert.deepEqual({ status: response.status, detail: (await response.json()).detail }, { status, detail });
  });
}

Deno.test("OPTIONS lists the methods whose query conditions are met, with any headers", async () => {
  for (
    const [target, allow] of [
      ["/agents/1", "GET, HEAD, OPTIONS"],
      ["/agents/1?beta=true", "GET, DELETE, HEAD, OPTIONS"],
      ["/", "POST, OPTIONS"],
    ]
  ) assert.equal((await ask(`OPTIONS ${target}`)).headers.get("allow"), allow);
});

Deno.test("a parameter that is no whole segment is read below any base path", async () => {
  const ids = "{name: ids, in: path, required: true, schema: {type: array, items: {type: integer}}}";
  const mock = createMock(
    await parseDocument(`openapi: 3.1.0
info: {title: Reports, version: "1"}
servers: [{url: /v1/shop}]
paths:
  "/reports/{ids}.json": {get: ${operation("reports", `[${ids}]`)}}
  "/users?ids={ids}": {get: ${operation("users", `[${ids}]`)}}
`),
    { validate: "error" },
  );
  for (const target of ["/reports/1,2.json", "/users?ids=1,2"]) {
    for (const base of ["", "/v1/shop"]) {
      const response = await mock(new Request(`http://localhost${base}${target}`));
      assert.equal(response.status, 200, await response.text());
    }
  }
});
