/** Responses whose examples are invalid by their own schemas. */
import assert from "node:assert/strict";
import { createResponder } from "../../../../lib/mock/responder.ts";
import type { Reply } from "../../../../lib/mock/operation/reply.ts";
import type { MockOptions } from "../../../../lib/mock/mock_options.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

/** Sends a request to an operation with the given Response Object. */
async function ask(response: string, options: MockOptions, init?: RequestInit): Promise<Reply> {
  const document = await parseDocument(`
openapi: 3.1.0
info: {title: Pets, version: 1.0.0}
paths:
  /pets:
    get:
      responses:
        "200": ${response.replaceAll("\n", " ")}
`);
  assert.deepEqual(document.diagnostics, []);
  return await (await createResponder([document], options))(new Request("http://localhost/pets", init));
}

const PET = "schema: {type: object, required: [name], properties: {name: {type: string}, age: {type: integer}}}";

const cases: { name: string; response: string; want: string[] }[] = [
  {
    name: "a body that is right",
    response: `{description: "", content: {application/json: {${PET}, example: {name: Tom, age: 3}}}}`,
    want: [],
  },
  {
    name: "a property of a wrong type",
    response: `{description: "", content: {application/json: {${PET}, example: {name: Tom, age: old}}}}`,
    want: ["response.body.age type Response body property age must be integer."],
  },
  {
    name: "a property that is missing",
    response: `{description: "", content: {application/json: {${PET}, example: {}}}}`,
    want: [`response.body required Response body must have required property 'name'.`],
  },
  {
    name: "a named example",
    response: `{description: "", content: {application/json: {${PET}, examples: {cat: {value: {name: 1}}}}}}`,
    want: ["response.body.name type Response body property name must be string."],
  },
  {
    name: "JSON that is written as a text",
    response: `{description: "", content: {application/json: {${PET}, example: '{"name": 1}'}}}`,
    want: ["response.body.name type Response body property name must be string."],
  },
  {
    name: "XML that is written as a text",
    response: `{description: "", content: {application/xml: {${PET}, example: "<doc><age>3</age></doc>"}}}`,
    want: [`response.body required Response body must have required property 'name'.`],
  },
  {
    name: "a text that is no XML",
    response: `{description: "", content: {application/xml: {${PET}, example: "<doc><name>Tom</doc>"}}}`,
    want: ["response.body malformed Response body is not"],
  },
  {
    name: "a value that XML carries",
    response: `{description: "", content: {application/xml: {${PET}, example: {name: Tom, age: 3}}}}`,
    want: [],
  },
  {
    name: "a text",
    response: `{description: "", content: {text/plain: {schema: {type: string, maxLength: 3}, example: Tommy}}}`,
    want: ["response.body maxLength Response body must NOT have more than 3 characters."],
  },
  {
    name: "an item of a sequence",
    response: `{description: "", content: {application/x-ndjson: {itemSchema: {type: integer}, example: [1, two]}}}`,
    want: ["response.body.1 type Response body property 1 must be integer."],
  },
  {
    name: "no schema",
    response: `{description: "", content: {application/json: {example: {name: 1}}}}`,
    want: [],
  },
  {
    name: "a property that responses don't have",
    response: `{description: "", content: {application/json: {
      schema: {type: object, properties: {secret: {writeOnly: true}}}, example: {secret: 1}}}}`,
    want: ["response.body.secret writeOnly Response body property secret must not be there: it is writeOnly."],
  },
  {
    name: "a header",
    response: `{description: "", headers: {X-Limit: {schema: {type: integer}, example: many}}}`,
    want: ["response.header.x-limit type Response header x-limit must be integer."],
  },
  {
    name: "headers that are written as texts",
    response: `{description: "", headers: {
      X-Limit: {schema: {type: integer}, example: "3"},
      X-Tags: {schema: {type: array, items: {type: integer}}, example: "1,2"},
      X-Name: {schema: {type: string}, example: "3"}}}`,
    want: [],
  },
];

Deno.test("checkResponse() reports examples that are invalid against their schema", async (t) => {
  for (const { name, response, want } of cases) {
    await t.step(name, async () => {
      const { checkExamples } = await ask(response, { validate: "warn" });
      const found = await checkExamples?.() ?? [];
      const told = found.map(({ location, code, message }) => `${location.join(".")} ${code} ${message}`);
      assert.equal(told.length, want.length, told.join("\n"));
      for (const [index, line] of want.entries()) {
        assert.ok(told[index]?.startsWith(line), told[index] ?? "nothing is told");
      }
    });
  }
});

const WRONG = `{description: "", content: {application/json: {${PET}, example: {age: old}}}}`;

Deno.test("in `error` mode, a problem lists the violations of an invalid example", async () => {
  const { response, source, checkExamples } = await ask(WRONG, { errors: true });
  assert.equal(response.status, 500);
  assert.equal(source, "problem");
  assert.equal(checkExamples, undefined);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
  assert.deepEqual(await response.json(), {
    title: "Internal Server Error",
    status: 500,
    detail: "An example of GET /pets doesn't fit its schema: Response body must have required property 'name'. " +
      "(and 1 more)",
    validation: [
      {
        location: ["response", "body"],
        severity: "Error",
        code: "required",
        message: "Response body must have required property 'name'.",
      },
      {
        location: ["response", "body", "age"],
        severity: "Error",
        code: "type",
        message: "Response body property age must be integer.",
      },
    ],
  });
});

Deno.test("in `error` mode, valid examples and generated bodies are sent", async () => {
  for (const example of ["example: {name: Tom}", ""]) {
    const response = `{description: "", content: {application/json: {${PET}, ${example}}}}`;
    assert.equal((await ask(response, { errors: true })).response.status, 200);
  }
  assert.equal((await ask(WRONG, { errors: true, dynamic: true })).response.status, 200);
});

Deno.test("an example is checked at its first answer only", async () => {
  const document = await parseDocument(`
openapi: 3.1.0
paths: {/pets: {get: {responses: {"200": ${WRONG}}}}}
`);
  const respond = await createResponder([document], { validate: "warn" });
  const asked = await Promise.all([1, 2, 3].map(() => respond(new Request("http://localhost/pets"))));
  asked.push(await respond(new Request("http://localhost/pets")));
  assert.deepEqual(asked.map(({ checkExamples }) => checkExamples !== undefined), [true, false, false, false]);
});

Deno.test("examples aren't checked with `validate: off`", async () => {
  assert.equal((await ask(WRONG, { validate: "off" })).checkExamples, undefined);
});
