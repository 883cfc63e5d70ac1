/**
 * Path templates in the form in which inference compares them: without the names of parameters, and without a format at
 * the end such as `.json`.
 *
 * @module
 */
import { splitPathKey } from "../../openapi/path_condition.ts";

/** A segment of a path: a literal text, or a parameter. */
export type Segment = { readonly literal: string } | { readonly parameter: string };

/** A path template, split into segments. */
export interface PathShape {
  readonly segments: readonly Segment[];
  /**
   * Equal for paths that differ only in the names of parameters and in case: `/users/{}/orders`, followed by the
   * conditions.
   */
  readonly key: string;
  /** The query and fragment of the path key, as written; mostly empty. */
  readonly conditions: string;
}

/** The most segments of a path that can be bound. Real definitions have 20. */
export const MOST_SEGMENTS = 40;

/**
 * A parameter that is a whole segment, also with a format behind it (`{id}.json`). The patterns below: a parameter in
 * an OData key (`Products('{id}')`), and a segment with a verb (`{id}:cancel`).
 */
const PARAMETER = /^\{([^{}]+)\}(?:\.(?:json|xml|\{[^{}]+\}))?$/;
const ODATA_KEY = /^([^{}()]+)\('?\{([^{}]+)\}'?\)$/;
const CUSTOM_VERB = /^(\{[^{}]+\}|[^{}:]+):([A-Za-z][A-Za-z0-9_]*)$/;
const FORMAT = /\.(?:json|xml|\{[^{}]+\})$/;

/**
 * Splits a path key.
 *
 * @returns `undefined` for a path that has more than {@linkcode MOST_SEGMENTS} segments, or a segment that mixes text
 * and parameters in a form that isn't known.
 */
export function shapeOfPathKey(path: string): PathShape | undefined {
  const { template, written: conditions } = splitPathKey(path);
  const texts = template.split("/", MOST_SEGMENTS + 2).filter((text) => text !== "");
  if (texts.length > MOST_SEGMENTS) return undefined;
  const segments: Segment[] = [];
  for (const text of texts) {
    const found = readSegment(text);
    if (found === undefined) return undefined;
    segments.push(...found);
  }
  return { segments, key: keyOfSegments(segments, conditions), conditions };
}

function readSegment(text: string): Segment[] | undefined {
  if (!/[{:.]/.test(text)) return [{ literal: text }];
  const parameter = PARAMETER.exec(text)?.[1];
  if (parameter !== undefined) return [{ parameter: parameter.replace(/^\+|[*+]$/g, "") }];
  const [, part, verb] = CUSTOM_VERB.exec(text) ?? [];
  if (part !== undefined && verb !== undefined) {
    const before = readSegment(part);
    return before === undefined ? undefined : [...before, { literal: verb }];
  }
  if (!text.includes("{")) return [{ literal: text.replace(FORMAT, "") }];
  const [, literal, key] = ODATA_KEY.exec(text) ?? [];
  if (literal !== undefined && key !== undefined) return [{ literal }, { parameter: key }];
  const plain = text.replace(FORMAT, "");
  return plain.includes("{") ? undefined : [{ literal: plain }];
}

/** The key of segments; see {@linkcode PathShape.key}. */
export function keyOfSegments(segments: readonly Segment[], conditions = ""): string {
  let key = "";
  for (const segment of segments) {
    key += "parameter" in segment ? "/{}" : `/${segment.literal.toLowerCase()}`;
  }
  return key + conditions;
}

/** The names of the parameters in a path, in order. */
export function parametersIn(segments: readonly Segment[]): string[] {
  return segments.flatMap((segment) => "parameter" in segment ? [segment.parameter] : []);
}

/** The last literal segment, if it is a noun: not a version, and not a word such as `api`. */
export function nounOf(segments: readonly Segment[]): string | undefined {
  const last = segments.findLast((segment) => "literal" in segment);
  return last !== undefined && "literal" in last && !isPrefix(last.literal) ? last.literal : undefined;
}

/** Whether a literal segment names a version or the kind of an API, and no collection. */
export function isPrefix(literal: string): boolean {
  return /^(?:v?\d[\w.-]*|v\d.*|api|apis|rest|public|latest|beta|alpha|json|odata)$/i.test(literal);
}
