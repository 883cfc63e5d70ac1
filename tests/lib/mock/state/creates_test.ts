import assert from "node:assert/strict";
import { createStateClient, type StateClient } from "./state_client.ts";

const BOX = `{$ref: "#/components/schemas/Box"}`;
const MANY = `{type: array, items: ${BOX}}`;
const json = (schema: string, more = ""): string => `content: {application/json: {schema: ${schema}${more}}}`;

/** A definition of boxes, with a create whose request and response have the schemas given. */
function boxes(request: string, response: string, { more = "", status = 201, name = "{type: string}", put = "" } = {}) {
  return createStateClient(`
openapi: 3.1.0
info: {title: Boxes, version: 1.0.0}
paths:
  /boxes:
    get: {responses: {"200": {description: All., ${json(MANY)}}}}
    ${
    put !== ""
      ? put
      : `post: {requestBody: {${json(request)}}, responses: {"${status}": {description: Made., ${response}}${more}}}`
  }
  /boxes/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: One., ${json(BOX)}}}}
    delete: {responses: {"204": {description: Gone.}}}
components:
  schemas:
    Box:
      type: object
      required: [label]
      properties: {id: {type: integer, readOnly: true}, label: ${name}, width: {type: [integer, "null"]}}
`);
}

const labelsIn = async (client: StateClient): Promise<string> =>
  (await client.ask("GET /boxes")).body.map(({ label }: { label: string }) => label).join(" ");

const CREATES: { title: string; request: string; response: string; status?: number; one?: unknown; many: unknown }[] = [
  { title: "a list", request: MANY, response: json(MANY), many: [{ id: 1 }, { id: 2 }] },
  {
    title: "a list, with a list in an envelope",
    request: MANY,
    response: json(`{type: object, properties: {data: ${MANY}, count: {type: integer}}}`),
    many: { data: [{ id: 1 }, { id: 2 }] },
  },
  { title: "a list, without a body", request: MANY, response: json("{}"), many: undefined },
  {
    title: "an item or a list, in an envelope without type",
    request: `{oneOf: [${MANY}, ${BOX}]}`,
    response: json(`{type: object, properties: {data: {items: ${BOX}}}}`),
    status: 200,
    one: { data: { id: 3 } },
    many: { data: [{ id: 1 }, { id: 2 }] },
  },
  {
    title: "a list or an item, with either in the response",
    request: `{oneOf: [${BOX}, ${MANY}]}`,
    response: json(`{oneOf: [${BOX}, ${MANY}]}`),
    one: { id: 3 },
    many: [{ id: 1 }, { id: 2 }],
  },
  {
    title: "an item, with a list in the response",
    request: `{oneOf: [${BOX}, ${MANY}]}`,
    response: json(MANY),
    one: [{ id: 3 }],
    many: [{ id: 1 }, { id: 2 }],
  },
];

/** The ids in a body, wherever they stand. */
const idsIn = (body: unknown): unknown =>
  Array.isArray(body)
    ? body.map(idsIn)
    : typeof body === "object" && body !== null
    ? "id" in body ? { id: body.id } : Object.fromEntries(
      Object.entries(body).filter(([name]) => name === "data").map(([key, value]) => [key, idsIn(value)]),
    )
    : body;

for (const { title, request, response, status, one, many } of CREATES) {
  Deno.test(`a create takes ${title}`, async () => {
    const client = await boxes(request, response, { status: status ?? 201 });
    const made = await client.ask("POST /boxes", [{ label: "large" }, { label: "small" }]);
    assert.equal(made.status, status ?? 201);
    if (many !== undefined) assert.deepEqual(idsIn(made.body), many);
    assert.equal(made.headers.get("location"), null);
    assert.equal(await labelsIn(client), "large small");
    if (one !== undefined) {
      const single = await client.ask("POST /boxes", { label: "flat" });
      assert.deepEqual(idsIn(single.body), one);
      assert.equal(single.headers.get("location"), "/boxes/3");
      assert.equal(await labelsIn(client), "large small flat");
    }
    await client.ask("POST /boxes", []);
    assert.equal((await client.ask("GET /boxes")).body.length, one === undefined ? 2 : 3);
  });
}

Deno.test("if one item of a list can't be created, none is", async () => {
  const client = await boxes(MANY, json(MANY), {
    more: `, "409": {description: A box with this label exists already.}`,
  });
  const { status } = await client.ask("POST /boxes", [{ label: "large" }, { label: "large" }]);
  assert.equal(status, 409);
  assert.equal(await labelsIn(client), "");
  assert.equal((await client.ask("POST /boxes", Array.from({ length: 1_001 }, () => ({ label: "x" })))).status, 413);
});

for (
  const [examples, title] of [
    [
      `, examples: {Many: {value: {boxes: [{id: 700, label: old}]}}, One: {value: {box: {id: 701, label: old}}}}`,
      "of many",
    ],
    [`, example: {box: {id: 701, label: old}, links: {}}`, "of one"],
    ["", "of none"],
  ]
) {
  Deno.test(`a response of one or many shows the new item, with an example ${title}`, async () => {
    const one = `{type: object, required: [box], properties: {box: ${BOX}, links: {type: object}}}`;
    const many = `{type: object, required: [boxes], properties: {boxes: ${MANY}, links: {type: object}}}`;
    const client = await boxes(
      "{type: object, properties: {label: {type: string}}}",
      json(`{oneOf: [${one}, ${many}]}`, examples),
      {
        status: 202,
      },
    );
    const { body, headers, remarks } = await client.ask("POST /boxes", { label: "large" });
    assert.deepEqual(body.box, { id: 1, label: "large", width: null });
    assert.equal("boxes" in body, false);
    assert.equal(headers.get("location"), "/boxes/1");
    assert.deepEqual(remarks, []);
  });
}

const CONFLICT = `, "409": {description: Conflict.}`;
const UNIQUE: readonly [title: string, more: string, name: string, status: number][] = [
  ["its description says that it is unique", CONFLICT, "{type: string, description: Unique label of a box.}", 409],
  ["the description of 409 says so", `, "409": {description: Label is already taken.}`, "{type: string}", 409],
  ["no description says so", CONFLICT, "{type: string}", 201],
  ["its description says that it isn't", CONFLICT, "{type: string, description: Labels need not be unique.}", 201],
  ["409 isn't declared", "", "{type: string, description: Unique label of a box.}", 201],
];

for (const [title, more, name, want] of UNIQUE) {
  Deno.test(`a second create with the same label is ${want} if ${title}`, async () => {
    const client = await boxes(BOX, json(BOX), { more, name });
    assert.equal((await client.ask("POST /boxes", { label: "large" })).status, 201);
    assert.equal((await client.ask("POST /boxes", { label: "large" })).status, want);
    assert.equal((await client.ask("POST /boxes", { label: "small" })).status, 201);
  });
}

const EXISTING: readonly [description: string, outcome: "returned" | "updated" | "made"][] = [
  ["Makes a box. If a box with the same label already exists, the existing box is returned.", "returned"],
  ["If a box with the same label exists, it will be updated.", "updated"],
  ["If a box with the same shelf_id and label already exists, the box is updated.", "updated"],
  ["If a box with the same label already exists, an error will be raised.", "made"],
  ["If a box with the same colour already exists, the existing box is returned.", "made"],
];

for (const [description, outcome] of EXISTING) {
  Deno.test(`a create is ${outcome} where its description says: ${description}`, async () => {
    const request =
      "{type: object, properties: {label: {type: string}, shelf_id: {type: string}, width: {type: integer}}}";
    const post = `post: {description: "${description}", requestBody: {${json(request)}},
      responses: {"200": {description: Made., ${json(BOX)}}}}`.replaceAll("\n", " ");
    const client = await boxes("", "", { put: post, name: "{type: string}, shelf_id: {type: string}" });
    const ask = (label: string, width: number) => client.ask("POST /boxes", { label, width, shelf_id: "a" });
    await ask("small", 1);
    const { body: first } = await ask("large", 1);
    const { body: second } = await ask("large", 2);
    assert.equal(second.id === first.id, outcome !== "made");
    assert.equal(second.width, outcome === "returned" ? 1 : 2);
    assert.equal((await client.ask("GET /boxes")).body.length, outcome === "made" ? 3 : 2);
    assert.deepEqual((await client.ask(`GET /boxes/${second.id}`)).body, second);
  });
}

const upsert = (name: string): string =>
  `put: {requestBody: {${json(`{type: object, properties: {${name}: {type: string}, width: {type: integer}}}`)}},
    responses: {"200": {description: Made or changed., ${json(BOX)}}}}`.replaceAll("\n", " ");

for (
  const [property, schema] of [["label", "{type: string, description: Unique.}"], ["name", "{type: string}"]] as const
) {
  Deno.test(`PUT of a collection finds the item by its ${property}, or makes it`, async () => {
    const client = await boxes("", "", {
      put: upsert(property),
      name: property === "label" ? schema : `{type: string}, ${property}: ${schema}`,
    });
    const { body, status } = await client.ask("PUT /boxes", { [property]: "large", width: 1 });
    assert.deepEqual([status, body.id, body[property], body.width], [200, 1, "large", 1]);
    assert.equal((await client.ask("PUT /boxes", { [property]: "small" })).body.id, 2);
    assert.equal((await client.ask("PUT /boxes", { [property]: "large", width: 5 })).body.id, 1);
    assert.equal((await client.ask("GET /boxes/1")).body.width, 5);
    assert.equal((await client.ask("GET /boxes")).body.length, 2);
  });
}

for (
  const [schema, want] of [["{type: string}", "/boxes/1"], ["{type: string, format: uri}", "http://localhost/boxes/1"]]
) {
  Deno.test(`Location is ${want} where the header has the schema ${schema}`, async () => {
    const client = await boxes(BOX, `headers: {Location: {schema: ${schema}}}, ${json(BOX)}`);
    const { headers } = await client.ask("POST /boxes", { label: "large" });
    assert.equal(headers.get("location"), want);
  });
}
