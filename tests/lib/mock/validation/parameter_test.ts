import assert from "node:assert/strict";
import { violationsOf } from "./support.ts";

/**
 * The table of OpenAPI 3.1.1, Style Examples: each text must be read as exactly the value in the table. The schemas are
 * `const`, so another value is a violation. One text of the table is left out, `.` for an empty value of the style
 * `label`: URLs drop a segment that is a single dot.
 */
const COLOR = {
  empty: "",
  string: "blue",
  array: ["blue", "black", "brown"],
  object: { R: 100, G: 200, B: 150 },
};

const STYLES: { in: string; style: string; explode: boolean; written: { [Type in keyof typeof COLOR]?: string } }[] = [
  {
    in: "path",
    style: "matrix",
    explode: false,
    written: {
      empty: ";color",
      string: ";color=blue",
      array: ";color=blue,black,brown",
      object: ";color=R,100,G,200,B,150",
    },
  },
  {
    in: "path",
    style: "matrix",
    explode: true,
    written: {
      empty: ";color",
      string: ";color=blue",
      array: ";color=blue;color=black;color=brown",
      object: ";R=100;G=200;B=150",
    },
  },
  {
    in: "path",
    style: "label",
    explode: false,
    written: { string: ".blue", array: ".blue,black,brown", object: ".R,100,G,200,B,150" },
  },
  {
    in: "path",
    style: "label",
    explode: true,
    written: { string: ".blue", array: ".blue.black.brown", object: ".R=100.G=200.B=150" },
  },
  {
    in: "path",
    style: "simple",
    explode: false,
    written: { string: "blue", array: "blue,black,brown", object: "R,100,G,200,B,150" },
  },
  {
    in: "path",
    style: "simple",
    explode: true,
    written: { string: "blue", array: "blue,black,brown", object: "R=100,G=200,B=150" },
  },
  {
    in: "header",
    style: "simple",
    explode: false,
    written: { string: "blue", array: "blue, black, brown", object: "R,100,G,200,B,150" },
  },
  {
    in: "header",
    style: "simple",
    explode: true,
    written: { string: "blue", array: "blue,black,brown", object: "R=100,G=200,B=150" },
  },
  {
    in: "query",
    style: "form",
    explode: false,
    written: {
      empty: "color=",
      string: "color=blue",
      array: "color=blue,black,brown",
      object: "color=R,100,G,200,B,150",
    },
  },
  {
    in: "query",
    style: "form",
    explode: true,
    written: {
      empty: "color=",
      string: "color=blue",
      array: "color=blue&color=black&color=brown",
      object: "R=100&G=200&B=150",
    },
  },
  {
    in: "query",
    style: "spaceDelimited",
    explode: false,
    written: { array: "color=blue%20black%20brown", object: "color=R%20100%20G%20200%20B%20150" },
  },
  {
    in: "query",
    style: "pipeDelimited",
    explode: false,
    written: { array: "color=blue%7Cblack%7Cbrown", object: "color=R%7C100%7CG%7C200%7CB%7C150" },
  },
  {
    in: "query",
    style: "deepObject",
    explode: true,
    written: { object: "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150" },
  },
  {
    in: "cookie",
    style: "form",
    explode: false,
    written: {
      empty: "color=",
      string: "color=blue",
      array: "color=blue,black,brown",
      object: "color=R,100,G,200,B,150",
    },
  },
  {
    in: "cookie",
    style: "form",
    explode: true,
    written: {
      empty: "color=",
      string: "color=blue",
      array: "color=blue&color=black&color=brown",
      object: "R=100&G=200&B=150",
    },
  },
  {
    in: "cookie",
    style: "cookie",
    explode: true,
    written: {
      empty: "color=",
      string: "color=blue",
      array: "color=blue; color=black; color=brown",
      object: "R=100; G=200; B=150",
    },
  },
];

for (const { in: location, style, explode, written } of STYLES) {
  for (const [type, value] of Object.entries(COLOR)) {
    const text = written[type as keyof typeof COLOR];
    if (text === undefined) continue;
    Deno.test(`a ${location} parameter of style ${style}, explode ${explode}, reads ${text} as ${type}`, async () => {
      const definition = parameterOf({ name: "color", in: location, style, explode, required: true }, schemaOf(value));
      assert.deepEqual(await violationsOf(definition, requestWith(location, text)), []);
      const other = parameterOf({ name: "color", in: location, style, explode, required: true }, {
        ...schemaOf(value),
        const: "something else",
      });
      const [violation] = await violationsOf(other, requestWith(location, text));
      assert.equal(violation, `${location}/color: const`);
    });
  }
}

const integers = { type: "array", items: { type: "integer" } };
const filter = {
  type: "object",
  properties: {
    size: { type: "integer" },
    tags: integers,
    by: { type: "object", properties: { name: { type: "string" } } },
  },
  additionalProperties: false,
};

/** A parameter named `p`, its text in a request, and the expected violations. */
const CASES: {
  name: string;
  parameter: Record<string, unknown>;
  schema?: unknown;
  /** The text in a query, header, cookie or path segment. Absent if the request doesn't have the parameter. */
  text?: string;
  want?: string[];
  openapi?: string;
  siblings?: unknown[];
}[] = [
  { name: "an integer", parameter: { in: "query" }, schema: { type: "integer" }, text: "p=3" },
  { name: "a negative integer", parameter: { in: "query" }, schema: { type: "integer" }, text: "p=-3" },
  { name: "a number", parameter: { in: "query" }, schema: { type: "number" }, text: "p=3.5e2" },
  {
    name: "no integer",
    parameter: { in: "query" },
    schema: { type: "integer" },
    text: "p=3.5",
    want: ["query/p: type"],
  },
  {
    name: "letters for an integer",
    parameter: { in: "query" },
    schema: { type: "integer" },
    text: "p=x",
    want: ["query/p: type"],
  },
  {
    name: "nothing for an integer",
    parameter: { in: "query" },
    schema: { type: "integer" },
    text: "p=",
    want: ["query/p: type"],
  },
  {
    name: "a number too large for one",
    parameter: { in: "query" },
    schema: { type: "number" },
    text: "p=1e999",
    want: ["query/p: type"],
  },
  { name: "true", parameter: { in: "query" }, schema: { type: "boolean" }, text: "p=true" },
  {
    name: "yes for a boolean",
    parameter: { in: "query" },
    schema: { type: "boolean" },
    text: "p=yes",
    want: ["query/p: type"],
  },
  { name: "digits for a string", parameter: { in: "query" }, schema: { type: "string", minLength: 3 }, text: "p=123" },
  { name: "null", parameter: { in: "query" }, schema: { type: ["integer", "null"] }, text: "p=null" },
  { name: "the empty text for null", parameter: { in: "query" }, schema: { type: ["integer", "null"] }, text: "p=" },
  {
    name: "nullable of 3.0",
    openapi: "3.0.3",
    parameter: { in: "query" },
    schema: { type: "integer", nullable: true },
    text: "p=",
  },
  { name: "a number of an enum without type", parameter: { in: "query" }, schema: { enum: [1, 2] }, text: "p=2" },
  { name: "a digit of an enum of strings", parameter: { in: "query" }, schema: { enum: ["1", 2] }, text: "p=1" },
  {
    name: "an unknown value of an enum",
    parameter: { in: "query" },
    schema: { enum: [1, 2] },
    text: "p=3",
    want: ["query/p: enum"],
  },
  {
    name: "digits for a string or an integer",
    parameter: { in: "query" },
    schema: { anyOf: [{ type: "string", minLength: 4 }, { type: "integer", maximum: 9 }] },
    text: "p=12345",
  },
  {
    name: "an integer of allOf",
    parameter: { in: "query" },
    schema: { allOf: [{ type: "integer" }, { minimum: 3 }] },
    text: "p=2",
    want: ["query/p: minimum"],
  },
  {
    name: "a scalar or a list",
    parameter: { in: "query" },
    schema: { oneOf: [{ type: "boolean" }, integers] },
    text: "p=1&p=2",
  },
  {
    name: "a format",
    parameter: { in: "query" },
    schema: { type: "string", format: "date" },
    text: "p=2024-13-01",
    want: ["query/p: format"],
  },
  {
    name: "a value given twice",
    parameter: { in: "query" },
    schema: { type: "integer" },
    text: "p=1&p=2",
    want: ["query/p: style"],
  },
  { name: "a value given twice without a schema", parameter: { in: "query", required: true }, text: "p=1&p=2" },
  { name: "nothing required", parameter: { in: "query" }, schema: { type: "integer" } },
  {
    name: "a missing value",
    parameter: { in: "query", required: true },
    schema: { type: "integer" },
    want: ["query/p: required"],
  },
  { name: "a missing value without a schema", parameter: { in: "query", required: true }, want: ["query/p: required"] },
  { name: "what the definition doesn't know", parameter: { in: "query" }, schema: { type: "integer" }, text: "q=1" },
  {
    name: "an empty value where it is allowed",
    parameter: { in: "query", allowEmptyValue: true },
    schema: { type: "integer" },
    text: "p=",
  },
  {
    name: "a name alone where an empty value is allowed",
    parameter: { in: "query", allowEmptyValue: true, required: true },
    schema: { type: "boolean" },
    text: "p",
  },
  { name: "a plus for a space", parameter: { in: "query" }, schema: { const: "a b" }, text: "p=a+b" },
  { name: "an encoded plus", parameter: { in: "query" }, schema: { const: "a+b" }, text: "p=a%2Bb" },
  {
    name: "reserved characters as they are",
    parameter: { in: "query", allowReserved: true },
    schema: { const: "a+b:/?#[]@!$'()*,;=" },
    text: "p=a+b:/?%23[]@!$'()*,;=",
  },
  { name: "encoding undone once", parameter: { in: "query" }, schema: { const: "%41" }, text: "p=%2541" },
  { name: "UTF-8", parameter: { in: "query" }, schema: { const: "ä€😀" }, text: "p=%C3%A4%E2%82%AC%F0%9F%98%80" },
  {
    name: "bad encoding",
    parameter: { in: "query" },
    schema: { type: "string" },
    text: "p=%zz",
    want: ["query/p: encoding"],
  },
  {
    name: "bad UTF-8",
    parameter: { in: "query" },
    schema: { type: "string" },
    text: "p=%ff",
    want: ["query/p: encoding"],
  },
  {
    name: "an encoded name",
    parameter: { in: "query" },
    schema: { type: "integer" },
    text: "%70=x",
    want: ["query/p: type"],
  },
  {
    name: "an item of the wrong type",
    parameter: { in: "query" },
    schema: integers,
    text: "p=1&p=x",
    want: ["query/p/1: type"],
  },
  {
    name: "one item",
    parameter: { in: "query" },
    schema: { ...integers, minItems: 2 },
    text: "p=1",
    want: ["query/p: minItems"],
  },
  {
    name: "commas in an exploded list",
    parameter: { in: "query" },
    schema: integers,
    text: "p=1,2",
    want: ["query/p/0: type"],
  },
  {
    name: "repetition of a list with commas",
    parameter: { in: "query", explode: false },
    schema: integers,
    text: "p=1&p=2",
    want: ["query/p: style"],
  },
  { name: "no items", parameter: { in: "query", explode: false }, schema: integers, text: "p=" },
  {
    name: "an encoded comma within an item",
    parameter: { in: "query", explode: false },
    schema: { type: "array", const: ["a,b", "c"] },
    text: "p=a%2Cb,c",
  },
  {
    name: "plus as the space between items",
    parameter: { in: "query", style: "spaceDelimited", explode: false },
    schema: integers,
    text: "p=1+2",
  },
  {
    name: "bare pipes",
    parameter: { in: "query", style: "pipeDelimited", explode: false },
    schema: integers,
    text: "p=1|2",
  },
  {
    name: "an exploded pipe-delimited list",
    parameter: { in: "query", style: "pipeDelimited", explode: true },
    schema: integers,
    text: "p=1&p=2",
  },
  {
    name: "an odd number of names and values",
    parameter: { in: "query", explode: false },
    schema: filter,
    text: "p=size,1,tags",
    want: ["query/p: style"],
  },
  {
    name: "brackets for a list",
    parameter: { in: "query" },
    schema: integers,
    text: "p[]=1",
    want: ["query/p: style"],
  },
  {
    name: "brackets for a list that is required",
    parameter: { in: "query", required: true },
    schema: integers,
    text: "p[]=1",
    want: ["query/p: required"],
  },
  { name: "a deep object", parameter: { in: "query", style: "deepObject" }, schema: filter, text: "p[size]=1" },
  {
    name: "a deep object in a deep object",
    parameter: { in: "query", style: "deepObject" },
    schema: filter,
    text: "p[size]=1&p[by][name]=2&p[tags][]=3&p[tags][]=4",
  },
  {
    name: "indices in a deep object",
    parameter: { in: "query", style: "deepObject" },
    schema: filter,
    text: "p[tags][0]=3&p[tags][1]=x",
    want: ["query/p/tags/1: type"],
  },
  {
    name: "a repeated member of a deep object",
    parameter: { in: "query", style: "deepObject" },
    schema: filter,
    text: "p[tags]=3&p[tags]=4",
  },
  {
    name: "a wrong member of a deep object",
    parameter: { in: "query", style: "deepObject" },
    schema: filter,
    text: "p[size]=x",
    want: ["query/p/size: type"],
  },
  {
    name: "an unknown member of a deep object",
    parameter: { in: "query", style: "deepObject" },
    schema: filter,
    text: "p[more]=x",
    want: ["query/p: additionalProperties"],
  },
  {
    name: "a list of objects",
    parameter: { in: "query", style: "deepObject" },
    schema: { type: "array", const: [{ a: "1", b: "2" }, { a: "3" }] },
    text: "p[][a]=1&p[][b]=2&p[][a]=3",
  },
  {
    name: "a deep object or an integer",
    parameter: { in: "query", style: "deepObject" },
    schema: { anyOf: [filter, { type: "integer" }] },
    text: "p=4",
  },
  {
    name: "__proto__ as a name like any other",
    parameter: { in: "query", style: "deepObject" },
    schema: { ...filter, maxProperties: 1 },
    text: "p[__proto__][size]=1",
    want: ["query/p: additionalProperties"],
  },
  {
    name: "an exploded object",
    parameter: { in: "query" },
    schema: filter,
    text: "size=x&q=2",
    want: ["query/p/size: type"],
  },
  {
    name: "JSON within an exploded object",
    parameter: { in: "query" },
    schema: filter,
    text: "by=%7B%22name%22:%22x%22%7D&tags=[1]",
  },
  {
    name: "a free-form object",
    parameter: { in: "query" },
    schema: { type: "object", additionalProperties: { type: "integer" } },
    text: "size=1&q=x",
    want: ["query/p/q: type"],
  },
  {
    name: "a free-form object beside other parameters",
    parameter: { in: "query" },
    schema: { type: "object", additionalProperties: { type: "integer" } },
    text: "size=1&q=x",
    siblings: [{ name: "q", in: "query" }],
  },
  {
    name: "dots in a label of the older table",
    openapi: "3.0.3",
    parameter: { in: "path", style: "label" },
    schema: integers,
    text: ".1.2",
  },
  {
    name: "a label without dot",
    parameter: { in: "path", style: "label" },
    schema: integers,
    text: "1",
    want: ["path/p: style"],
  },
  {
    name: "a matrix of another name",
    parameter: { in: "path", style: "matrix" },
    schema: integers,
    text: ";q=1",
    want: ["path/p: style"],
  },
  {
    name: "a path parameter of the wrong type",
    parameter: { in: "path" },
    schema: { type: "integer" },
    text: "x",
    want: ["path/p: type"],
  },
  {
    name: "a path parameter with an encoded slash",
    parameter: { in: "path" },
    schema: { const: "a/b" },
    text: "a%2Fb",
  },
  {
    name: "a path parameter with a comma in an item",
    parameter: { in: "path" },
    schema: { type: "array", const: ["a,b", "c"] },
    text: "a%2Cb,c",
  },
  {
    name: "a header of the wrong type",
    parameter: { in: "header" },
    schema: { type: "integer" },
    text: "x",
    want: ["header/p: type"],
  },
  { name: "a header with percent signs", parameter: { in: "header" }, schema: { const: "100%25" }, text: "100%25" },
  {
    name: "a missing header",
    parameter: { in: "header", required: true },
    schema: { type: "integer" },
    want: ["header/p: required"],
  },
  { name: "a quoted cookie", parameter: { in: "cookie" }, schema: { type: "integer" }, text: 'q=1; p="2"' },
  {
    name: "a missing cookie",
    parameter: { in: "cookie", required: true },
    schema: { type: "integer" },
    text: "q=1",
    want: ["cookie/p: required"],
  },
  {
    name: "a deprecated parameter",
    parameter: { in: "query", deprecated: true },
    schema: { type: "integer" },
    text: "p=1",
    want: ["query/p: deprecated"],
  },
  {
    name: "a deprecated parameter that isn't used",
    parameter: { in: "query", deprecated: true },
    schema: { type: "integer" },
  },
  {
    name: "a schema that is false",
    parameter: { in: "query" },
    schema: false,
    text: "p=1",
    want: ["query/p: not"],
  },
  { name: "a schema that is true", parameter: { in: "query" }, schema: true, text: "p=1" },
  {
    name: "JSON",
    parameter: { in: "query", content: { "application/json": { schema: filter } } },
    text: "p=%7B%22size%22:1%7D",
  },
  {
    name: "JSON that breaks its schema",
    parameter: { in: "query", content: { "application/json": { schema: filter } } },
    text: 'p={"size":"1"}',
    want: ["query/p/size: type"],
  },
  {
    name: "no JSON",
    parameter: { in: "header", content: { "application/json": { schema: filter } } },
    text: "{",
    want: ["header/p: malformed"],
  },
  {
    name: "missing JSON",
    parameter: { in: "query", required: true, content: { "application/json": { schema: filter } } },
    want: ["query/p: required"],
  },
  {
    name: "JSON as the whole query",
    openapi: "3.2.0",
    parameter: { in: "querystring", content: { "application/json": { schema: filter } } },
    text: "%7B%22size%22%3A%22x%22%7D",
    want: ["querystring/p/size: type"],
  },
];

for (const { name, openapi = "3.1.1", parameter, schema, text, want = [], siblings = [] } of CASES) {
  Deno.test(`a ${parameter["in"]} parameter: ${name} (${text ?? "nothing"})`, async () => {
    const described = { name: "p", ...parameter, ...(schema === undefined ? {} : { schema }) };
    const path = parameter["in"] === "path" ? "/items/{p}" : "/items";
    const definition = { openapi, path, operation: { parameters: [described, ...siblings] } };
    assert.deepEqual(await violationsOf(definition, requestWith(String(parameter["in"]), text)), want);
  });
}

function parameterOf(parameter: Record<string, unknown>, schema: unknown) {
  return {
    path: parameter["in"] === "path" ? `/items/{${parameter["name"]}}` : "/items",
    operation: { parameters: [{ ...parameter, schema }] },
  };
}

function requestWith(location: string, text: string | undefined) {
  if (text === undefined) return { target: "/items" };
  switch (location) {
    case "path":
      return { target: `/items/${text}` };
    case "header":
      return { target: "/items", headers: { color: text, p: text } };
    case "cookie":
      return { target: "/items", headers: { cookie: text } };
    default:
      return { target: `/items?${text}` };
  }
}

function schemaOf(value: unknown): Record<string, unknown> {
  if (Array.isArray(value)) return { type: "array", items: { type: "string" }, const: value };
  if (typeof value === "string") return { type: "string", const: value };
  return {
    type: "object",
    properties: { R: { type: "integer" }, G: { type: "integer" }, B: { type: "integer" } },
    const: value,
  };
}
