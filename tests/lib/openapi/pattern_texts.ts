/**
 * Definitions with hostile patterns, one for each place of a definition that a pattern gets in by.
 *
 * @module
 */
import { hostilePatterns } from "../regexp/hostile_patterns.ts";
import type { HostileText } from "./hostile_texts.ts";

const HOSTILE = hostilePatterns();
const KINDS = [...new Set(HOSTILE.map(({ name }) => kindOf(name)))];
/** Patterns of all kinds, two of each, that are short enough for all places. */
const MIXED = KINDS.flatMap((kind) =>
  HOSTILE.filter(({ name, pattern }) => kindOf(name) === kind && pattern.length <= 3_000).slice(0, 2)
).map(({ pattern }) => pattern);
/** Texts that patterns take long for. */
const TEXTS = ["a".repeat(31), `${"ab".repeat(40)}!`, `${"a".repeat(1_000)}!`];
/** A pattern whose compilation by V8 takes longer than the universe is old. */
const OPTIONAL = `${"a?".repeat(100)}${"a".repeat(100)}`;

export const PATTERN_TEXTS: readonly HostileText[] = [
  ...KINDS.map((kind) => {
    const patterns = HOSTILE.filter(({ name }) => kindOf(name) === kind).map(({ pattern }) => pattern);
    return withSchema(`as \`pattern\`: ${kind}`, propertiesOf(patterns), bodyOf(patterns.length));
  }),
  withSchema("as the only `pattern`", { type: "string", pattern: OPTIONAL }, "a".repeat(100)),
  withSchema(
    "as 100 hard values of `pattern`",
    propertiesOf(Array.from({ length: 100 }, (_, index) => `^((a{5,${index + 9}}|b){9,400}){9,900}!$`)),
    bodyOf(100),
  ),
  withSchema(
    "as 1,000 values that the engine is slow for",
    propertiesOf(Array.from({ length: 1_000 }, (_, index) => `^a*a*(a|${index})*b$`)),
    Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`p${index}`, `${"a".repeat(98)}!`])),
  ),
  withSchema(
    "as 300 values that the engine is slow for",
    propertiesOf(Array.from({ length: 300 }, (_, index) => `^a*a*[b${index}]$`)),
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`p${index}`, `${"a".repeat(990)}!`])),
  ),
  withSchema(
    "as names in `patternProperties`",
    { type: "object", patternProperties: Object.fromEntries(MIXED.map((pattern) => [pattern, { type: "number" }])) },
    Object.fromEntries(TEXTS.map((text) => [text, 1])),
  ),
  withSchema(
    "in `propertyNames`",
    { type: "object", allOf: MIXED.map((pattern) => ({ propertyNames: { pattern } })) },
    Object.fromEntries(TEXTS.map((text) => [text, 1])),
  ),
  withSchema("in `allOf`, for one text", { allOf: MIXED.map((pattern) => ({ type: "string", pattern })) }, TEXTS[1]),
  withSchema("in `not`", { type: "string", not: { anyOf: MIXED.map((pattern) => ({ pattern })) } }, TEXTS[1]),
  withSchema(
    "as values of the format `regex`",
    { type: "array", items: { type: "string", format: "regex" }, example: MIXED },
    MIXED,
  ),
  withSchema("in an example's schema", { type: "array", items: { anyOf: patternsOf(MIXED) }, example: TEXTS }, TEXTS),
  {
    name: "of parameters and headers",
    text: () =>
      definition({
        parameters: MIXED.flatMap((pattern, index) => [
          { name: `q${index}`, in: "query", schema: { type: "string", pattern } },
          { name: `X-${index}`, in: "header", schema: { type: "string", pattern } },
        ]),
        responses: {
          200: {
            description: "",
            headers: Object.fromEntries(
              MIXED.map((pattern, index) => [`X-${index}`, { required: true, schema: { type: "string", pattern } }]),
            ),
          },
        },
      }),
    request: {
      query: `?${MIXED.map((_, index) => `q${index}=${"a".repeat(40)}`).join("&")}`,
      headers: Object.fromEntries(MIXED.map((_, index) => [`X-${index}`, `${"a".repeat(60)}!`])),
    },
  },
  ...[OPTIONAL, "(?=a)".repeat(190), "((a{1,30}){1,30}){1,30}", "(?:a?){900}a{99}", `(?:\\pL|a){1000}`].map((
    pattern,
  ) => ({
    name: `in a rewrite: ${pattern.slice(0, 20)}`,
    text: (): string =>
      definition({
        "x-svc": { upstream: { url: "http://127.0.0.1:9", rewrite: { pattern, substitution: "/b" } } },
        responses: { 200: { description: "" } },
      }),
  })),
].map((hostile) => ({ ...hostile, name: `hostile patterns ${hostile.name}` }));

function withSchema(name: string, schema: unknown, value: unknown): HostileText {
  const content = { "application/json": { schema } };
  return {
    name,
    text: () => definition({ requestBody: { content }, responses: { 200: { description: "", content } } }),
    request: { query: "", headers: {}, body: () => JSON.stringify(value) },
  };
}

function definition(operation: Record<string, unknown>): string {
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Hostile", version: "1" },
    "x-svc": { mocking: { enabled: true, generate: true } },
    paths: { "/a": { get: { ...operation, requestBody: undefined }, post: operation } },
  });
}

function propertiesOf(patterns: readonly string[]): unknown {
  const properties = Object.fromEntries(patternsOf(patterns).map((schema, index) => [`p${index}`, schema]));
  return { type: "object", required: Object.keys(properties), properties };
}

function patternsOf(patterns: readonly string[]): readonly { type: "string"; pattern: string }[] {
  return patterns.map((pattern) => ({ type: "string", pattern }));
}

function bodyOf(count: number): unknown {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, TEXTS[index % TEXTS.length]]));
}

function kindOf(name: string): string {
  return name.replace(/ \d+$/, "");
}
