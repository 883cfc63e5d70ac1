import assert from "node:assert/strict";
import { createBodyGenerator, generateBody, type GenerateOptions } from "../../../../lib/mock/generate/generate.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { documentOf, schemaNamed, type Schemas, validBodyOf } from "./generated.ts";

const BODIES: { name: string; schemas: Schemas; want: unknown; options?: GenerateOptions }[] = [
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
    name: "converts an example of another type where nothing is lost",
    schemas: {
      Main: {
        properties: {
          text: { type: "string", example: 5 },
          flag: { type: "string", example: true },
          count: { type: "integer", example: "5" },
          ratio: { type: "number", example: "5.25" },
          isOpen: { type: "boolean", example: "true" },
          tags: { type: "array", items: { type: "string" }, example: "a" },
          codes: { type: "array", items: { type: "string" }, example: [1, "b"] },
          part: { type: "object", properties: { a: { type: "string" } }, example: '{"a": "x"}' },
        },
      },
    },
    want: {
      text: "5",
      flag: "true",
      count: 5,
      ratio: 5.25,
      isOpen: true,
      tags: ["a"],
      codes: ["1", "b"],
      part: { a: "x" },
    },
  },
  {
    name: "converts no example that would lose something",
    schemas: { Main: { properties: { a: { type: "integer", example: "5.5", default: 1 } } } },
    want: { a: 1 },
  },
  {
    name: "takes the values of an enum whose type none of them has",
    schemas: { Main: { required: ["a"], properties: { a: { type: "string", enum: [1, 2] } } } },
    want: { a: 1 },
  },
  {
    name: "puts the examples of the members of allOf together",
    schemas: {
      Main: {
        allOf: [{ $ref: "#/components/schemas/Pet" }, { $ref: "#/components/schemas/Page" }, {
          properties: { breed: { type: "string", example: "Lab" } },
        }],
      },
      Pet: { properties: { name: { type: "string" }, age: { type: "integer" } }, example: { name: "Rex" } },
      Page: { properties: { total: { type: "integer" } }, example: { total: 7 } },
    },
    want: { name: "Rex", total: 7, breed: "Lab" },
  },
  {
    name: "keeps the examples of allOf's members beside required properties of others",
    schemas: {
      Main: {
        allOf: [{ $ref: "#/components/schemas/Pet" }],
        required: ["breed"],
        properties: { breed: { type: "string", example: "Lab" } },
      },
      Pet: { properties: { name: { type: "string" } }, example: { name: "Rex" } },
    },
    want: { breed: "Lab", name: "Rex" },
  },
  {
    name: "takes the valid parts of an example that isn't valid as a whole",
    schemas: {
      Main: {
        required: ["kind"],
        properties: { id: { type: "integer" }, kind: { const: "pet" }, note: { type: "string" } },
        example: { id: "7", note: 5 },
      },
    },
    want: { id: 7, kind: "pet", note: "5" },
  },
  {
    name: "takes the example of an alternative",
    schemas: {
      Main: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { type: "integer" }] },
      Cat: { type: "object", properties: { name: { type: "string" } }, example: { name: "Tom" } },
    },
    want: { name: "Tom" },
  },
  {
    name: "names a schema that extends the base of a discriminator without mapping",
    schemas: {
      Main: { $ref: "#/components/schemas/Pet" },
      Pet: { required: ["kind"], properties: { kind: { type: "string" } }, discriminator: { propertyName: "kind" } },
      Cat: {
        allOf: [{ $ref: "#/components/schemas/Pet" }, { required: ["lives"], properties: { lives: { const: 9 } } }],
      },
    },
    want: { kind: "Cat", lives: 9 },
  },
  {
    name: "mixes the types of a discriminator in a list, those that extend others too",
    schemas: {
      Main: { type: "array", minItems: 3, items: { $ref: "#/components/schemas/Pet" } },
      Pet: { required: ["kind"], properties: { kind: { type: "string" } }, discriminator: { propertyName: "kind" } },
      Cat: { allOf: [{ $ref: "#/components/schemas/Pet" }] },
      Lion: { allOf: [{ $ref: "#/components/schemas/Cat" }] },
      Dog: { allOf: [{ $ref: "#/components/schemas/Pet" }] },
    },
    want: [{ kind: "Cat" }, { kind: "Lion" }, { kind: "Dog" }],
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
    name: "takes another type where no array of the length can satisfy `contains`",
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
    name: "follows x-faker, within the schema",
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
    name: "treats __proto__ as a name like any other",
    schemas: { Main: JSON.parse('{"properties": {"__proto__": {"const": 1}}, "required": ["__proto__"]}') },
    want: JSON.parse('{"__proto__": 1}'),
  },
];

Deno.test("generateBody()", async (t) => {
  for (const { name, schemas, want, options } of BODIES) {
    await t.step(name, async () => {
      assert.equal(JSON.stringify(await validBodyOf(schemas, options)), JSON.stringify(want));
    });
  }
});

Deno.test("generate() gives the same body independently of bodies generated before", async (t) => {
  const pattern = { type: "string", pattern: "^[A-Z]{2}-\\d{4}$" };
  const { document, main } = await documentOf({
    Main: { oneOf: [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }] },
    Cat: { type: "object", properties: { code: pattern, lives: { type: "integer" } } },
    Dog: { type: "object", properties: { code: pattern, barks: { type: "boolean" } } },
  });
  const generator = await createBodyGenerator(document);
  for (const seed of [7, 3, 0, 12, 1, 0, 3]) {
    await t.step(`seed ${seed}`, async () => {
      assert.deepEqual(generator.generate(main, { seed }), await generateBody(document, main.pointer, { seed }));
    });
  }
});

Deno.test("generate() gives the same body for both places of a YAML alias, in any order", async () => {
  const document = await parseDocument(`
openapi: 3.1.0
info: {title: Aliases, version: 1.0.0}
components:
  schemas:
    First: &text {type: string}
    Second: *text
`);
  const [first, second] = [schemaNamed(document, "First"), schemaNamed(document, "Second")];
  const generator = await createBodyGenerator(document);
  const bodies = [generator.generate(first), generator.generate(second)];
  assert.deepEqual(bodies[1], await generateBody(document, second.pointer));
  assert.deepEqual(bodies[0], await generateBody(document, first.pointer));
});

Deno.test("generateBody() builds multiples that are valid in binary fractions, too", async () => {
  const price = { type: "number", minimum: 0, maximum: 999_999, multipleOf: 0.01 };
  for (let seed = 0; seed < 200; seed++) {
    const value = Number(await validBodyOf({ Main: price }, { seed }));
    assert.ok(Number.isInteger(value / 0.01), String(value));
  }
});

Deno.test("generateBody() keeps examples that only their format refuses where format is an annotation", async () => {
  const at = { type: "string", format: "date-time", example: "2019-01-01T00:00:00" };
  const port = { type: "integer", format: "int8", example: 8080 };
  const Main = { type: "object", properties: { at, port } };
  const bodyOf = async (openapi: string): Promise<unknown> => {
    const { document, main } = await documentOf({ Main }, openapi);
    return await generateBody(document, main.pointer);
  };
  assert.deepEqual(await bodyOf("3.1.0"), { kind: "body", value: { at: "2019-01-01T00:00:00", port: 8080 } });
  const older = await bodyOf("3.0.3");
  assert.match(JSON.stringify(older), /"at":"2019-01-01T00:00:00Z","port":\d{1,3}\}/);
});

Deno.test("generateBody() takes null from an example, and parts of an enclosing example before a property's own", async () => {
  const nullable = { type: "string", nullable: true };
  const { document, main } = await documentOf({
    Main: {
      type: "object",
      properties: {
        none: { ...nullable, example: null },
        unset: { ...nullable, default: null, minLength: 1 },
        object: { type: "object", nullable: true, example: null, properties: { a: { type: "string" } } },
        whole: {
          type: "object",
          example: { list: "b", count: "5", gone: null },
          properties: {
            list: { type: "array", items: { type: "string" }, example: ["a"] },
            count: { type: "integer", example: 1 },
            gone: { ...nullable, example: "x" },
          },
        },
      },
    },
  }, "3.0.3");
  const body = await generateBody(document, main.pointer);
  assert.match(
    JSON.stringify(body.kind === "body" && body.value),
    /^\{"none":null,"unset":"\w+","object":null,"whole":\{"list":\["b"\],"count":5,"gone":null\}\}$/,
  );
});

Deno.test("generateBody() makes strings that hold a file of their media type", async () => {
  const png = { type: "string", contentMediaType: "image/png", contentEncoding: "base64" };
  const { document, main } = await documentOf({
    Main: {
      type: "object",
      required: ["png", "url", "byte", "svg", "short", "unknown"],
      properties: {
        png,
        url: { ...png, contentEncoding: "base64url" },
        byte: { type: "string", contentMediaType: "image/gif", format: "byte" },
        svg: { type: "string", contentMediaType: "image/svg+xml" },
        short: { ...png, maxLength: 8 },
        unknown: { type: "string", contentMediaType: "image/x-unknown", contentEncoding: "base64" },
      },
    },
  });
  const body = await generateBody(document, main.pointer);
  assert.match(
    JSON.stringify(body),
    /"png":"iVBORw0KGgo.*","url":"iVBORw0KGgo.*","byte":"R0lGODlhA.*","svg":"<svg .*","short":"[\w+=/]{4,8}","unknown":"\w/,
  );
});

Deno.test("generateBody() remarks on what a body can't follow", async () => {
  const { document, main } = await documentOf({
    Main: {
      properties: {
        a: { type: "integer", example: "many" },
        b: { type: "string", enum: [1, 2] },
        c: { type: "string", example: null },
        d: { type: "string", example: ["x"] },
        e: { type: "object", properties: { f: { type: "string" } }, example: { f: 1 } },
      },
    },
  });
  const body = await generateBody(document, main.pointer);
  const unused = (example: string, name: string): string =>
    `The example${example} at #/components/schemas/Main/properties/${name} is not used: it doesn't fit the schema.`;
  assert.deepEqual(body.kind === "body" && body.remarks, [
    unused(' "many"', "a"),
    "No value of the enum at #/components/schemas/Main/properties/b is of type string: it is taken as it is written.",
    unused(" null", "c"),
    unused("", "d"),
  ]);
});
