import { essence, type MediaType } from "../http/media_type.ts";

/** The format of a body, such as XML. Each format has an encoder and a decoder, and may serve several media types. */
export type WireFormat =
  | "json"
  | "xml"
  | "form"
  | "multipart"
  | "json-lines"
  | "json-seq"
  | "event-stream"
  | "yaml"
  | "csv"
  | "html"
  | "text"
  | "binary";

const BY_ESSENCE: Readonly<Record<string, WireFormat>> = {
  "application/csv": "csv",
  "application/ecmascript": "text",
  "application/graphql": "text",
  "application/html": "html",
  "application/javascript": "text",
  "application/json": "json",
  "application/json-lines": "json-lines",
  "application/json-seq": "json-seq",
  "application/jsonl": "json-lines",
  "application/jsonlines": "json-lines",
  "application/jwt": "text",
  "application/ndjson": "json-lines",
  "application/sql": "text",
  "application/stream+json": "json-lines",
  "application/toml": "text",
  "application/x-javascript": "text",
  "application/x-json": "json",
  "application/x-json-stream": "json-lines",
  "application/x-jsonlines": "json-lines",
  "application/x-ndjson": "json-lines",
  "application/x-www-form-urlencoded": "form",
  "application/x-yaml": "yaml",
  "application/xhtml+xml": "html",
  "application/xml": "xml",
  "application/yaml": "yaml",
  "image/svg+xml": "binary",
  "text/csv": "csv",
  "text/event-stream": "event-stream",
  "text/html": "html",
  "text/json": "json",
  "text/tab-separated-values": "csv",
  "text/vnd.yaml": "yaml",
  "text/x-json": "json",
  "text/x-yaml": "yaml",
  "text/xml": "xml",
  "text/yaml": "yaml",
};

/** The format by structured syntax suffix, such as `+json` (RFC 6839). */
const BY_SUFFIX: Readonly<Record<string, WireFormat>> = {
  "json": "json",
  "json-seq": "json-seq",
  "jwt": "text",
  "xml": "xml",
  "yaml": "yaml",
};

const BY_TYPE: Readonly<Record<string, WireFormat>> = { "multipart": "multipart", "text": "text" };

/**
 * The format of a media type, found by its name, else by its structured syntax suffix, else by its type (`text/*`);
 * `binary` for any other.
 */
export function formatOf(mediaType: MediaType): WireFormat {
  const { type, suffix = "" } = mediaType;
  return lookUp(BY_ESSENCE, essence(mediaType)) ?? lookUp(BY_SUFFIX, suffix) ?? lookUp(BY_TYPE, type) ?? "binary";
}

function lookUp(table: Readonly<Record<string, WireFormat>>, key: string): WireFormat | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
