import {
  type ContentEncoding,
  encodeJsonContent,
  type JsonContent,
  jsonContentOf,
  LONGEST_JSON_CONTENT,
} from "../../../schema/json/json_content.ts";
import type { Schema } from "../../../schema/schema.ts";
import { lengthOf } from "../../../schema/json/value.ts";
import { type Built, type Failure, isFailure } from "../body.ts";
import type { GeneratorContext, ValuePath } from "../generator_context.ts";
import { textConstraintsOf } from "../text.ts";
import { writeJson } from "../../../schema/json/json.ts";

/** The JSON text that a string holds (`contentMediaType: application/json`). */
interface JsonText extends Pick<JsonContent, "encoding"> {
  /** The schemas of the value that the JSON text represents (`contentSchema`). */
  readonly schemas: readonly [Schema, ...Schema[]];
  /** Whether the string is invalid without such JSON text. Otherwise the `content…` keywords are annotations. */
  readonly isRequired: boolean;
}

/**
 * The JSON text that a string holds, as `contentMediaType` and `contentSchema` of its schemas say; `undefined` if no
 * schema says that the string holds JSON.
 */
export function jsonTextOf(schemas: readonly [Schema, ...Schema[]]): JsonText | undefined {
  const contents = schemas.flatMap((schema) => jsonContentOf(schema) ?? []);
  const [first] = contents;
  if (first === undefined) return undefined;
  const [described, ...others] = contents.flatMap(({ schema }) => schema ?? []);
  return {
    encoding: first.encoding,
    schemas: described === undefined ? [{ node: schemas[0].node, types: ["object"] }] : [described, ...others],
    isRequired: schemas.some(({ assertsContent }) => assertsContent === true),
  };
}

/**
 * Builds a string that holds JSON text. Tries compact text, text with trailing spaces (for `minLength`), and indented
 * text (for `pattern`); then the same three without optional properties (for `maxLength`).
 *
 * @param accepts Tells whether a string is valid.
 * @param path The path that the path of the JSON value is derived from. Its `depth` already counts the string.
 */
export function buildJsonText(
  context: GeneratorContext,
  { encoding, schemas }: JsonText,
  { strings, accepts }: {
    /** The schemas of the string. */
    readonly strings: readonly [Schema, ...Schema[]];
    readonly accepts: (text: string) => boolean;
  },
  path: ValuePath,
): Built | Failure {
  const [schema] = strings;
  for (const share of [path.share, 0]) {
    const built = context.build(schemas, { ...path, share });
    if (isFailure(built)) return built;
    for (const text of layoutsOf(built.value, encoding, textConstraintsOf(strings).minLength)) {
      // Refuse long texts: if a schema nests JSON text in JSON text, each level escapes the quotes again, and the
      // length grows exponentially.
      if (text.length > LONGEST_JSON_CONTENT) return { reason: "its JSON text became too long", schema, proven: false };
      const encoded = encodeJsonContent(text, encoding);
      if (accepts(encoded)) return { value: encoded };
    }
  }
  return { reason: "no JSON text was found that satisfies the schema of its string", schema, proven: false };
}

/** The JSON text of a value: compact, padded with spaces to `minLength`, and indented. */
function layoutsOf(value: unknown, encoding: ContentEncoding, minLength: number): string[] {
  const text = writeJson(value);
  // Base64 encodes three bytes as four characters. A `minLength` above the limit is considered a mistake and ignored.
  const least = minLength > LONGEST_JSON_CONTENT ? 0 : encoding === "none" ? minLength : Math.ceil(minLength * 3 / 4);
  const spaces = Math.max(0, least - lengthOf(text));
  return [text, ...spaces > 0 ? [`${text}${" ".repeat(spaces)}`] : [], writeJson(value, 2)];
}
