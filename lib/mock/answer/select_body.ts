import { parseMediaType } from "../../http/media_type.ts";
import { formatOf } from "../../wire/format.ts";
import { child, type Node } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { AnswerCriteria, AnswerRules } from "./answer.ts";
import type { BodyContent } from "./build_answer.ts";
import { defaultExample, listExamples } from "./example.ts";
import { isAnything } from "../generate/anything.ts";
import type { BodyGenerator, GenerateOptions } from "../generate/generate.ts";
import { listIn, resized } from "./resized_example.ts";
import type { Negotiated } from "./negotiate.ts";
import { impossibleBody, noExample } from "./problems.ts";

/** The number of items in a generated sequence (`text/event-stream`, JSON Lines). */
const SEQUENCE_ITEMS = 3;

/**
 * Selects the body, in this order: the example that the client prefers; a generated body, if the client or the server
 * demands one; the example that the request's contents select; the default example; a generated body.
 */
export async function selectBody(
  operation: Operation,
  media: Node<"MediaType">,
  status: number,
  { mediaType }: Negotiated,
  { preferences, choice, dynamic, seed }: AnswerCriteria,
  rules: AnswerRules,
): Promise<BodyContent> {
  const { document } = operation;
  const examples = listExamples(document, media);
  if (preferences.example !== undefined) {
    const example = examples.get(preferences.example);
    if (example !== undefined) return { kind: "example", example };
    const names = [...examples.keys()].filter((name) => name !== "");
    return { kind: "problem", problem: noExample(operation, mediaType, preferences.example, names) };
  }

  const chosen = (choice === undefined ? undefined : examples.get(choice.example)) ?? defaultExample(examples);
  const isGenerated = dynamic && child(media, "schema").value !== undefined;
  const { arraySize } = preferences;
  if (chosen !== undefined && !isGenerated) {
    const list = arraySize === undefined || chosen.form === "serialized" ? undefined : listIn(chosen.value);
    if (arraySize === undefined || list === undefined) return { kind: "example", example: chosen };
    const { generate } = await rules.generatorOf(document);
    const schema = child(media, "schema");
    const value = resized(chosen.value, list, arraySize, () => {
      if (schema.value === undefined) return undefined;
      const body = generate(schema, { seed, arraySize });
      return body.kind === "body" ? body.value : undefined;
    });
    return { kind: "example", example: { ...chosen, value } };
  }
  if (!rules.generate) return { kind: "empty" };
  const options = {
    seed,
    ...(arraySize === undefined ? {} : { arraySize }),
    ...(status >= 400 ? { status } : {}),
  };
  const schema = child(media, "schema");
  const isNull = schema.value !== undefined && isJson(mediaType) && isAnything(document, schema);
  if (isNull) return { kind: "generated", value: null };
  return generateContent(operation, media, options, await rules.generatorOf(document));
}

function isJson(mediaType: string): boolean {
  const parsed = parseMediaType(mediaType);
  return parsed !== undefined && formatOf(parsed) === "json";
}

/** Generates a body from the schema of a media type, or a sequence from its `itemSchema`. */
function generateContent(
  operation: Operation,
  media: Node<"MediaType">,
  options: GenerateOptions & { seed: number },
  { generate }: BodyGenerator,
): BodyContent {
  const schema = child(media, "schema");
  const itemSchema = child(media, "itemSchema");
  // A Media Type Object of a sequence may have only `itemSchema` (OpenAPI 3.2, section 4.14.3).
  if (schema.value === undefined && itemSchema.value !== undefined) {
    const items: unknown[] = [];
    for (let index = 0; index < (options.arraySize ?? SEQUENCE_ITEMS); index++) {
      const item = generate(itemSchema, { seed: options.seed + index });
      if (item.kind === "impossible") return { kind: "problem", problem: impossibleBody(operation, item) };
      items.push(item.value);
    }
    return { kind: "generated", value: items };
  }
  if (schema.value === undefined) return { kind: "generated", value: undefined };
  const body = generate(schema, options);
  return body.kind === "impossible"
    ? { kind: "problem", problem: impossibleBody(operation, body) }
    : { kind: "generated", value: body.value, notes: body.remarks };
}

/** Applies `AnswerRules.revise` to a body. A serialized example is sent unchanged. */
export async function reviseBody(
  content: BodyContent,
  media: Node<"MediaType">,
  { revise }: AnswerRules,
): Promise<BodyContent> {
  if (revise === undefined || content.kind === "empty" || content.kind === "problem") return content;
  const schema = child(media, "schema");
  if (content.kind === "generated") return { ...content, value: await revise(content.value, schema) };
  const { example } = content;
  if (example.form === "serialized") return content;
  return { ...content, example: { ...example, value: await revise(example.value, schema) } };
}
