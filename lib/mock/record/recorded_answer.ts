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
  /** Headers and parts of the body, of which conditions are made only where answers differ by them. */
  readonly details: Conditions;
  /** The value of JSON, the text of any other body; `undefined` for an answer without a body. */
  readonly value: unknown;
  /** The values of the response's declared headers, by name as declared. */
  readonly headers: Readonly<Record<string, unknown>>;
  /** The length of the body in characters. */
  readonly size: number;
  /** Places where a secret was replaced. */
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
