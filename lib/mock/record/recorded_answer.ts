/** How many examples each status and media type of an operation gets. */
export const DEFAULT_EXAMPLES = 100;

/** Parts of a request and their values, by the keys of `x-svc.mocking.match`: `path.id`, `query.limit`, `body./name`. */
export type Conditions = Readonly<Record<string, unknown>>;

/** An answer of an upstream, and the parts of its request that it may depend on; both without secrets. */
export interface RecordedAnswer {
  readonly status: number;
  /** The key under `content` of the response; empty for an answer without a body. */
  readonly mediaType: string;
  /** The path parameters and queries of the request. */
  readonly parameters: Conditions;
  /**
   * The headers and the body of the request, and parts of the body. They become conditions of an example only where
   * requests with equal parameters got different answers.
   */
  readonly details: Conditions;
  /** The value of JSON, the text of any other body; `undefined` for an answer without a body. */
  readonly value: unknown;
  /** The values of the response's declared headers, by name as declared. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The length of the body in the recording, in characters; an estimate where the body is recorded as a JSON value. */
  readonly size: number;
  /** Paths in the value at which a secret was replaced. */
  readonly redacted: readonly (readonly string[])[];
  /** Whether the answer is from an earlier recording. */
  readonly isKept: boolean;
}

/** A text that is the same for equal values, whichever order their members have. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => compareTexts(a, b)));
  }) ?? "";
}

/** Orders texts by their code units, which is the same on every machine. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A short text of eight characters that two different texts rarely share (FNV-1a, 32 bits). */
export function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** The deepest nesting and the longest name of a JSON value. One that exceeds them is recorded as text. */
const MOST_DEPTH = 100;
const MOST_NAME = 5_000;
/** The most characters in YAML of a JSON value; a larger one is recorded as text. */
const MOST_SIZE = 4 * 1024 * 1024;

/**
 * Estimates the characters that a value takes in YAML: a line for each part, with two spaces for each level.
 *
 * @returns `undefined` for a value that is better recorded as a text, because it is nested too deep, has too long
 * names, or is too large.
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
