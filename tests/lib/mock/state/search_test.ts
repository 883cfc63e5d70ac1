import assert from "node:assert/strict";
import { createStateClient, type StateClient } from "./state_client.ts";

const THING = `{$ref: "#/components/schemas/Thing"}`;
const json = (schema: string): string => `content: {application/json: {schema: ${schema}}}`;

/** A definition of things, with a search below them. */
function things(path: string, operation: string, member = "/things/{id}"): string {
  return `
openapi: 3.1.0
info: {title: Things, version: 1.0.0}
paths:
  /things:
    get: {responses: {"200": {description: All., ${json(`{type: array, items: ${THING}}`)}}}}
    post:
      requestBody: {${json(THING)}}
      responses: {"201": {description: Made., ${json(THING)}}}
  ${path}: ${operation}
  ${member}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get: {responses: {"200": {description: One., ${json(THING)}}}}
components:
  schemas:
    Thing:
      type: object
      required: [id, name]
      properties:
        id: {type: string, readOnly: true}
        name: {type: string}
        tags: {type: array, items: {type: string}}
        slots: {type: integer}
        note: {type: [string, "null"]}
        created: {type: string, format: date-time, readOnly: true}
`;
}

const OPEN = "{type: object}";
const FILTER = `{type: object, properties: {limit: {type: integer, default: 10}, offset: {type: integer},
  sort: {type: string, enum: [CREATED_ASC, CREATED_DESC, NAME_ASC, SLOTS_DESC]}, others: {type: object},
  things: {type: object, properties: {operator: {type: string}, name: {type: object, properties: {any_: {type: array,
  items: {type: string}}, like_: {type: string}}}, tags: {type: object}, slots: {type: object}, note: {type: object}}}}}`;

const post = (body: string, response = `{type: array, items: ${THING}}`): string =>
  `{post: {requestBody: {${json(body)}}, responses: {"200": {description: Those., ${json(response)}}}}}`.replaceAll(
    "\n",
    " ",
  );

async function withThings(path: string, operation: string, member?: string): Promise<StateClient> {
  const client = await createStateClient(things(path, operation, member));
  const made = [
    { name: "amber", tags: ["a", "b"], slots: 1, note: "blue" },
    { name: "birch", tags: ["b"], slots: 2, note: null },
    { name: "cedar", tags: [], slots: 3, note: "Blue sky" },
  ];
  for (const thing of made) await client.ask("POST /things", thing);
  return client;
}

const namesOf = (things: readonly { name: string }[]): string => things.map(({ name }) => name).join(" ");

const SEARCHES: { path: string; body?: string; asked: readonly [unknown, string][] }[] = [
  {
    path: "/things/filter",
    body: FILTER,
    asked: [
      [undefined, "amber birch cedar"],
      [{}, "amber birch cedar"],
      [{ limit: 1 }, "amber"],
      [{ limit: 2, offset: 1 }, "birch cedar"],
      [{ sort: "CREATED_DESC" }, "cedar birch amber"],
      [{ sort: "SLOTS_DESC", limit: 2 }, "cedar birch"],
      [{ things: null }, "amber birch cedar"],
      [{ things: { name: { any_: ["birch", "cedar"] } } }, "birch cedar"],
      [{ things: { name: { like_: "ER" } } }, "amber"],
      [{ things: { name: { like_: "%dar" } } }, "cedar"],
      [{ things: { tags: { all_: ["a", "b"] } } }, "amber"],
      [{ things: { tags: { any_: ["a", "b"] } } }, "amber birch"],
      [{ things: { note: { is_null_: true } } }, "birch"],
      [{ things: { note: { is_null_: false } } }, "amber cedar"],
      [{ things: { name: { any_: ["amber"] }, slots: { gt_: 1 } } }, ""],
      [{ things: { operator: "or_", name: { any_: ["amber"] }, slots: { gt_: 2 } } }, "amber cedar"],
    ],
  },
  {
    path: "/things/_search",
    body:
      "{type: object, properties: {name: {type: string}, name_contains: {type: string}, minSlots: {type: integer}}}",
    asked: [
      [{ name: "birch" }, "birch"],
      [{ name_contains: "R" }, "amber birch cedar"],
      [{ minSlots: 2 }, "birch cedar"],
    ],
  },
  {
    path: "/things/query",
    body: "{type: object, properties: {filter: {type: object}, query: {type: string}}}",
    asked: [
      [{ filter: { name: "cedar" } }, "cedar"],
      [{ filter: { $or: [{ name: "cedar" }, { slots: { $lte: 1 } }] } }, "amber cedar"],
      [{ filter: { $not: { name: { $in: ["amber", "birch"] } } } }, "cedar"],
      [{ query: "blue" }, "amber cedar"],
    ],
  },
  { path: "/things/list", body: OPEN, asked: [[{}, "amber birch cedar"]] },
];

for (const { path, body = OPEN, asked } of SEARCHES) {
  Deno.test(`POST ${path} finds the items that were created`, async () => {
    const client = await withThings(path, post(body));
    for (const [wanted, want] of asked) {
      assert.equal(namesOf((await client.ask(`POST ${path}`, wanted)).body), want, JSON.stringify(wanted));
    }
  });
}

Deno.test("a search by POST has the page and the total in its response", async () => {
  const page = `{type: object, required: [results, count], properties: {results: {type: array, items: ${THING}},
    count: {type: integer}, limit: {type: integer}, pages: {type: integer}, page: {type: integer}}}`;
  const client = await withThings(
    "/things/paginate",
    post("{type: object, properties: {limit: {type: integer}, page: {type: integer, default: 1}}}", page),
  );
  const { body } = await client.ask("POST /things/paginate", { limit: 2, page: 2 });
  assert.equal(namesOf(body.results), "cedar");
  assert.deepEqual({ ...body, results: 0 }, { results: 0, count: 3, limit: 2, pages: 2, page: 2 });
});

const WHOLE = "{type: integer}";
const COUNTS: { path: string; operation: string; asked: readonly [string, unknown, unknown][] }[] = [
  {
    path: "/things/count",
    operation: post(FILTER, WHOLE),
    asked: [["POST /things/count", undefined, 3], ["POST /things/count", { things: { slots: { gte: 2 } } }, 2]],
  },
  {
    path: "/things/count",
    operation:
      `{get: {parameters: [{name: name, in: query, schema: {type: string}}], responses: {"200": {description: N,
      ${json("{type: object, properties: {count: {type: integer}}}")}}}}}`,
    asked: [["GET /things/count", undefined, { count: 3 }], ["GET /things/count?name=amber", undefined, { count: 1 }]],
  },
];

for (const { path, operation, asked } of COUNTS) {
  Deno.test(`${asked[0]?.[0]} counts the items`, async () => {
    const client = await withThings(path, operation.replaceAll("\n", " "));
    for (const [line, body, want] of asked) assert.deepEqual((await client.ask(line, body)).body, want, line);
  });
}

for (const setting of ["collection: /things", "name: things"]) {
  Deno.test(`a search with another name is bound by hand, with ${setting}`, async () => {
    const operation = post(OPEN).replace("{post:", `{x-svc: {mocking: {resource: {${setting}}}}, post:`);
    const client = await withThings("/things/pick", operation);
    assert.equal(namesOf((await client.ask("POST /things/pick", {})).body), "amber birch cedar");
  });
}

Deno.test("a search for unknown properties gets a remark", async () => {
  const client = await withThings("/things/query", post("{type: object, properties: {filter: {type: object}}}"));
  const { body, remarks } = await client.ask("POST /things/query", { filter: { colour: "red" } });
  assert.equal(namesOf(body), "amber birch cedar");
  assert.match(remarks.join(), /"colour"/);
});

const QUERIES: readonly [name: string, schema: string, asked: Readonly<Record<string, string>>][] = [
  ["search", "{type: string}", { "search=birch": "birch", "search=BLUE": "amber cedar", "search=blue%20sky": "cedar" }],
  ["q", "{type: string}", { "q=amb": "amber", "q=name:amber": "amber birch cedar" }],
  ["name_contains", "{type: string}", { "name_contains=IRC": "birch" }],
  ["name__icontains", "{type: string}", { "name__icontains=irc": "birch" }],
  ["name_prefix", "{type: string}", { "name_prefix=bi": "birch", "name_prefix=ch": "" }],
  ["name_ends_with", "{type: string}", { "name_ends_with=ch": "birch" }],
  ["nameEndswith", "{type: string}", { "nameEndswith=ch": "birch" }],
  ["name_pattern", "{type: string}", { "name_pattern=%25d%25": "cedar", "name_pattern=c*": "cedar" }],
  ["slots_gte", "{type: integer}", { "slots_gte=2": "birch cedar" }],
  ["note_isnull", "{type: boolean}", { "note_isnull=true": "birch", "note_isnull=false": "amber cedar" }],
  ["filter", "{type: object}, style: deepObject", {
    "filter[name][_eq]=birch": "birch",
    "filter[slots][_gt]=1": "birch cedar",
  }],
  ["filter", "{type: string}", { 'filter={"name":{"_eq":"birch"}}': "birch", "filter=birch": "amber birch cedar" }],
];

for (const [name, schema, asked] of QUERIES) {
  Deno.test(`the query parameter ${name} ${schema} filters a list`, async () => {
    const parameter = `{name: ${name}, in: query, schema: ${schema}}`;
    const list = `{get: {parameters: [${parameter}], responses: {"200": {description: Those., ${
      json(`{type: array, items: ${THING}}`)
    }}}}}`;
    const client = await withThings("/things/list", list);
    for (const [query, want] of Object.entries(asked)) {
      const { body, remarks } = await client.ask(`GET /things/list?${query}`);
      assert.equal(namesOf(body), want, query);
      assert.equal(remarks.length, want === "amber birch cedar" ? 1 : 0, query);
    }
  });
}

for (
  const [name, schema] of [["fields", "{type: array, items: {type: string}}, explode: false"], [
    "select",
    "{type: string}",
  ]]
) {
  Deno.test(`the query parameter ${name} selects the fields, beside the required ones`, async () => {
    const list = `{get: {parameters: [{name: ${name}, in: query, schema: ${schema}}],
      responses: {"200": {description: Those., ${json(`{type: array, items: ${THING}}`)}}}}}`.replaceAll("\n", " ");
    const client = await withThings("/things/list", list);
    const keysOf = async (query: string) => Object.keys((await client.ask(`GET /things/list?${query}`)).body[0]).join();
    assert.equal(await keysOf(`${name}=name,slots`), "id,name,slots");
    assert.equal(await keysOf(`${name}=tags`), "id,name,tags");
    assert.equal(await keysOf(`${name}=*`), "id,name,tags,slots,note,created");
  });
}
