import { decodeBody } from "../../lib/wire/decode.ts";
import { encodeBody } from "../../lib/wire/encode.ts";
import type { Document } from "../../lib/openapi/document.ts";
import type { Node } from "../../lib/schema/json/node.ts";

/** The result of encoding a body in a media type and decoding it again. */
export type ReadBack = { kind: "value"; value: unknown } | { kind: "unreadable"; reason: string };

/** Encodes a body as XML and decodes it again. */
export async function readBackXml(document: Document, schema: Node, value: unknown): Promise<ReadBack> {
  const mediaType = "application/xml";
  const { body, contentType } = await encodeBody(value, mediaType, { document, schema }, "data");
  if (!(body instanceof Uint8Array)) return { kind: "unreadable", reason: "it is no single text" };
  const decoded = await decodeBody(body, contentType, { document, schema, direction: "response" });
  switch (decoded.kind) {
    case "value":
      return decoded;
    case "malformed":
    case "too-large":
      return { kind: "unreadable", reason: decoded.message };
    case "unknown":
      return { kind: "unreadable", reason: "its media type is not known" };
  }
}
