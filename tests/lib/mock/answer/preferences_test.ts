import assert from "node:assert/strict";
import { createResponder } from "../../../../lib/mock/responder.ts";
import { formatPreferences, readPreferences } from "../../../../lib/mock/answer/preferences.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

/** Requests, the expected `Preference-Applied`, and the remarks on preferences that can't be honoured. */
const CASES: { prefer?: string; query?: string; applied?: string; remarks?: string[] }[] = [
  {
    prefer: "code=404, dynamic, seed=3, array-size=10000",
    applied: "code=404, dynamic=true, seed=3, array-size=10000",
  },
  { query: "__code=200&__example=a%20b", applied: 'code=200, example="a%20b"' },
  ...["abc", "", "99", "199", "600", "1e2", "-404"].flatMap((code) => [
    { prefer: `code=${code}`, remarks: [`Prefer: code=${code} is not honoured: code is a status from 200 to 599.`] },
    {
      query: `__code=${code}`,
      remarks: [`The query __code=${code} is not honoured: code is a status from 200 to 599.`],
    },
  ]),
  {
    prefer: "code=404, array-size=20000",
    applied: "code=404",
    remarks: ["Prefer: array-size=20000 is not honoured: array-size is a whole number from 0 to 10000."],
  },
  {
    prefer: "seed=x",
    remarks: ["Prefer: seed=x is not honoured: seed is a whole number from 0 to 9007199254740991."],
  },
  { prefer: "dynamic=yes", remarks: ["Prefer: dynamic=yes is not honoured: dynamic is true or false."] },
  { prefer: "example", remarks: ["Prefer: example= is not honoured: example is the name of an example."] },
  { prefer: "exmaple=cat", remarks: ["Prefer: exmaple=cat is not honoured. Did you mean example?"] },
  {
    prefer: "teapot",
    remarks: ["Prefer: teapot is not honoured. gw mock has code, example, dynamic, seed, array-size."],
  },
  { query: "__exmaple=cat", remarks: ["The query __exmaple is not honoured. Did you mean __example?"] },
  { query: "a__code=1&__typename=Pet&x=__code" },
  {
    prefer:
      "respond-async, return=minimal, wait=10, handling=strict, depth-noroot, safe, odata.maxpagesize=5, omit-values=nulls",
  },
  {
    prefer: `${"x".repeat(150)}`,
    remarks: [`Prefer: ${"x".repeat(100)}… is not honoured. gw mock has code, example, dynamic, seed, array-size.`],
  },
];

for (const { prefer, query = "", applied = "", remarks = [] } of CASES) {
  Deno.test(`preferences ${prefer?.slice(0, 60) ?? query} come to ${applied || "nothing"}`, () => {
    const asked = readPreferences(prefer ?? null, query);
    assert.equal(formatPreferences(asked.preferences), applied);
    assert.deepEqual(asked.remarks, remarks);
  });
}

Deno.test("remarks are limited in number and length", () => {
  const prefer = Array.from({ length: 1000 }, (_, index) => `p${index}`).join(", ");
  assert.equal(readPreferences(prefer, "").remarks.length, 20);
});

Deno.test("an operation's own header Prefer, and its own queries, get no remark", async () => {
  const parameters = [{ in: "header", name: "Prefer", schema: {} }, { in: "query", name: "__cod", schema: {} }];
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: { "/a": { get: { parameters, responses: { 200: {} } } }, "/b": { get: { responses: { 200: {} } } } },
  }));
  const respond = await createResponder([document]);
  const remarksOf = async (path: string): Promise<readonly string[] | undefined> =>
    (await respond(new Request(`http://h${path}?__cod=1`, { headers: { prefer: "count=exact" } }))).remarks;
  assert.equal(await remarksOf("/a"), undefined);
  assert.equal((await remarksOf("/b"))?.length, 2);
});

Deno.test("a preferred code that the operation doesn't declare gets a remark", async () => {
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: { "/a": { get: { responses: { 200: {} } } } },
  }));
  for (const code of [204, 503]) {
    const { remarks } = await (await createResponder([document]))(new Request(`http://h/a?__code=${code}`));
    assert.match(remarks?.join("\n") ?? "", new RegExp(`^GET /a has no response ${code}; it has 200\\.`));
  }
});

Deno.test("a preference without effect gets a remark", async () => {
  const schema = { type: "array", items: { type: "integer" }, maxItems: 2 };
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    paths: {
      "/none": { get: { responses: { 204: {} } } },
      "/example": { get: { responses: { 200: { content: { "application/json": { schema, example: [1] } } } } } },
      "/made": { get: { responses: { 200: { content: { "application/json": { schema } } } } } },
    },
  }));
  const respond = await createResponder([document]);
  const cases = [
    { target: "/none?__array-size=3", want: "array-size=3 is not honoured: the response has no body." },
    { target: "/none?__example=x", want: "example=x is not honoured: the response has no body." },
    {
      target: "/example?__array-size=3",
      want: "array-size=3 is not honoured: the body is an example; the preference dynamic=true has one generated.",
    },
    {
      target: "/made?__array-size=3",
      want: "array-size=3 is not honoured: the schema has no array that may be so long.",
    },
    { target: "/made?__array-size=2" },
    { target: "/example?__dynamic=true&__array-size=2" },
    { target: "/none?__dynamic=true" },
  ];
  for (const { target, want } of cases) {
    const { remarks } = await respond(new Request(`http://h${target}`));
    assert.deepEqual(remarks, want === undefined ? undefined : [`The preference ${want}`], target);
  }
});

const PET = { type: "object", required: ["id"], properties: { id: { type: "integer" }, name: { type: "string" } } };
const SIZED: { title: string; schema?: unknown; example: unknown; size: number; want: (body: unknown) => boolean }[] = [
  {
    title: "a shorter list",
    schema: { type: "array" },
    example: [1, 2, 3],
    size: 2,
    want: (body) => isLike(body, [1, 2]),
  },
  { title: "an empty list", example: { data: [1] }, size: 0, want: (body) => isLike(body, { data: [] }) },
  { title: "repeated items without a schema", example: [1, 2], size: 5, want: (body) => isLike(body, [1, 2, 1, 2, 1]) },
  {
    title: "generated items with the example's properties",
    schema: { type: "object", properties: { data: { type: "array", items: PET }, total: { type: "integer" } } },
    example: { data: [{ id: 1 }], total: 1 },
    size: 3,
    want: (body) => {
      const { data, total } = body as { data: { id: number }[]; total: number };
      return total === 1 && data.length === 3 && data.every((item) => isLike(Object.keys(item), ["id"])) &&
        new Set(data.map(({ id }) => id)).size === 3;
    },
  },
  {
    title: "the example, if the schema doesn't allow the size",
    schema: { type: "array", minItems: 2 },
    example: [1, 2, 3],
    size: 1,
    want: (body) => isLike(body, [1, 2, 3]),
  },
];
const isLike = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

for (const { title, schema, example, size, want } of SIZED) {
  Deno.test(`array-size makes of an example ${title}`, async () => {
    const media = { ...schema === undefined ? {} : { schema }, example };
    const document = await parseDocument(JSON.stringify({
      openapi: "3.1.0",
      paths: { "/a": { get: { responses: { 200: { content: { "application/json": media } } } } } },
    }));
    const respond = await createResponder([document]);
    const { response } = await respond(new Request(`http://h/a?__array-size=${size}`));
    const body: unknown = await response.json();
    assert.ok(want(body), JSON.stringify(body));
  });
}

Deno.test("as a gateway, preferences get no remarks", async () => {
  const document = await parseDocument(JSON.stringify({
    openapi: "3.1.0",
    "x-svc": { mocking: { enabled: true } },
    paths: { "/a": { get: { responses: { 200: {} } } } },
  }));
  const { response, remarks } = await (await createResponder([document], { asGateway: true }))(
    new Request("http://h/a?__code=503", { headers: { prefer: "code=abc, x" } }),
  );
  assert.equal(response.status, 200);
  assert.equal(remarks, undefined);
});

Deno.test("the first reply with a generated body remarks on an example that isn't used", async () => {
  const schema = { type: "object", properties: { count: { type: "integer", example: "many" } } };
  const document = await parseDocument({
    openapi: "3.1.0",
    info: { title: "Notes", version: "1.0.0" },
    paths: { "/": { get: { responses: { 200: { description: "OK", content: { "application/json": { schema } } } } } } },
  });
  const respond = await createResponder([document]);
  const remarksOf = async (): Promise<readonly string[] | undefined> =>
    (await respond(new Request("http://h/"))).remarks;
  assert.match((await remarksOf())?.join() ?? "", /^The example "many" at #\/paths\/.* is not used/);
  assert.equal(await remarksOf(), undefined);
});
