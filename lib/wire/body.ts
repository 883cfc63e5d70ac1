import type { Bytes } from "../http/handler.ts";
import type { MediaType } from "../http/media_type.ts";
import type { Document } from "../openapi/document.ts";
import type { Node } from "../schema/node.ts";
import type { Direction } from "../schema/schema.ts";
import type { SchemaTypes } from "./schema_types.ts";
import type { FitsWithin } from "./fit.ts";

/** What a definition says about a body. */
export interface BodyContext {
  document: Document;
  /** The Schema Object of the body; may be a `$ref`. */
  schema?: Node | undefined;
  /** The Media Type Object, for `encoding`, `prefixEncoding`, `itemEncoding` and `itemSchema`; its `$ref` followed. */
  mediaTypeObject?: Node | undefined;
}

/**
 * What a value is:
 *
 * - `data`: the value as its schema describes it: generated, or a `dataValue`;
 * - `serialized`: the text of the body itself: a `serializedValue`;
 * - `example`: an `example` or a `value`, which authors write in either way.
 */
export type ValueForm = "data" | "serialized" | "example";

/** A body that can be sent. */
export interface EncodedBody {
  /**
   * The bytes; `null` for a body without any. A media type that is a sequence (`application/x-ndjson`,
   * `application/json-seq`, `text/event-stream`, `multipart/*` with an `itemSchema`) has a chunk for each item.
   */
  body: Bytes | readonly Bytes[] | null;
  /** The media type for the `content-type` header: as given, with the boundary of a multipart body added. */
  contentType: string;
}

/** What an encoder makes: text is yet to be encoded in the body's charset. */
export interface Encoding {
  /** A list is a sequence of items. */
  body: string | Bytes | (string | Bytes)[];
  /** What separates the parts of a multipart body, if the media type doesn't say. */
  boundary?: string;
}

/** What an encoder knows besides the value. */
export interface EncoderContext extends BodyContext {
  form: ValueForm;
  /** Writes a part of the body in a media type of its own. */
  encodePart: (value: unknown, mediaType: string, context: BodyContext, form: ValueForm) => Promise<EncodedBody>;
}

/** Writes a value as a body of one kind of media type. */
export type Encoder = (value: unknown, mediaType: MediaType, context: EncoderContext) => Encoding | Promise<Encoding>;

/** What a body says. */
export type DecodedBody =
  | { kind: "value"; value: unknown }
  /** Not a body of its media type; the message goes after the name of what it is about. */
  | { kind: "malformed"; message: string }
  /** Of a media type whose bodies are just bytes, or that isn't known. */
  | { kind: "unknown" };

/** What a reader of bodies is told. */
export interface ReaderContext extends BodyContext {
  /** A request has no `readOnly` properties, a response no `writeOnly` ones. Default: `request`. */
  direction?: Direction | undefined;
}

/** What tells whether a value fits a schema, for bodies that can be read in more ways than one. */
export interface LazyJudge {
  readonly loaded: () => FitsWithin | undefined;
  readonly load: () => Promise<FitsWithin>;
}

/** What a decoder knows besides the bytes. */
export interface DecoderContext extends ReaderContext {
  /** What the schema says of types. */
  types: SchemaTypes;
  /** Reads a part of the body that has a media type of its own. */
  decodePart: (bytes: Uint8Array, mediaType: string, context: BodyContext) => Promise<DecodedBody>;
  judge: LazyJudge;
}

/** Reads a body of one kind of media type. */
export type Decoder = (
  bytes: Uint8Array,
  mediaType: MediaType,
  context: DecoderContext,
) => DecodedBody | Promise<DecodedBody>;
