/**
 * Parses media types and the header `Accept`. `negotiate()` of lib/mock chooses a media type by the result.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 RFC 9110, section 8.3.1, Media Type}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 RFC 9110, section 12.5.1, Accept}
 */
import { TOKEN_CHARACTERS } from "./token.ts";

/** A media type, such as `application/problem+json; charset=utf-8`, or a media range, such as `text/*`. */
export interface MediaType {
  /** The type in lower case, such as `application`; `*` in a media range. */
  type: string;
  /** The subtype in lower case, with its suffix, such as `problem+json`; `*` in a media range. */
  subtype: string;
  /**
   * The structured syntax suffix: the text after the last `+` of the subtype, such as `json` (RFC 6838, section 4.2.8).
   */
  suffix?: string;
  /** The values of the parameters by name. Names are in lower case; values are as written, without quotes. */
  parameters: Map<string, string>;
}

/** A media range of an `Accept` header. Its weight is not among its parameters. */
export interface MediaRange extends MediaType {
  /** The weight (RFC 9110, section 12.4.2), from 0 to 1. */
  q: number;
}

const TOKEN = `[${TOKEN_CHARACTERS}]+`;
/** Matches `type/subtype`, or a lone `*`, which some clients send for every media type. */
const ESSENCE = new RegExp(String.raw`\s*(${TOKEN})(?:/(${TOKEN}))?\s*(?=[;,]|$)`, "y");
/** Matches `;name=value`, `;name="quoted"`, or a `;` with nothing after it. */
const PARAMETER = new RegExp(
  String.raw`;\s*(?:(${TOKEN})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;,"\s]*)))?\s*(?=[;,]|$)`,
  "y",
);
/** Matches the text up to the next comma outside of quotes. */
const UP_TO_COMMA = /(?:[^",]|"(?:[^"\\]|\\.)*"|")*/y;

/**
 * Parses a media type, such as the value of a `Content-Type` header or a key under `content`.
 *
 * @returns `undefined` when the text is no media type. Parameters that can't be read are left out.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const mediaType = parseMediaType('Application/Problem+JSON; charset="utf-8"');
 * assert.equal(mediaType?.subtype, "problem+json");
 * assert.equal(mediaType?.suffix, "json");
 * assert.equal(mediaType?.parameters.get("charset"), "utf-8");
 * assert.equal(parseMediaType("json"), undefined);
 * ```
 */
export function parseMediaType(text: string): MediaType | undefined {
  return readMember(text, 0).mediaType;
}

/**
 * Parses the parameters of a header's value: the text after its first `;`.
 *
 * @returns Values by name; names are in lower case. Parsing ends at the first malformed parameter.
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-5.6.6 RFC 9110, section 5.6.6, Parameters}
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const parameters = parseParameters('form-data; name="pet"; filename=pet.png');
 * assert.deepEqual([...parameters], [["name", "pet"], ["filename", "pet.png"]]);
 * ```
 */
export function parseParameters(value: string): Map<string, string> {
  const start = value.indexOf(";");
  return readParameters(value, start < 0 ? value.length : start).parameters;
}

/**
 * Returns the media type without its parameters: `application/problem+json`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const [range] = parseAccept("text/csv; header=present; q=0.5");
 * assert.equal(range && essence(range), "text/csv");
 * ```
 */
export function essence(mediaType: Pick<MediaType, "type" | "subtype">): string {
  return `${mediaType.type}/${mediaType.subtype}`;
}

/** A concrete media type for each media range such as `image/*`, by the type of the range. */
const CONCRETE_MEDIA_TYPES: Readonly<Record<string, string>> = {
  audio: "audio/wav",
  image: "image/png",
  multipart: "multipart/form-data",
  text: "text/plain",
  video: "video/mp4",
};

/**
 * Returns a concrete media type that matches a media range: `image/png` for `image/*`.
 *
 * @param general The result for `*` and `application/*`.
 * @returns `undefined` if this function has no media type for the range, or if the argument isn't a range.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const [image, any] = parseAccept("image/*, *");
 * assert.equal(image && concreteMediaType(image, "application/json"), "image/png");
 * assert.equal(any && concreteMediaType(any, "application/json"), "application/json");
 * ```
 */
export function concreteMediaType(
  { type, subtype }: Pick<MediaType, "type" | "subtype">,
  general: string,
): string | undefined {
  if (subtype !== "*") return undefined;
  return type === "*" || type === "application" ? general : CONCRETE_MEDIA_TYPES[type];
}

/**
 * Parses an `Accept` header. A weight that isn't a number counts as 1. A weight below 0 counts as 0, a weight above 1
 * as 1. A list element that isn't a media range is skipped; a header without media ranges gives an empty list.
 *
 * @param header The value of the header; several headers joined by commas, as `Headers.get` gives them.
 * @returns The ranges in the order of the header.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const ranges = parseAccept("application/xml;q=0.5, text/*");
 * assert.deepEqual(ranges.map((range) => [essence(range), range.q]), [["application/xml", 0.5], ["text/*", 1]]);
 * ```
 */
export function parseAccept(header: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (let at = 0; at < header.length;) {
    const { mediaType, end } = readMember(header, at);
    if (mediaType !== undefined && !(mediaType.type === "*" && mediaType.subtype !== "*")) {
      const { parameters } = mediaType;
      const q = readWeight(parameters.get("q"));
      // `q` may be anywhere among the parameters, since some clients don't write it last.
      parameters.delete("q");
      ranges.push({ ...mediaType, q });
    }
    at = end + 1;
  }
  return ranges;
}

/**
 * Parses the media type that starts at an offset of a comma-separated list, such as the value of `Accept`. `end` is the
 * offset of the comma after it, or the end of the text.
 */
function readMember(text: string, at: number): { mediaType: MediaType | undefined; end: number } {
  ESSENCE.lastIndex = at;
  const match = ESSENCE.exec(text);
  const type = match?.[1]?.toLowerCase();
  const subtype = match?.[2]?.toLowerCase() ?? (type === "*" ? "*" : undefined);
  if (type === undefined || subtype === undefined) return { mediaType: undefined, end: endOfMember(text, at) };

  const { parameters, end } = readParameters(text, ESSENCE.lastIndex);
  const plus = subtype.lastIndexOf("+");
  const suffix = plus > 0 && plus < subtype.length - 1 ? { suffix: subtype.slice(plus + 1) } : {};
  return { mediaType: { type, subtype, ...suffix, parameters }, end };
}

/**
 * Parses the parameters that start at an offset of a comma-separated list, such as the value of `Accept`. `end` is the
 * offset of the comma after them, or the end of the text.
 */
function readParameters(text: string, at: number): { parameters: Map<string, string>; end: number } {
  const parameters = new Map<string, string>();
  let end = at;
  while (text[end] === ";") {
    PARAMETER.lastIndex = end;
    const parameter = PARAMETER.exec(text);
    if (parameter === null) return { parameters, end: endOfMember(text, end) };
    const [, name, quoted, token = ""] = parameter;
    const key = name?.toLowerCase();
    // Of repeated parameters the first counts, as in the WHATWG's MIME Sniffing Standard.
    if (key !== undefined && !parameters.has(key)) parameters.set(key, quoted?.replace(/\\(.)/g, "$1") ?? token);
    end = PARAMETER.lastIndex;
  }
  return { parameters, end };
}

function endOfMember(text: string, at: number): number {
  UP_TO_COMMA.lastIndex = at;
  UP_TO_COMMA.exec(text);
  return UP_TO_COMMA.lastIndex;
}

function readWeight(text: string | undefined): number {
  const weight = Number.parseFloat(text ?? "1");
  return Number.isNaN(weight) ? 1 : Math.min(1, Math.max(0, weight));
}
