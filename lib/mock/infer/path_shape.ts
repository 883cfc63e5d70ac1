/**
 * Normalises path templates, so that inference can compare them: without parameter names, and without a format at the
 * end such as `.json`.
 *
 * @module
 */
import { splitPathKey } from "../../openapi/path_condition.ts";

export type Segment = { readonly literal: string } | { readonly parameter: string };

/** A path template, split into segments. */
export interface PathShape {
  readonly segments: readonly Segment[];
  /**
   * Equal for paths that differ only in parameter names and in case: `/users/{}/orders`, followed by the conditions.
   */
  readonly key: string;
  /** The query and fragment of the path key, as written; usually empty. */
  readonly conditions: string;
}

/** Limit of the segments of a path that is bound. Real definitions have up to 20. */
export const MOST_SEGMENTS = 40;

/**
 * Patterns of segments: a parameter, maybe with a format (`{id}.json`); an OData key (`Products('{id}')`); a parameter
 * with a verb (`{id}:cancel`).
 */
const PARAMETER = /^\{([^{}]+)\}(?:\.(?:json|xml|\{[^{}]+\}))?$/;
const ODATA_KEY = /^([^{}()]+)\('?\{([^{}]+)\}'?\)$/;
const CUSTOM_VERB = /^(\{[^{}]+\}|[^{}:]+):([A-Za-z][A-Za-z0-9_]*)$/;
const FORMAT = /\.(?:json|xml|\{[^{}]+\})$/;

/**
 * Splits a path key.
 *
 * @returns `undefined` for a path with more than {@linkcode MOST_SEGMENTS} segments, or with a segment that mixes text
 * and parameters in an unsupported form.
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

export function keyOfSegments(segments: readonly Segment[], conditions = ""): string {
  let key = "";
  for (const segment of segments) {
    key += "parameter" in segment ? "/{}" : `/${segment.literal.toLowerCase()}`;
  }
  return key + conditions;
}

export function parametersIn(segments: readonly Segment[]): string[] {
  return segments.flatMap((segment) => "parameter" in segment ? [segment.parameter] : []);
}

/** The last literal segment, if it is a noun: not a version, and not a word such as `api`. */
export function nounOf(segments: readonly Segment[]): string | undefined {
  const last = segments.findLast((segment) => "literal" in segment);
  return last !== undefined && "literal" in last && !isPrefix(last.literal) ? last.literal : undefined;
}

/** Whether a literal segment is a version or a word such as `api`, and no collection. */
export function isPrefix(literal: string): boolean {
  return /^(?:v?\d[\w.-]*|v\d.*|api|apis|rest|public|latest|beta|alpha|json|odata)$/i.test(literal);
}
