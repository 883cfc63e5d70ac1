import type { BodyGenerator } from "../../lib/mock/generate/generate.ts";
import { createMock } from "../../lib/mock/mock.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { listOperations, type Operation } from "../../lib/openapi/operation.ts";
import { child, entries, isObject, items, type Node } from "../../lib/schema/json/node.ts";
import { follow } from "../../lib/schema/json/reference.ts";
import { createAjvValidator, type FindErrors } from "./ajv.ts";

/** The examples that a definition gives for responses, and how many of them a mock answers with. */
export interface ExampleCount {
  readonly examples: number;
  /** Those that a mock answers with, unchanged or converted without loss. */
  readonly answered: number;
  /** Those that are valid after a conversion without loss, as Ajv converts. */
  readonly fitting: number;
  readonly fittingAnswered: number;
  /** Some of the examples that fit and aren't answered: the JSON Pointer, the example and the answer. */
  readonly missed: readonly string[];
}

/** The most missed examples of a definition that are listed. */
const MOST_LISTED = 5;
/** The seeds of the bodies in which an example is searched that is one of several. */
const SEEDS = 20;
const IN_PLACE = ["allOf", "anyOf", "oneOf"] as const;

/**
 * Counts the examples of schemas, properties and media types of all responses, and of the schemas of parameters. The
 * answer to an example of a schema is the body that is generated for the schema; of a property, that of the object that
 * has it; of a media type, what a mock server answers when it is asked for the example.
 */
export async function countExamples(
  document: Document,
  generator: BodyGenerator,
  definition: Record<string, unknown>,
): Promise<ExampleCount> {
  const findErrors = createAjvValidator(definition, { coerces: true });
  let [examples, answered, fitting, fittingAnswered] = [0, 0, 0, 0];
  const missed: string[] = [];
  const seen = new Set<string>();
  const mock = createMock(document);
  for (const operation of listOperations(document)) await countOperation(operation);
  return { examples, answered, fitting, fittingAnswered, missed };

  function count(at: Node, example: unknown, schema: unknown, isAnswer: boolean, answer: unknown): void {
    const fits = schema === undefined || fitsConverted(findErrors, example, schema);
    examples++;
    if (isAnswer) answered++;
    if (fits) fitting++;
    if (fits && isAnswer) fittingAnswered++;
    if (fits && !isAnswer && missed.length < MOST_LISTED) {
      missed.push(`${at.pointer}: ${short(example)}, not ${short(answer)}`);
    }
  }

  async function countOperation(operation: Operation): Promise<void> {
    for (const parameter of items(child(operation.node, "parameters"))) {
      countSchema(child(follow(document, parameter), "schema"));
    }
    for (const [status, reference] of entries(child(operation.node, "responses"))) {
      const response = follow(document, reference);
      for (const [, header] of entries(child(response, "headers"))) {
        countSchema(child(follow(document, header), "schema"));
      }
      for (const [mediaType, media] of entries(child(response, "content"))) {
        if (!/^application\/(.*\+)?json\b/i.test(mediaType)) continue;
        countSchema(child(media, "schema"));
        if (/^[2-5]\d\d$/.test(status)) await countMediaType(operation, status, mediaType, media);
      }
    }
  }

  async function countMediaType(
    operation: Operation,
    status: string,
    mediaType: string,
    media: Node<"MediaType">,
  ): Promise<void> {
    if (!isNew(media)) return;
    const schema = child(media, "schema").value;
    const single = child(media, "example");
    const named = entries(child(media, "examples")).map(([name, example]) =>
      [`, example="${name}"`, child(follow(document, example), "value")] as const
    );
    for (const [name, example] of [["", single] as const, ...named]) {
      if (example.value === undefined) continue;
      const answer = await ask(operation, { accept: mediaType, prefer: `code=${status}${name}` });
      count(example, example.value, schema, isSameWithoutLoss(example.value, answer), answer);
    }
  }

  async function ask({ method, path }: Operation, headers: Record<string, string>): Promise<unknown> {
    try {
      const url = new URL(path.replaceAll(/\{[^}]*\}/g, "1"), "http://localhost");
      return JSON.parse(await (await mock(new Request(url, { method, headers }))).text());
    } catch {
      return undefined;
    }
  }

  function isNew({ source, pointer }: Node): boolean {
    const place = `${source.uri}#${pointer}`;
    return seen.size !== seen.add(place).size;
  }

  /** Counts the examples of a schema and of all schemas in it. */
  function countSchema(reference: Node, parent?: { readonly schema: Node; readonly name: string }): void {
    const schema = follow(document, reference);
    if (!isObject(schema.value) || !isNew(schema)) return;
    const { writeOnly } = schema.value;
    const given = examplesOf(schema.value);
    for (const example of writeOnly === true ? [] : given) {
      let answer: unknown;
      let isAnswer = false;
      for (let seed = 0; seed < (given.length > 1 ? SEEDS : 1) && !isAnswer; seed++) {
        const body = generator.generate(parent?.schema ?? schema, { seed });
        const value = body.kind === "body" ? body.value : undefined;
        answer = parent === undefined ? value : isObject(value) ? value[parent.name] : undefined;
        isAnswer = isSameWithoutLoss(example, answer);
      }
      count(schema, example, schema.value, isAnswer, answer);
    }
    const isCovered = given.length > 0 || schema.value["default"] !== undefined;
    for (const [name, property] of entries(child(schema, "properties"))) {
      const isInline = !isObject(property.value) || property.value["$ref"] === undefined;
      countSchema(property, isInline && !isCovered ? { schema, name } : undefined);
    }
    for (const key of IN_PLACE) for (const member of items(child(schema, key))) countSchema(member);
    countSchema(child(schema, "items"));
    countSchema(child(schema, "additionalProperties"));
  }
}

function examplesOf(schema: Record<string, unknown>): readonly unknown[] {
  const listed = schema["examples"];
  return [...Object.hasOwn(schema, "example") ? [schema["example"]] : [], ...Array.isArray(listed) ? listed : []];
}

/** Whether Ajv finds an example valid, or what Ajv converts it to, if the conversion loses nothing. */
function fitsConverted(findErrors: FindErrors, example: unknown, schema: unknown): boolean {
  const converted = { example: structuredClone(example) };
  try {
    return findErrors(converted, { properties: { example: schema } }).length === 0 &&
      isSameWithoutLoss(example, converted.example);
  } catch {
    return false;
  }
}

/** A number that is written as JSON writes it. */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const TIME_WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d(?:\.\d+)?)$/;

/** Whether a value is an example, or says the same in another type. An answer may have more properties. */
export function isSameWithoutLoss(example: unknown, value: unknown): boolean {
  if (Array.isArray(example)) {
    return Array.isArray(value) && value.length === example.length &&
      example.every((item, index) => isSameWithoutLoss(item, value[index]));
  }
  if (isObject(example) && isObject(value)) {
    return Object.entries(example).every(([name, part]) =>
      Object.hasOwn(value, name) && isSameWithoutLoss(part, value[name])
    );
  }
  if (Array.isArray(value)) {
    return value.length === 1 && example !== null && isSameWithoutLoss(example, value[0]) || isJsonOf(example, value);
  }
  if (isObject(value)) return isJsonOf(example, value);
  if (example === value) return true;
  if (example === null || value === null || value === undefined || isObject(example)) return false;
  if (typeof value === "bigint") return Number(value) === Number(example);
  if (typeof value === "string") {
    return String(example) === value || String(example).replace(TIME_WITHOUT_ZONE, "$1T$2Z") === value;
  }
  if (typeof value === "boolean") return String(value) === example;
  return typeof example === "string" && NUMBER.test(example) && Number(example) === value;
}

function isJsonOf(example: unknown, value: unknown): boolean {
  if (typeof example !== "string") return false;
  try {
    return isSameWithoutLoss(JSON.parse(example), value);
  } catch {
    return false;
  }
}

function short(value: unknown): string {
  const text = typeof value === "bigint" ? String(value) : JSON.stringify(value) ?? "nothing";
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
