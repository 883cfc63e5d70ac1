import type { Bytes } from "../http/handler.ts";
import type { MediaType } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import type { Hints } from "../schema/hints.ts";
import type { Node } from "../schema/node.ts";
import type { Direction } from "../schema/schema.ts";
import type { ValidatorLoader } from "./chooser.ts";
import type { ValueFormats } from "./value_format.ts";

/** The part of a definition that describes a body. */
export interface BodyContext {
  document: Document;
  /** The Schema Object of the body; may be a `$ref`. */
  schema?: Node | undefined;
  /** The Media Type Object, for `encoding`, `prefixEncoding`, `itemEncoding` and `itemSchema`; its `$ref` followed. */
  mediaTypeObject?: Node<"MediaType" | "Encoding"> | undefined;
}

/** A body, or a part of one, with the hints (expected types) of its schema. */
export interface HintedContext {
  readonly document: Document;
  readonly hints: Hints;
  /** The Media Type Object of a body, the Encoding Object of a part. */
  readonly mediaTypeObject?: Node<"MediaType" | "Encoding"> | undefined;
}

/**
 * The form of a value that is to be encoded:
 *
 * - `data`: the value as its schema describes it: generated, or a `dataValue`;
 * - `serialized`: the text of the body itself: a `serializedValue`;
 * - `example`: an `example` or a `value`, which authors write in either of these forms.
 */
export type ValueForm = "data" | "serialized" | "example";

/** A body that can be sent. */
export interface EncodedBody {
  /**
   * The bytes; `null` for a body without any. A media type that is a sequence (`application/x-ndjson`,
   * `application/json-seq`, `text/event-stream`, `multipart/*` with an `itemSchema`) has a chunk for each item.
   */
  body: Bytes | readonly Bytes[] | null;
  /**
   * The value of the `content-type` header: the media type as given; for a multipart body, with the parameter
   * `boundary` that its parts were written with.
   */
  contentType: string;
}

/** The result of an encoder: text is yet to be encoded in the body's charset. */
export interface Encoding {
  /** A list is a sequence of items. */
  body: string | Bytes | (string | Bytes)[];
  /** The boundary of a multipart body, to be added to the media type. */
  boundary?: string;
}

/** The context of an encoder. */
export interface EncoderContext extends HintedContext {
  readonly form: ValueForm;
  /** Writes a part of the body that has a media type of its own. */
  readonly encodePart: (
    value: unknown,
    mediaType: string,
    context: HintedContext,
    form: ValueForm,
  ) => Promise<EncodedBody>;
}

/** Writes a value as a body of one kind of media type. */
export type Encoder = (value: unknown, mediaType: MediaType, context: EncoderContext) => Encoding | Promise<Encoding>;

/** The value of a body. */
export type DecodedBody =
  | {
    kind: "value";
    value: unknown;
    /**
     * Searches the other values that the body may mean for one that the schema allows: the text `3` may be a string
     * or a number. Resolves to `value` if there is none. Absent if the body can mean one value only.
     */
    otherwise?: () => Promise<unknown>;
  }
  /** The body can't be parsed as its media type. The message follows the name of the invalid part: `is not JSON`. */
  | { kind: "malformed"; message: string }
  /** The media type isn't known, or its bodies are opaque bytes. */
  | { kind: "unknown" };

/** The context of a reader of bodies. */
export interface ReaderContext extends BodyContext {
  /** A request has no `readOnly` properties, a response no `writeOnly` ones. Default: `request`. */
  direction?: Direction | undefined;
  /** The formats in which the client writes arrays and objects into a form, where they differ from the definition's. */
  formats?: ValueFormats | undefined;
}

/** The context of a decoder. */
export interface DecoderContext extends HintedContext {
  readonly formats: ValueFormats;
  /** Reads a part of the body that has a media type of its own. */
  readonly decodePart: (bytes: Uint8Array, mediaType: string, context: HintedContext) => Promise<DecodedBody>;
  readonly validators: ValidatorLoader;
}

/** Reads a body of one kind of media type. */
export type Decoder = (
  bytes: Uint8Array,
  mediaType: MediaType,
  context: DecoderContext,
) => DecodedBody | Promise<DecodedBody>;
