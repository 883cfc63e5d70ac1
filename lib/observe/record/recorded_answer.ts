import { fnv1a, hex } from "../../http/hash.ts";
/** The default of the most examples that each status and media type of an operation gets. */
export const DEFAULT_EXAMPLES = 100;

/**
 * Parts of a request with their values, by the keys that `x-svc.mocking.match` takes: `path.id`, `query.limit`,
 * `body./name`.
 */
export type Conditions = Readonly<Record<string, unknown>>;

/** The fields of an Example Object that hold a value (OpenAPI 3.2, section 4.19). */
export const EXAMPLE_FIELDS = ["value", "dataValue", "serializedValue", "externalValue"] as const;
export type ExampleField = typeof EXAMPLE_FIELDS[number];

/** An answer of an upstream, and the parts of the request on which it may depend. Both are without secrets. */
export interface RecordedResponse {
  readonly status: number;
  /** The key under `content` of the response; empty for an answer without a body. */
  readonly mediaType: string;
  /** The path and query parameters of the request. */
  readonly parameters: Conditions;
  /**
   * The headers of the request, its body, and parts of the body. They become conditions of an example only if requests
   * with equal parameters got different answers.
   */
  readonly details: Conditions;
  /**
   * The parsed value of a JSON body, the text of another body, or the bytes of one that is no text, as a `data:` URI;
   * `undefined` without a body.
   */
  readonly value: unknown;
  /** The field of the Example Object that holds the value, such that the mock server sends the body as it was sent. */
  readonly field: ExampleField;
  /** The `Content-Type` of the response, if it isn't `mediaType`. */
  readonly contentType?: string | undefined;
  /** The values of the response's declared headers, by their declared names. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The number of characters that the body takes in the recording; estimated for a JSON value. */
  readonly size: number;
  /** JSON paths of the parts of the value that were redacted. */
  readonly redacted: readonly (readonly string[])[];
  /** Whether the answer was read from an earlier recording. */
  readonly isKept: boolean;
}

/** Compares texts by code units, unlike `localeCompare`, whose order depends on the machine. */
export function compareRecorded(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A hash of a text as eight hexadecimal digits. */
export function responseHash(text: string): string {
  return hex(fnv1a(text));
}

/**
 * The deepest nesting and the longest member name of a recorded JSON value. A value beyond these limits is recorded as
 * text.
 */
const MOST_DEPTH = 100;
const MOST_NAME = 5_000;
/** The most characters of a JSON value in YAML. A larger value is recorded as text. */
const MOST_SIZE = 4 * 1024 * 1024;

/**
 * Estimates the number of characters that a value takes in YAML: a line for each part, indented by two spaces for each
 * level.
 *
 * @returns `undefined` if the value exceeds a limit, so that it must be recorded as text.
 */
export function sizeInYaml(value: unknown): number | undefined {
  let size = 0;
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MOST_DEPTH) return undefined;
    const next: unknown[] = [];
    for (const part of level) {
      size += 2 * depth + (typeof part === "string" ? part.length + 4 : 10);
      if (Array.isArray(part)) { for (const item of part) next.push(item); }
      else if (typeof part === "object" && part !== null) {
        for (const [name, inner] of Object.entries(part)) {
          if (name.length > MOST_NAME) return undefined;
          size += name.length;
          next.push(inner);
        }
      }
    }
    if (size > MOST_SIZE) return undefined;
    level = next;
  }
  return size;
}
