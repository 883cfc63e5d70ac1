/**
 * Media types and the `Accept` header. `negotiate()` of lib/mock chooses among several media types.
 *
 * @module
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1 RFC 9110, section 8.3.1, Media Type}
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-12.5.1 RFC 9110, section 12.5.1, Accept}
 */
import { TOKEN_CHARACTERS } from "./token.ts";

/** A media type, such as `application/problem+json; charset=utf-8`, or a range of them, such as `text/*`. */
export interface MediaType {
  /** In lower case: `application`; `*` in a range. */
  type: string;
  /** In lower case, with its suffix: `problem+json`; `*` in a range. */
  subtype: string;
  /** The text after the last `+` of the subtype: `json` (RFC 6838, section 4.2.8). */
  suffix?: string;
  /** Values by name; names in lower case, values as written, without their quotes. */
  parameters: Map<string, string>;
}

/** A member of an `Accept` header. Its weight is not among its parameters. */
export interface MediaRange extends MediaType {
  /** Weight, 0 to 1. */
  q: number;
}

const TOKEN = `[${TOKEN_CHARACTERS}]+`;
/** `type/subtype`, or a lone `*`, which some clients send for everything. */
const ESSENCE = new RegExp(String.raw`\s*(${TOKEN})(?:/(${TOKEN}))?\s*(?=[;,]|$)`, "y");
/** `;name=value` or `;name="quoted"`, or a `;` with nothing after it. */
const PARAMETER = new RegExp(
  String.raw`;\s*(?:(${TOKEN})\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;,"\s]*)))?\s*(?=[;,]|$)`,
  "y",
);
/** Everything up to the next comma outside of quotes. */
const UP_TO_COMMA = /(?:[^",]|"(?:[^"\\]|\\.)*"|")*/y;

/**
 * Reads a media type, such as the value of a `Content-Type` header or a key under `content`.
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
 * Reads the parameters of a header's value: the text after its first `;`.
 *
 * @returns Values by name; names in lower case. Reading ends at the first parameter that is malformed.
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
 * The media type without its parameters: `application/problem+json`.
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

/** A concrete media type for ranges such as `image/*`, by their type. */
const OF_RANGE: Readonly<Record<string, string>> = {
  audio: "audio/wav",
  image: "image/png",
  multipart: "multipart/form-data",
  text: "text/plain",
  video: "video/mp4",
};

/**
 * A concrete media type in a range such as `image/*`.
 *
 * @param general The result for a range of all media types, and for `application/*`.
 * @returns `undefined` where no media type of that range is known, or where it is no range.
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
  return type === "*" || type === "application" ? general : OF_RANGE[type];
}

/**
 * Reads an `Accept` header.
 *
 * A weight that isn't a number counts as 1. A weight outside 0 to 1 counts as the nearest of these. A member that isn't
 * a media range is skipped; a header without media ranges gives an empty list.
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
      // The weight may stand anywhere among the parameters.
      parameters.delete("q");
      ranges.push({ ...mediaType, q });
    }
    at = end + 1;
  }
  return ranges;
}

/** Reads the media type at an offset of a list such as `Accept`; `end` is the end of its member of the list. */
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

/** Reads the parameters at an offset of such a list; `end` is the end of their member. */
function readParameters(text: string, at: number): { parameters: Map<string, string>; end: number } {
  const parameters = new Map<string, string>();
  let end = at;
  while (text[end] === ";") {
    PARAMETER.lastIndex = end;
    const parameter = PARAMETER.exec(text);
    if (parameter === null) return { parameters, end: endOfMember(text, end) };
    const [, name, quoted, token = ""] = parameter;
    const key = name?.toLowerCase();
    // The first of repeated parameters counts, as in the WHATWG's MIME Sniffing Standard.
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
