/**
 * Encodes bodies of binary media types such as `image/png`: the bytes that a string stands for, or a small sample file.
 *
 * @module
 */
import type { Bytes } from "../http/handler.ts";
import { latin1Bytes } from "../http/latin1.ts";
import { essence, type MediaType } from "../http/media_type.ts";
import type { Schema } from "../schema/schema.ts";
import type { EncoderContext, Encoding } from "./body.ts";
import { toJson } from "./json.ts";

const DATA_URI = /^data:[^,]*;base64,/;

/**
 * Encodes a value as bytes. A value that isn't a string becomes a sample file of the media type, or JSON text if there
 * is no sample file. For a string, the first of these rules applies:
 *
 * - If the string decoded from base64, or its characters taken as bytes, begin with the file signature of the media
 *   type: these bytes.
 * - If the string was generated and there is a sample file of the media type: the sample file.
 * - If its schema has `contentEncoding` or `format: byte`: the string decoded from base64.
 * - Else: the string as text.
 */
export function encodeBinary(value: unknown, mediaType: MediaType, context: EncoderContext): Encoding {
  const name = essence(mediaType);
  if (typeof value !== "string") return { body: sampleFile(name) ?? toJson(value) };

  const encoding = contentEncodingOf(context.hints.schemas);
  const decoded = DATA_URI.test(value)
    ? fromBase64(value.replace(DATA_URI, ""), "base64")
    : fromBase64(value, encoding === "base64url" ? "base64url" : "base64");
  const file = [decoded, latin1Bytes(value)].find((bytes) => bytes && hasSignature(name, bytes));
  if (file !== undefined) return { body: file };
  const sample = context.form === "data" ? sampleFile(name) : undefined;
  if (sample !== undefined) return { body: sample };
  return { body: encoding !== undefined && decoded !== undefined ? decoded : value };
}

/** The base64 alphabet that schemas give with `contentEncoding` or `format: byte`; `undefined` without these. */
export function contentEncodingOf(schemas: readonly Schema[]): "base64" | "base64url" | undefined {
  for (const { contentEncoding, format } of schemas) {
    if (contentEncoding === "base64" || contentEncoding === "base64url") return contentEncoding;
    if (format === "byte") return "base64";
  }
  return undefined;
}

export function fromBase64(text: string, alphabet: "base64" | "base64url"): Bytes | undefined {
  try {
    return Uint8Array.fromBase64(text, { alphabet });
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A small valid file of a media type. */
interface SampleFile {
  /** The file signature (magic bytes), with one character for each byte. */
  signature: string;
  /** Conventional file name extension. */
  extension: string;
  /** The file in base64; `text` for a text file. */
  base64?: string;
  text?: string;
}

const PNG: SampleFile = {
  signature: "\x89PNG",
  extension: "png",
  base64: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mOwbvoGAAKvAbSJsn7VAAAAAElFTkSuQmCC",
};
const JPEG: SampleFile = {
  signature: "\xff\xd8\xff",
  extension: "jpg",
  base64: "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hn" +
    "Pk1xeXBkeFxlZ2P/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AP//Z",
};
const BMP: SampleFile = {
  signature: "BM",
  extension: "bmp",
  base64: "Qk06AAAAAAAAADYAAAAoAAAAAQAAAAEAAAABABgAAAAAAAQAAAATCwAAEwsAAAAAAAAAAAAA9oI7AA==",
};
const ICO: SampleFile = {
  signature: "\x00\x00\x01\x00",
  extension: "ico",
  base64: "AAABAAEAAQEAAAEAGABFAAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAABAAAAAQgCAAAAkHdT3gAAAAxJREFUeNpjsG76BgACrwG0ibJ+" +
    "1QAAAABJRU5ErkJggg==",
};
const WAV: SampleFile = {
  signature: "RIFF",
  extension: "wav",
  base64: "UklGRiwAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQgAAACAgICAgICAgA==",
};
const ZIP: SampleFile = {
  signature: "PK",
  extension: "zip",
  base64: "UEsDBBQAAAAAAAAAIQDvnkswBwAAAAcAAAAKAAAAc2FtcGxlLnR4dHNhbXBsZQpQSwECFAMUAAAAAAAAACEA755LMAcAAAAHAAAACgAA" +
    "AAAAAAAAAAAAgAEAAAAAc2FtcGxlLnR4dFBLBQYAAAAAAQABADgAAAAvAAAAAAA=",
};
const GZIP: SampleFile = {
  signature: "\x1f\x8b",
  extension: "gz",
  base64: "H4sIAAAAAAACAytOzC3ISeUCAO+eSzAHAAAA",
};

/**
 * The cross-reference table (`xref`) and `startxref` hold byte offsets of the lines above. Adapt them to any change.
 */
const PDF_TEXT = `%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [3 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 72 72] /Resources << >> >>
endobj
xref
0 4
0000000000 65535 f\x20
0000000009 00000 n\x20
0000000058 00000 n\x20
0000000115 00000 n\x20
trailer
<< /Size 4 /Root 1 0 R >>
startxref
201
%%EOF
`;

/** Sample files by media type without parameters. */
const SAMPLE_FILES: Readonly<Record<string, SampleFile>> = {
  "application/gzip": GZIP,
  "application/pdf": { signature: "%PDF-", extension: "pdf", text: PDF_TEXT },
  "application/x-gzip": GZIP,
  "application/x-zip-compressed": ZIP,
  "application/zip": ZIP,
  "audio/vnd.wave": WAV,
  "audio/wav": WAV,
  "audio/x-wav": WAV,
  "image/bmp": BMP,
  "image/gif": {
    signature: "GIF8",
    extension: "gif",
    base64: "R0lGODlhAQABAIAAADuC9gAAACwAAAAAAQABAAACAkQBADs=",
  },
  "image/jpeg": JPEG,
  "image/jpg": JPEG,
  "image/png": PNG,
  "image/svg+xml": {
    signature: "<",
    extension: "svg",
    text: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><path fill="#3b82f6" d="M0 0h1v1H0z"/></svg>\n',
  },
  "image/vnd.microsoft.icon": ICO,
  "image/webp": {
    signature: "RIFF",
    extension: "webp",
    base64: "UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAdQwe7Uvv+BiOh/AAA=",
  },
  "image/x-bmp": BMP,
  "image/x-icon": ICO,
};

function sampleFile(essence: string): Bytes | undefined {
  const sample = sampleOf(essence);
  if (sample?.base64 !== undefined) return Uint8Array.fromBase64(sample.base64);
  return sample && new TextEncoder().encode(sample.text);
}

/**
 * Whether bytes begin with the file signature of a media type; `undefined` for a media type without a known signature.
 */
function hasSignature(essence: string, bytes: Uint8Array): boolean | undefined {
  const sample = sampleOf(essence);
  return sample && [...sample.signature].every((character, at) => bytes[at] === character.charCodeAt(0));
}

/** The file name extension of a media type without parameters; `bin` where it is unknown. */
export function fileExtension(essence: string): string {
  return sampleOf(essence)?.extension ?? "bin";
}

function sampleOf(essence: string): SampleFile | undefined {
  return Object.hasOwn(SAMPLE_FILES, essence) ? SAMPLE_FILES[essence] : undefined;
}
