import assert from "node:assert/strict";
import { createStateClient } from "../state_client.ts";

const JOB = `
      type: object
      required: [id, name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string}
        note: {anyOf: [{type: string}, {type: "null"}]}
        tags: {type: array, items: {type: string}}
        pair: {type: array, items: {type: string}, minItems: 2}
        retries: {type: integer, default: 3}
        mode: {type: [string, "null"], default: 7}
        secret: {type: [string, "null"], writeOnly: true}
        error: {type: [string, "null"], readOnly: true}
        runs: {type: array, readOnly: true, items: {type: object}}
        labels: {type: array, readOnly: true, default: [new], items: {type: string}}
        slots: {type: integer}
        anything: {}
        meta: {type: object, additionalProperties: {type: string}}
        policy: {type: object, properties: {most: {type: integer, default: 2}, reason: {type: [string, "null"]}, hosts: {type: array}}}
        place: {type: object, properties: {city: {type: string}, note: {type: [string, "null"]}}}
        owner: {type: object, required: [name], properties: {name: {type: [string, "null"]}}}
        status: {type: string, enum: [pending, done], readOnly: true}
        createdAt: {type: [string, "null"], format: date-time, readOnly: true}
        finishedAt: {type: [string, "null"], format: date-time, readOnly: true}`;

function jobs(schema: string): string {
  return `
openapi: 3.1.0
info: {title: Jobs, version: 1.0.0}
paths:
  /jobs:
    get: {responses: {"200": {description: All., content: {application/json: {schema: {type: array, items: {$ref: "#/components/schemas/Job"}}}}}}}
    post:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Job"}}}}
      responses: {"201": {description: The job., content: {application/json: {schema: {$ref: "#/components/schemas/Job"}}}}}
  /jobs/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer}}]
    get: {responses: {"200": {description: The job., content: {application/json: {schema: {$ref: "#/components/schemas/Job"}}}}}}
    put:
      requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Job"}}}}
      responses: {"200": {description: The job., content: {application/json: {schema: {$ref: "#/components/schemas/Job"}}}}}
components:
  schemas:
    Job: ${schema}
`;
}

Deno.test("properties that weren't sent have their default, else null, else an empty array or object", async () => {
  const client = await createStateClient(jobs(JOB));
  for (let round = 0; round < 5; round++) {
    const { body } = await client.ask("POST /jobs", { name: "a" });
    const { id, ...others } = body;
    assert.equal(typeof id, "number");
    assert.deepEqual(others, {
      name: "a",
      note: null,
      tags: [],
      retries: 3,
      mode: null,
      error: null,
      runs: [],
      labels: ["new"],
      anything: null,
      meta: {},
      policy: { most: 2, reason: null, hosts: [] },
      status: "pending",
      createdAt: "2026-01-01T00:00:00Z",
      finishedAt: null,
    });
  }
});

Deno.test("a replacement resets properties that it doesn't send, and keeps those that clients can't send", async () => {
  const client = await createStateClient(jobs(JOB));
  const { body: made } = await client.ask("POST /jobs", {
    name: "a",
    note: "b",
    tags: ["c"],
    pair: ["d", "e"],
    retries: 9,
    slots: 1,
  });
  const { body } = await client.ask(`PUT /jobs/${made.id}`, { name: "z" });
  assert.deepEqual(body, {
    id: made.id,
    name: "z",
    note: null,
    tags: [],
    retries: 3,
    mode: null,
    error: null,
    runs: [],
    labels: ["new"],
    anything: null,
    meta: {},
    policy: { most: 2, reason: null, hosts: [] },
    status: "pending",
    createdAt: made.createdAt,
    finishedAt: null,
  });
});

interface Forbidden {
  readonly what: string;
  readonly schema: string;
  readonly sent: Record<string, unknown>;
  readonly want: Record<string, unknown>;
}

const MAYBE = '{type: [string, "null"]}';
const FORBIDDEN: readonly Forbidden[] = [
  {
    what: "what another branch declares",
    schema: `
      type: object
      required: [id, kind]
      properties: {id: {type: integer, readOnly: true}, kind: {type: string}, note: ${MAYBE}}
      oneOf:
        - {properties: {kind: {const: cat}, meow: ${MAYBE}}}
        - {properties: {kind: {const: dog}, bark: ${MAYBE}}}`,
    sent: { kind: "dog" },
    want: { kind: "dog", note: null, bark: null },
  },
  {
    what: "what a closed branch lacks",
    schema: `
      oneOf:
        - {type: object, required: [id, a], additionalProperties: false, properties: {id: {type: integer}, a: {type: string}, x: ${MAYBE}}}
        - {type: object, required: [id, b], additionalProperties: false, properties: {id: {type: integer}, b: {type: string}, y: ${MAYBE}}}`,
    sent: { b: "b" },
    want: { b: "b", y: null },
  },
  {
    what: "what an exclusive branch would require",
    schema: `
      type: object
      required: [id]
      properties: {id: {type: integer, readOnly: true}, card: ${MAYBE}, iban: ${MAYBE}, note: ${MAYBE}}
      oneOf: [{required: [card]}, {required: [iban]}]`,
    sent: { iban: "DE" },
    want: { iban: "DE", note: null },
  },
  {
    what: "what if and then forbid",
    schema: `
      type: object
      required: [id, name]
      properties: {id: {type: integer, readOnly: true}, name: {type: string}, note: ${MAYBE}, tags: {type: array, items: {type: string}}}
      if: {properties: {name: {const: plain}}}
      then: {properties: {note: {type: string}}}`,
    sent: { name: "plain" },
    want: { name: "plain", tags: [] },
  },
  {
    what: "what dependentRequired forbids",
    schema: `
      type: object
      required: [id]
      properties: {id: {type: integer, readOnly: true}, note: ${MAYBE}, author: {type: string}, tags: {type: array, items: {type: string}}}
      dependentRequired: {note: [author]}`,
    sent: {},
    want: { tags: [] },
  },
  {
    what: "what not forbids",
    schema: `
      type: object
      required: [id]
      properties: {id: {type: integer, readOnly: true}, note: ${MAYBE}, tags: {type: array, items: {type: string}}}
      not: {required: [note]}`,
    sent: {},
    want: { tags: [] },
  },
  {
    what: "more than maxProperties",
    schema: `
      type: object
      required: [id]
      maxProperties: 2
      properties: {id: {type: integer, readOnly: true}, a: ${MAYBE}, b: ${MAYBE}, c: {type: string}}`,
    sent: { c: "c" },
    want: { c: "c" },
  },
];

for (const { what, schema, sent, want } of FORBIDDEN) {
  Deno.test(`a property that wasn't sent isn't added if the schema forbids it: ${what}`, async () => {
    const client = await createStateClient(jobs(schema));
    const { body: { id, ...made }, remarks } = await client.ask("POST /jobs", sent);
    assert.deepEqual(made, want);
    assert.deepEqual(remarks, []);
    const { body: { id: _, ...replaced } } = await client.ask(`PUT /jobs/${id}`, sent);
    assert.deepEqual(replaced, want);
  });
}

Deno.test("a response whose schema allows no null leaves out what wasn't sent", async () => {
  const shown =
    "{type: object, required: [id], properties: {id: {type: integer}, name: {type: string}, note: {type: string}}}";
  const client = await createStateClient(
    jobs(JOB).replace(/(responses: \{"201".*schema: )\{\$ref: [^}]*\}/, (_, before: string) => before + shown),
  );
  const { body } = await client.ask("POST /jobs", { name: "a" });
  assert.deepEqual(body, { id: body.id, name: "a" });
  assert.equal((await client.ask(`GET /jobs/${body.id}`)).body.note, null);
});

Deno.test("a replacement keeps a required property that wasn't sent and has no initial value", async () => {
  const client = await createStateClient(jobs(JOB));
  const { body: made } = await client.ask("POST /jobs", { name: "a", note: "b", retries: 5 });
  const { body } = await client.ask(`PUT /jobs/${made.id}`, { tags: ["x"] });
  assert.deepEqual([body.name, body.note, body.retries, body.tags], ["a", null, 3, ["x"]]);
});
