import type { Bytes } from "../http/handler.ts";
import type { MediaType } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import type { Hints } from "../schema/hints.ts";
import type { ValueCount } from "../schema/json/json.ts";
import type { Node } from "../schema/json/node.ts";
import type { Direction } from "../schema/schema.ts";
import type { ValidatorLoader } from "./chooser.ts";
import type { ValueFormats } from "./value_format.ts";

/** The place of a body in a definition: a Schema Object and a Media Type Object. */
export interface BodyContext {
  document: Document;
  /** The Schema Object of the body, or a Reference Object. */
  schema?: Node | undefined;
  /**
   * The Media Type Object (no Reference Object), for its `encoding`, `prefixEncoding`, `itemEncoding` and `itemSchema`.
   */
  mediaTypeObject?: Node<"MediaType" | "Encoding"> | undefined;
}

/** A body, or a part of a multipart body or form, with the hints of its schema. */
export interface HintedContext {
  readonly document: Document;
  readonly hints: Hints;
  /** The Media Type Object of a body, or the Encoding Object of a part. */
  readonly mediaTypeObject?: Node<"MediaType" | "Encoding"> | undefined;
}

/**
 * The meaning of a value that is to be encoded:
 *
 * - `data`: an instance of the schema: generated, or a `dataValue`;
 * - `serialized`: the text of the body, ready to be sent: a `serializedValue`;
 * - `example`: an `example` or a `value`, which authors use for either.
 */
export type ValueForm = "data" | "serialized" | "example";

export interface EncodedBody {
  /**
   * The bytes; `null` for no body. A body that is a sequence (`application/x-ndjson`, `application/json-seq`,
   * `text/event-stream`, `multipart/*` with an `itemSchema`) is a list with the bytes of each item.
   */
  body: Bytes | readonly Bytes[] | null;
  /** The body as text, if it was made from a text and is UTF-8. */
  text?: string;
  /**
   * The value of the `content-type` header: the given media type. For a multipart body it has the parameter `boundary`
   * that separates the parts.
   */
  contentType: string;
}

/** The result of an encoder. Text isn't in the charset of the media type yet. */
export interface Encoding {
  /** The body; a list for a sequence of items. */
  body: string | Bytes | (string | Bytes)[];
  /** The boundary of a multipart body, which the caller adds to the media type. */
  boundary?: string;
}

export interface EncoderContext extends HintedContext {
  readonly form: ValueForm;
  /** Encodes a part of the body in the part's own media type. */
  readonly encodePart: (
    value: unknown,
    mediaType: string,
    context: HintedContext,
    form: ValueForm,
  ) => Promise<EncodedBody>;
}

/** Encodes a value as a body of the media types that have one format, such as XML. */
export type Encoder = (value: unknown, mediaType: MediaType, context: EncoderContext) => Encoding | Promise<Encoding>;

/** The result of decoding a body. */
export type DecodedBody =
  | {
    kind: "value";
    value: unknown;
    /**
     * Searches for another value that the body may stand for and that the schema allows: the text `3` may be a string
     * or a number. Resolves to `value` if there is none. Absent if the body stands for only one value.
     */
    otherwise?: () => Promise<unknown>;
  }
  /**
   * The body doesn't have the syntax of its media type. The message completes a sentence that begins with the name of
   * the body or part: `is not JSON`.
   */
  | { kind: "malformed"; message: string }
  /** The body has more values than {@linkcode MOST_VALUES}. The message completes a sentence likewise. */
  | { kind: "too-large"; message: string }
  /** The media type is unknown, or its bodies are binary. */
  | { kind: "unknown" };

/** The place of a body in a definition, with settings for decoding the body. */
export interface ReaderContext extends BodyContext {
  /** The direction of the body, which excludes `readOnly` or `writeOnly` properties. Default: `request`. */
  direction?: Direction | undefined;
  /** The formats in which the client writes arrays and objects into a form. Default: those of the definition. */
  formats?: ValueFormats | undefined;
}

/**
 * Limit of the values of a body: members of objects, items of arrays, elements and attributes of XML, fields of forms.
 * A value takes up to a hundred times as long to parse and to validate as a character of a text.
 */
export const MOST_VALUES = 250_000;

export interface DecoderContext extends HintedContext {
  /** The values that the body may still have, all its parts together. Decoders count them before they make them. */
  readonly values: ValueCount;
  readonly formats: ValueFormats;
  /** Decodes a part of the body by the part's own media type. */
  readonly decodePart: (bytes: Uint8Array, mediaType: string, context: HintedContext) => Promise<DecodedBody>;
  readonly validators: ValidatorLoader;
}

/** Decodes a body of the media types that have one format, such as XML. */
export type Decoder = (
  bytes: Uint8Array,
  mediaType: MediaType,
  context: DecoderContext,
) => DecodedBody | Promise<DecodedBody>;
