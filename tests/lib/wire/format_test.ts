import assert from "node:assert/strict";
import { parseMediaType } from "../../../lib/http/media_type.ts";
import { formatOf, type WireFormat } from "../../../lib/wire/format.ts";

const formats: Record<string, WireFormat> = {
  "application/json": "json",
  "application/json;version=1": "json",
  "application/*+json": "json",
  "application/vnd.github.v3+json": "json",
  "text/json": "json",
  "application/stream+json": "json-lines",
  "application/x-ndjson": "json-lines",
  "application/geo+json-seq": "json-seq",
  "text/event-stream": "event-stream",
  "application/xml": "xml",
  "application/rss+xml": "xml",
  "image/svg+xml": "binary",
  "application/xhtml+xml": "html",
  "text/html": "html",
  "text/csv": "csv",
  "text/markdown": "text",
  "application/jwt": "text",
  "application/openapi+yaml": "yaml",
  "application/x-www-form-urlencoded": "form",
  "multipart/related": "multipart",
  "application/octet-stream": "binary",
  "application/vnd.kubernetes.protobuf": "binary",
  "audio/mpeg": "binary",
  "constructor/__proto__": "binary",
  "application/x+constructor": "binary",
};

for (const [text, want] of Object.entries(formats)) {
  Deno.test(`formatOf() finds that ${text} is ${want}`, () => {
    const mediaType = parseMediaType(text);
    assert.equal(mediaType && formatOf(mediaType), want);
  });
}
