import assert from "node:assert/strict";
import type { GeneratedBody } from "../../../../lib/mock/generate/body.ts";
import { createBodyGenerator, generateBody, type GenerateOptions } from "../../../../lib/mock/generate/generate.ts";
import { type Document, parseDocument } from "../../../../lib/openapi/document.ts";
import { child, type Node } from "../../../../lib/schema/node.ts";
import { createSchemaCompiler } from "../../../../lib/schema/schema_compiler.ts";

type Schemas = Record<string, unknown>;

async function read(schemas: Schemas, openapi: string): Promise<{ document: Document; main: Node }> {
  const document = await parseDocument(JSON.stringify({ openapi, paths: {}, components: { schemas } }));
  return {
    document,
    main: ["components", "schemas", "Main"].reduce<Node>((node, key) => child(node, key), document.root),
  };
}

/** Makes a body for the schema `Main`, and checks that it is valid. */
async function bodyOf(schemas: Schemas, options: GenerateOptions = {}, openapi = "3.1.0"): Promise<unknown> {
  const { document, main } = await read(schemas, openapi);
  const body = await generateBody(document, main.pointer, options);
  if (body.kind === "impossible") assert.fail(`${body.reason} (${body.pointer})`);
  const check = (await createSchemaCompiler(document)).compile(main, options.direction ?? "response");
  assert.deepEqual(check(body.value), [], JSON.stringify(body.value));
  return body.value;
}

async function refusalOf(Main: unknown, openapi = "3.1.0"): Promise<GeneratedBody> {
  const { document, main } = await read({ Main }, openapi);
  return await generateBody(document, main.pointer);
}

const USER = {
  type: "object",
  properties: {
    id: { type: "integer" },
    name: { type: "string" },
    email: { type: "string", format: "email" },
    tags: { type: "array", items: { type: "string" } },
  },
};

Deno.test("generateBody() makes the same body each time, and another with another seed", async () => {
  const first = await bodyOf({ Main: USER });
  assert.deepEqual(await bodyOf({ Main: USER }), first);
  assert.deepEqual(Object.keys(first as object), ["id", "name", "email", "tags"]);
  assert.notDeepEqual(await bodyOf({ Main: USER }, { seed: 1 }), first);
});

Deno.test("generateBody() makes the same body whatever was made before", async () => {
  const pattern = { type: "string", pattern: "^[A-Z]{2}-\\d{4}$" };
  const schemas = {
    Main: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }] },
    Cat: { type: "object", properties: { code: pattern, lives: { type: "integer" } } },
    Dog: { type: "object", properties: { code: pattern, barks: { type: "boolean" } } },
  };
  const { document, main } = await read(schemas, "3.1.0");
  const generator = await createBodyGenerator(document);
  for (const seed of [7, 3, 0, 12, 1, 0, 3]) {
    assert.deepEqual(
      generator.generate(main, { seed }),
      await generateBody(document, main.pointer, { seed }),
      `seed ${seed}`,
    );
  }
});

Deno.test("generateBody() makes the same body of a YAML alias, whichever of its places was asked for first", async () => {
  const document = await parseDocument(`
openapi: 3.1.0
info: {title: Aliases, version: 1.0.0}
components:
  schemas:
    First: &text {type: string}
    Second: *text
`);
  const [first, second] = ["First", "Second"].map((name) =>
    ["components", "schemas", name].reduce<Node>((node, key) => child(node, key), document.root)
  );
  assert(first !== undefined && second !== undefined);
  const generator = await createBodyGenerator(document);
  const bodies = [generator.generate(first), generator.generate(second)];
  assert.deepEqual(bodies[1], await generateBody(document, second.pointer));
  assert.deepEqual(bodies[0], await generateBody(document, first.pointer));
});

Deno.test("generateBody() makes multiples that validators without decimal fractions take, too", async () => {
  const price = { type: "number", minimum: 0, maximum: 999_999, multipleOf: 0.01 };
  for (let seed = 0; seed < 200; seed++) {
    const value = Number(await bodyOf({ Main: price }, { seed }));
    assert.ok(Number.isInteger(value / 0.01), String(value));
  }
});

Deno.test("generateBody() makes at least 10 different bodies of 20 seeds where a schema allows it", async () => {
  const schemas: [string, unknown][] = [
    ["user", USER],
    ["text", { type: "string" }],
    ["city", { type: "object", properties: { city: { type: "string" } } }],
    ["company", { type: "object", properties: { company: { type: "string" } } }],
    ["integer", { type: "integer", minimum: 1, maximum: 20 }],
    ["pattern", { type: "string", pattern: "^[a-z]{2}$" }],
    ["list", { type: "array", items: { enum: ["a", "b", "c", "d"] }, minItems: 3 }],
    ["free object", { type: "object" }],
    ["example", { type: "object", properties: { name: { type: "string", examples: ["Rex"] } } }],
    ["one word or null", { type: ["string", "null"], pattern: "^[a-i]$" }],
    ["a few listed", { enum: ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"] }],
    ["a pattern that most of is fixed", { type: "string", pattern: "^id:.*:[0-9]$" }],
  ];
  for (const [name, Main] of schemas) assert.ok(await countDifferent(Main) >= 10, name);
});

Deno.test("generateBody() makes all bodies of a schema that allows no more than ten", async () => {
  const flag = { type: "boolean" };
  const schemas: [unknown, number][] = [
    [{ const: 1 }, 1],
    [flag, 2],
    [{ enum: ["a", "b", "c", null] }, 4],
    [{ type: "object", properties: { a: flag, b: flag }, additionalProperties: false, minProperties: 1 }, 8],
    [{ type: "object", properties: { a: flag, b: flag }, additionalProperties: false }, 9],
    [{ type: "integer", minimum: 1, maximum: 5 }, 5],
  ];
  for (const [Main, count] of schemas) assert.equal(await countDifferent(Main), count, JSON.stringify(Main));
});

/** How many of the bodies of 20 seeds are different. */
async function countDifferent(Main: unknown): Promise<number> {
  const { document, main } = await read({ Main }, "3.1.0");
  const generator = await createBodyGenerator(document);
  const bodies = Array.from({ length: 20 }, (_, seed) => JSON.stringify(generator.generate(main, { seed })));
  return new Set(bodies).size;
}

Deno.test("generateBody() makes a large body smaller before it makes null", async () => {
  const list = { type: "array", items: { $ref: "#/components/schemas/Item" } };
  const names = Array.from({ length: 700 }, (_, index) => `p${index}`);
  const Item = { required: names, additionalProperties: { type: "integer" } };
  const body = await bodyOf({ Main: { type: ["object", "null"], required: ["list"], properties: { list } }, Item });
  assert.ok(Array.isArray(Object(body).list), JSON.stringify(body));
});

const BODIES: { name: string; schemas: Schemas; want: unknown; options?: GenerateOptions; openapi?: string }[] = [
  {
    name: "takes a valid example before a default",
    schemas: { Main: { properties: { a: { type: "string", example: "x", default: "y" } } } },
    want: { a: "x" },
  },
  {
    name: "takes a default where the example is not valid",
    schemas: { Main: { properties: { a: { type: "integer", example: "x", default: 5 } } } },
    want: { a: 5 },
  },
  {
    name: "takes the first of `examples` that is valid",
    schemas: { Main: { properties: { a: { type: "integer", examples: ["x", 7] } } } },
    want: { a: 7 },
  },
  {
    name: "takes an example of the whole object",
    schemas: { Main: { type: "object", properties: { a: { type: "string" } }, example: { a: "whole" } } },
    want: { a: "whole" },
  },
  {
    name: "takes the first value of an enum that the rest of the schema allows",
    schemas: { Main: { enum: [null, "abcdef", "abc", "ab"], type: ["string", "null"], maxLength: 3 } },
    want: "abc",
  },
  {
    name: "leaves writeOnly properties out of a response",
    schemas: {
      Main: {
        type: "object",
        required: ["id", "password"],
        properties: { id: { const: 1, readOnly: true }, password: { const: "x", writeOnly: true } },
      },
    },
    want: { id: 1 },
  },
  {
    name: "leaves readOnly properties out of a request",
    schemas: {
      Main: {
        type: "object",
        required: ["id", "password"],
        properties: { id: { const: 1, readOnly: true }, password: { const: "x", writeOnly: true } },
      },
    },
    options: { direction: "request" },
    want: { password: "x" },
  },
  {
    name: "merges allOf",
    schemas: {
      Main: { allOf: [{ $ref: "#/components/schemas/A" }, { properties: { b: { const: 2 } } }] },
      A: { type: "object", properties: { a: { const: 1 } } },
    },
    want: { a: 1, b: 2 },
  },
  {
    name: "ends a recursive schema",
    schemas: {
      Main: {
        type: "object",
        required: ["children"],
        properties: {
          id: { const: 1 },
          parent: { $ref: "#/components/schemas/Main" },
          children: { type: "array", items: { $ref: "#/components/schemas/Main" } },
        },
      },
    },
    want: { id: 1, children: [] },
  },
  {
    name: "ends a required recursion where another branch does",
    schemas: {
      Main: {
        type: "object",
        required: ["next"],
        properties: { next: { oneOf: [{ $ref: "#/components/schemas/Main" }, { type: "null" }] } },
      },
    },
    want: { next: null },
  },
  {
    name: "makes as many items as asked for, within the schema",
    schemas: { Main: { type: "array", maxItems: 3, items: { const: 1 } } },
    options: { arraySize: 9 },
    want: [1, 1, 1],
  },
  {
    name: "asks the size of the outermost arrays only",
    schemas: { Main: { type: "array", items: { type: "array", items: { const: 1 } } } },
    options: { arraySize: 3 },
    want: [[1], [1], [1]],
  },
  {
    name: "makes many items in full",
    schemas: {
      Main: { type: "array", items: { properties: { a: { const: 1 }, b: { properties: { c: { const: 2 } } } } } },
    },
    options: { arraySize: 300 },
    want: Array.from({ length: 300 }, () => ({ a: 1, b: { c: 2 } })),
  },
  {
    name: "takes another type where no array of the length has what it is to contain",
    schemas: {
      Main: { properties: { a: { prefixItems: [{ type: "integer" }], contains: { type: "string" }, maxItems: 1 } } },
    },
    want: { a: "thicket" },
  },
  {
    name: "makes unique items",
    schemas: { Main: { type: "array", minItems: 2, uniqueItems: true, items: { type: "boolean" } } },
    want: [true, false],
  },
  {
    name: "sets the property of a discriminator to the value that the mapping has for the branch",
    schemas: {
      Main: {
        oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }],
        discriminator: { propertyName: "kind", mapping: { feline: "#/components/schemas/Cat", canine: "Dog" } },
      },
      Cat: { type: "object", required: ["kind"], properties: { kind: { type: "string" } }, maxProperties: 1 },
      Dog: {
        type: "object",
        required: ["kind", "barks"],
        properties: { kind: { type: "string" }, barks: { const: 1 } },
      },
    },
    want: { kind: "feline" },
  },
  {
    name: "makes a subtype where a discriminator stands in the schema that others extend",
    schemas: {
      Main: {
        type: "object",
        properties: { kind: { type: "string" } },
        discriminator: { propertyName: "kind", mapping: { cat: "#/components/schemas/Cat" } },
      },
      Cat: { allOf: [{ $ref: "#/components/schemas/Main" }, { properties: { lives: { const: 9 } } }] },
    },
    want: { kind: "cat", lives: 9 },
  },
  {
    name: "satisfies exactly one branch of oneOf by leaving out what another requires",
    schemas: {
      Main: {
        type: "object",
        properties: { a: { const: 1 }, b: { const: 2 } },
        oneOf: [{ required: ["a"] }, { required: ["b"] }],
      },
    },
    want: { a: 1 },
  },
  {
    name: "satisfies exactly one branch of oneOf by breaking another",
    schemas: {
      Main: { oneOf: [{ type: "number" }, { type: "integer", minimum: 0 }, { const: -1 }], maximum: 0, minimum: -1 },
    },
    want: -0.75,
  },
  {
    name: "takes the branch of `if`",
    schemas: {
      Main: {
        type: "object",
        required: ["country"],
        properties: { country: { enum: ["US", "DE"] } },
        if: { properties: { country: { const: "US" } } },
        then: { required: ["zip"], properties: { zip: { const: "12345" } } },
      },
    },
    want: { country: "US", zip: "12345" },
  },
  {
    name: "adds properties until there are enough",
    schemas: { Main: { type: "object", minProperties: 2, additionalProperties: { const: 1 } } },
    want: { key: 1, more: 1 },
  },
  {
    name: "names properties as their pattern says",
    schemas: { Main: { type: "object", patternProperties: { "^x-$": { const: 1 } }, additionalProperties: false } },
    want: { "x-": 1 },
  },
  {
    name: "does what x-faker says, within the schema",
    schemas: {
      Main: {
        properties: {
          a: { type: "integer", "x-faker": { "datatype.number": { min: 10, max: 10 } } },
          b: { type: "string", "x-faker": { "helpers.slugify": ["two words"] } },
          c: { type: "string", "x-faker": { "helpers.arrayElement": [["only"]] } },
          d: { type: "array", "x-count": 0 },
        },
      },
    },
    want: { a: 10, b: "two-words", c: "only", d: [] },
  },
  {
    name: "takes __proto__ for a name like any other",
    schemas: { Main: JSON.parse('{"properties": {"__proto__": {"const": 1}}, "required": ["__proto__"]}') },
    want: JSON.parse('{"__proto__": 1}'),
  },
];

for (const { name, schemas, want, options, openapi } of BODIES) {
  Deno.test(`generateBody() ${name}`, async () => {
    const body = await bodyOf(schemas, options, openapi);
    assert.equal(JSON.stringify(body), JSON.stringify(want));
  });
}

const REFUSALS: {
  name: string;
  schema: unknown;
  reason: RegExp;
  pointer: string;
  proven?: boolean;
  openapi?: string;
}[] = [
  { name: "false", schema: false, reason: /`false` allows nothing/, pointer: "" },
  { name: "an empty enum", schema: { enum: [] }, reason: /lists no value/, pointer: "" },
  {
    name: "types that contradict",
    schema: { allOf: [{ type: "string" }, { type: "integer" }] },
    reason: /contradicts type string/,
    pointer: "/allOf/1",
  },
  {
    name: "an enum of the wrong type",
    schema: { type: "integer", enum: ["1", "2"] },
    reason: /no listed value is of type integer/,
    pointer: "",
  },
  {
    name: "bounds the wrong way round",
    schema: { type: "integer", minimum: 3, maximum: 2 },
    reason: /no number is within/,
    pointer: "",
  },
  {
    name: "no integer between bounds",
    schema: { type: "integer", exclusiveMinimum: 1, exclusiveMaximum: 2 },
    reason: /no number/,
    pointer: "",
  },
  {
    name: "a length the wrong way round",
    schema: { type: "string", minLength: 3, maxLength: 2 },
    reason: /above `maxLength`/,
    pointer: "",
  },
  {
    name: "a pattern longer than allowed",
    schema: { type: "string", pattern: "^a{5}$", maxLength: 4 },
    reason: /longer than/,
    pointer: "",
  },
  {
    name: "a format shorter than allowed",
    schema: { type: "string", format: "date", minLength: 11 },
    reason: /shorter than/,
    pointer: "",
  },
  {
    name: "a required property that is not allowed",
    schema: { type: "object", required: ["a"], additionalProperties: false },
    reason: /"a" is required and not allowed/,
    pointer: "",
  },
  {
    name: "a required property that is impossible",
    schema: { type: "object", required: ["a"], properties: { a: { type: "string", enum: [1] } } },
    reason: /required property "a": no listed value/,
    pointer: "/properties/a",
  },
  {
    name: "a recursion without end",
    schema: { type: "object", required: ["a"], properties: { a: { $ref: "#/components/schemas/Main" } } },
    reason: /requires itself without end/,
    pointer: "",
  },
  {
    name: "branches of oneOf that say the same",
    schema: { oneOf: [{ type: "string" }, { type: "string" }] },
    reason: /must not satisfy this schema/,
    pointer: "/oneOf/1",
  },
  {
    name: "the opposite of itself",
    schema: { type: "string", not: { type: "string" } },
    reason: /must not satisfy/,
    pointer: "/not",
  },
  {
    name: "no place for what is to be contained",
    schema: { type: "array", prefixItems: [{ type: "integer" }], contains: { type: "string" }, maxItems: 1 },
    reason: /fewer items for `contains`/,
    pointer: "",
  },
  {
    name: "a condition whose branches are both impossible",
    schema: {
      if: { prefixItems: [{ type: "string" }], items: false, contains: {}, minContains: 2 },
      then: { type: "array" },
      else: { type: "number" },
    },
    reason: /./,
    pointer: "/if/items",
  },
  {
    name: "fewer items than wanted",
    schema: { type: "array", items: false, minItems: 1 },
    reason: /`false`/,
    pointer: "/items",
  },
  {
    name: "fewer different items than wanted",
    schema: { type: "array", items: { type: "boolean" }, minItems: 3, uniqueItems: true },
    reason: /fewer different items/,
    pointer: "",
  },
];

for (const { name, schema, reason, pointer } of REFUSALS) {
  Deno.test(`generateBody() proves that nothing satisfies ${name}`, async () => {
    const refusal = await refusalOf(schema);
    assert.equal(refusal.kind, "impossible");
    if (refusal.kind !== "impossible") return;
    assert.match(refusal.reason, reason);
    assert.equal(refusal.pointer, `/components/schemas/Main${pointer}`);
    assert.ok(refusal.proven);
  });
}

Deno.test("generateBody() ends on schemas that branch without end", async () => {
  const parts = Array.from({ length: 30 }, (_, index) => ({
    type: "object",
    properties: { [`p${index}`]: { $ref: "#/components/schemas/Main" }, q: { $ref: "#/components/schemas/Main" } },
  }));
  const { document, main } = await read(
    { Main: { oneOf: parts, anyOf: parts.toReversed(), not: { allOf: parts } } },
    "3.1.0",
  );
  const body = await generateBody(document, main.pointer);
  assert.ok(body.kind === "body" || body.reason !== "");
});

Deno.test("generateBody() ends where a value would have to be nested without end", async () => {
  const { document, main } = await read(
    {
      Main: { if: { $ref: "#/components/schemas/B" }, then: false },
      B: { patternProperties: { "^a": { $ref: "#/components/schemas/B" } } },
    },
    "3.1.0",
  );
  for (let seed = 0; seed < 5; seed++) {
    assert.equal((await generateBody(document, main.pointer, { seed })).kind, "impossible");
  }
});

Deno.test("generateBody() shows something of each part of a body that would be too large", async () => {
  const part = {
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`p${index}`, { type: "integer" }])),
  };
  const names = Array.from({ length: 20 }, (_, index) => `part${index}`);
  const Item = { type: "object", properties: Object.fromEntries(names.map((name) => [name, part])) };
  const body = await bodyOf({ Main: { type: "array", items: Item } }) as Record<string, object>[];
  assert.equal(body.length, 2);
  for (const item of body) {
    assert.deepEqual(Object.keys(item), names);
    for (const name of names) assert.ok(Object.keys(item[name] ?? {}).length > 5, JSON.stringify(item[name]));
  }
  assert.ok(JSON.stringify(body).length < 20_000);
});

Deno.test("generateBody() bounds the size of a body", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`p${index}`, { $ref: `#/components/schemas/L${index % 5}` }]),
  );
  const levels = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`L${index}`, {
    type: "object",
    properties: Object.fromEntries(
      Array.from(
        { length: 30 },
        (_, other) => [`q${other}`, { $ref: `#/components/schemas/L${(index + 1 + other) % 5}` }],
      ),
    ),
  }]));
  const body = await bodyOf({ Main: { type: "object", properties }, ...levels });
  assert.ok(JSON.stringify(body).length < 100_000, `${JSON.stringify(body).length}`);
});
