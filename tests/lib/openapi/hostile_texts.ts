import type { RuleCode } from "../../../lib/openapi/rules.ts";

/**
 * Texts that are meant to break the parser of definitions, with the code of the diagnostic that each must get.
 *
 * @module
 */

const HEAD = "openapi: 3.1.0\ninfo: {title: Hostile, version: '1'}\npaths: {}\n";
const JSON_HEAD = '"openapi":"3.1.0","info":{"title":"Hostile","version":"1"}';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const repeat = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join(",");

/** A text that is meant to break parsers. */
export interface HostileText {
  name: string;
  text: () => string | Uint8Array;
  /** The code of the expected diagnostic. Absent for a text that is unusual but valid. */
  code?: RuleCode;
  /** The request that `deno task hostile` sends to `POST /a` of a server with this definition. */
  request?: { query: string; headers: Record<string, string>; body?: () => string };
}

export const HOSTILE_TEXTS: readonly HostileText[] = [
  { name: "no text", text: () => "", code: "syntax" },
  { name: "only blanks", text: () => " \n \n", code: "syntax" },
  { name: "a number", text: () => "1", code: "not-openapi" },
  { name: "null", text: () => "null", code: "not-openapi" },
  { name: "two YAML documents", text: () => `${HEAD}---\na: 1\n`, code: "syntax" },
  { name: "a byte order mark", text: () => `\ufeff${HEAD}` },

  {
    name: "YAML aliases that expand a billion times",
    text: () =>
      `${HEAD}x-0: &a0 [1]\n` +
      Array.from({ length: 10 }, (_, level) => `x-${level + 1}: &a${level + 1} [${repeat(10, () => `*a${level}`)}]\n`)
        .join(""),
    code: "alias-expansion",
  },
  {
    name: "YAML aliases of schemas, on five levels",
    text: () =>
      `${HEAD}components:\n schemas:\n  A0: &a0 {type: strng}\n` +
      Array.from({ length: 5 }, (_, level) =>
        `  A${level + 1}: &a${level + 1} {properties: {${
          repeat(9, (index) => `p${index}: *a${level}`)
        }}}\n`).join(""),
    code: "bad-value",
  },
  {
    name: "a long list and as many aliases of it",
    text: () => `${HEAD}x-a: &a [${repeat(20_000, () => "1")}]\nx-b: [${repeat(20_000, () => "*a")}]\n`,
  },
  { name: "an anchor that contains itself", text: () => `${HEAD}x-a: &a [*a]\n`, code: "circular-alias" },
  {
    name: "schemas that contain their parent",
    text: () => `${HEAD}components: &c\n  schemas: {A: *c}\n`,
    code: "circular-alias",
  },
  { name: "an anchor that merges itself", text: () => `${HEAD}x-a: &a {<<: *a, b: 1}\n`, code: "merge-key" },
  { name: "an alias without anchor", text: () => `${HEAD}x-a: *a\n`, code: "syntax" },

  {
    name: "JSON arrays 10,000 deep",
    text: () => `{${JSON_HEAD},"x-a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
    code: "too-deep",
  },
  {
    name: "JSON objects 10,000 deep",
    text: () => `{${JSON_HEAD},"paths":${'{"/a":'.repeat(10_000)}1${"}".repeat(10_000)}}`,
    code: "too-deep",
  },
  { name: "a million brackets that are never closed", text: () => "[".repeat(1_000_000), code: "too-deep" },
  {
    name: "YAML maps 10,000 deep",
    text: () => `${HEAD}x-a: ${"{a: ".repeat(10_000)}1${"}".repeat(10_000)}`,
    code: "too-deep",
  },
  { name: "YAML lists 10,000 deep", text: () => `${HEAD}x-a:\n  ${"- ".repeat(10_000)}1`, code: "too-deep" },
  {
    name: "schemas as deep as is allowed",
    text: () =>
      `{${JSON_HEAD},"paths":{},"components":{"schemas":{"A":${'{"not":'.repeat(480)}{"type":"strng"}${
        "}".repeat(480)
      }}}}`,
    code: "bad-value",
  },

  {
    name: "bytes that are no UTF-8",
    text: () => new Uint8Array([...bytesOf(HEAD), 0xff, 0xc0, 0x80]),
    code: "invalid-utf8",
  },
  {
    name: "UTF-16 that ends in the middle of a character",
    text: () => new Uint8Array(Uint16Array.from(`\ufeff${HEAD}`, (unit) => unit.charCodeAt(0)).buffer).slice(0, -1),
    code: "invalid-utf8",
  },
  { name: "NUL in YAML", text: () => `${HEAD}x-a: \u0000\n`, code: "syntax" },
  { name: "NUL in JSON", text: () => `{${JSON_HEAD},"paths":{},"x-a":"\u0000"}`, code: "syntax" },
  { name: "NUL in a name", text: () => `{${JSON_HEAD},"paths":{"/a\\u0000":{"g\\u0000":{}}}}`, code: "unknown-field" },
  {
    name: "unpaired surrogates",
    text: () => `{${JSON_HEAD},"paths":{"/\\ud800":{"get":{"\\udfff":1}}}}`,
    code: "unknown-field",
  },

  { name: "duplicate keys in YAML", text: () => `${HEAD}paths: {}\n`, code: "syntax" },
  { name: "duplicate keys in JSON", text: () => `{${JSON_HEAD},"paths":{},"paths":{}}`, code: "duplicate-key" },

  { name: "a tag that builds a function", text: () => `${HEAD}x-a: !!js/function 'function () {}'\n`, code: "syntax" },
  { name: "a tag that calls Python", text: () => `${HEAD}x-a: !!python/object/apply:os.system [ls]\n`, code: "syntax" },
  { name: "a tag that makes bytes", text: () => `${HEAD}x-a: !!binary aGVsbG8=\n`, code: "syntax" },
  { name: "a tag of somebody's own", text: () => `${HEAD}x-a: !Ref a\n`, code: "syntax" },

  {
    name: "__proto__ as a key of anything in JSON",
    text: () =>
      `{${JSON_HEAD},"__proto__":{"polluted":1},"x-svc":{"__proto__":{"polluted":1},"constructor":1},"paths":{"__proto__":{"get":{}},` +
      `"/a":{"__proto__":{},"get":{"__proto__":{},"parameters":[{"__proto__":1}],"responses":{"__proto__":{},"200":{"description":"",` +
      `"headers":{"__proto__":{}},"content":{"__proto__":{"schema":{"__proto__":1,"properties":{"__proto__":{"type":"string"}},` +
      `"required":["__proto__"]},"example":{"__proto__":{"polluted":1}}}}}}}}},` +
      `"components":{"__proto__":{},"schemas":{"__proto__":{"$ref":"#/components/schemas/__proto__"}}}}`,
    code: "unknown-field",
  },
  {
    name: "__proto__ as a key of anything in YAML",
    text: () =>
      `${HEAD}__proto__: {polluted: 1}\nx-a: {<<: {__proto__: {polluted: 1}}}\nx-svc: {__proto__: {polluted: 1}}\n`,
    code: "unknown-field",
  },
  {
    name: "names of Object.prototype as components",
    text: () =>
      `{${JSON_HEAD},"paths":{"/a":{"get":{"operationId":"constructor","security":[{"toString":[]}],"responses":` +
      `{"200":{"$ref":"#/components/responses/hasOwnProperty"}}}}},"components":{"responses":{}}}`,
    code: "broken-reference",
  },

  {
    name: "30,000 references that lead nowhere",
    text: () => `{${JSON_HEAD},"paths":{"/a":{"parameters":[${repeat(30_000, (index) => `{"$ref":"#/x${index}"}`)}]}}}`,
    code: "too-many-problems",
  },
  {
    name: "a cycle of 20,000 references",
    text: () =>
      `{${JSON_HEAD},"paths":{},"components":{"schemas":{${
        repeat(20_000, (index) => `"A${index}":{"$ref":"#/components/schemas/A${(index + 1) % 20_000}"}`)
      }}}}`,
    code: "circular-reference",
  },
  {
    name: "50,000 parameters that say nothing",
    text: () => `{${JSON_HEAD},"paths":{"/a":{"parameters":[${repeat(50_000, () => "{}")}]}}}`,
    code: "too-many-problems",
  },
  {
    name: "a list of 100,000 wrong values",
    text: () => `{${JSON_HEAD},"paths":{"/a":{"get":{"tags":[${repeat(100_000, () => "1")}]}}}}`,
    code: "bad-value",
  },
  {
    name: "20,000 paths that can't be told apart",
    text: () => `{${JSON_HEAD},"paths":{${repeat(20_000, (index) => `"/a/{b${index}}":{"get":{}}`)}}}`,
    code: "ambiguous-path",
  },
  {
    name: "2,000 paths with 2,000 conditions each",
    text: () =>
      `{${JSON_HEAD},"paths":{${repeat(2_000, (index) => `"/a?k${index}${"&a".repeat(2_000)}":{"get":{}}`)}}}`,
    code: "bad-path",
  },
  {
    name: "2,000 paths told apart by 32 conditions each, and a query of 60 KB",
    text: () => {
      const conditions = Array.from({ length: 16 }, (_, index) => `q${index}`).join("&");
      const headers = Array.from({ length: 15 }, (_, index) => `X-${index}=1`).join("&");
      const post = { "x-svc": { mocking: { enabled: true } }, responses: { 200: { description: "" } } };
      const paths = Array.from({ length: 2_000 }, (_, index) => [`/a?k${index}&${conditions}#${headers}`, { post }]);
      const info = { title: "Hostile", version: "1" };
      return JSON.stringify({ openapi: "3.1.0", info, paths: Object.fromEntries(paths) });
    },
    request: {
      query: `?${
        [..."q".repeat(16), ..."k".repeat(9_000)].map((name, index) => `${name}${index - (name === "q" ? 0 : 16)}`)
          .join("&")
      }`,
      headers: Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`x-${index}`, "1"])),
    },
  },
  {
    name: "2,000 paths told apart by labels alone, of a Path Item with 2,000 parameters",
    text: () => {
      const parameters = Array.from(
        { length: 2_000 },
        (_, index) => ({ name: `p${index}`, in: "query", required: true, schema: { type: "string" } }),
      );
      const post = { parameters, "x-svc": { mocking: { enabled: true } }, responses: { 200: { description: "" } } };
      const item = { $ref: "#/components/pathItems/A" };
      const paths = Array.from({ length: 2_000 }, (_, index) => [`/a#X-A=1&${index}`, item]);
      const info = { title: "Hostile", version: "1" };
      const components = { pathItems: { A: { post } } };
      return JSON.stringify({ openapi: "3.1.0", info, paths: Object.fromEntries(paths), components });
    },
    code: "ambiguous-path",
    request: { query: "?p1", headers: { "x-a": "1" } },
  },
];

/** Hostile texts of tens of megabytes. */
export const LARGE_TEXTS: readonly HostileText[] = [
  { name: "a key of 100 MB", text: () => bytesOf(`${"a".repeat(100_000_000)}: 1\n${HEAD}`), code: "text-too-large" },
  {
    name: "a key of 30 MB in YAML",
    text: () => bytesOf(`${HEAD}${"a".repeat(30_000_000)}: 1\n`),
    code: "key-too-long",
  },
  {
    name: "a path of 20 MB with 200 responses",
    text: () =>
      bytesOf(
        `{${JSON_HEAD},"paths":{"/${"a".repeat(20_000_000)}":{"get":{"responses":{${
          repeat(200, (index) => `"${200 + index}":{"content":{"a/b":{"schema":{"type":"strng"},"example":1}}}`)
        }}}}}}`,
      ),
    code: "key-too-long",
  },
];
