/**
 * Small valid files of media types whose contents a schema doesn't describe: images, sounds, documents.
 *
 * @module
 */
import type { Bytes } from "../http/handler.ts";

/** A small valid file of a media type. */
export interface SampleFile {
  /** The file signature (magic bytes), with one character for each byte. */
  signature: string;
  /** Conventional file name extension. */
  extension: string;
  /** The file in base64; `text` for a text file. A file without both is put together by office_files.ts. */
  base64?: string;
  text?: string;
  /** Whether such a file is text in UTF-8. */
  isUtf8?: boolean;
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

const MP4: SampleFile = {
  signature: "\0\0\0",
  extension: "mp4",
  base64: "AAAAIGZ0eXBpc29tAAACAGlzb21pc28yYXZjMW1wNDEAAAAIZnJlZQAAACFtZGF0AAAAFWWIhAAV//7sz34FLRBL83ku1dZ/gQAA" +
    "AvBtb292AAAAbG12aGQAAAAAAAAAAAAAAAAAAAPoAAAD6AABAAABAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAA" +
    "AAAAAAAAAEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAACAAACP3RyYWsAAABcdGtoZAAAAAMAAAAAAAAAAAAAAAEAAAAA" +
    "AAAD6AAAAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAEAAAABAAAAAAACRlZHRzAAAA" +
    "HGVsc3QAAAAAAAAAAQAAA+gAAAAAAAEAAAAAAbdtZGlhAAAAIG1kaGQAAAAAAAAAAAAAAAAAAEAAAABAAFXEAAAAAAAtaGRscgAA" +
    "AAAAAAAAdmlkZQAAAAAAAAAAAAAAAFZpZGVvSGFuZGxlcgAAAAFibWluZgAAABR2bWhkAAAAAQAAAAAAAAAAAAAAJGRpbmYAAAAc" +
    "ZHJlZgAAAAAAAAABAAAADHVybCAAAAABAAABInN0YmwAAAC+c3RzZAAAAAAAAAABAAAArmF2YzEAAAAAAAAAAQAAAAAAAAAAAAAA" +
    "AAAAAAAAEAAQAEgAAABIAAAAAAAAAAEMTGF2YyBsaWJ4MjY0AAAAAAAAAAAAAAAAAAAAAAAAAAAY//8AAAA0YXZjQwFkAAr/4QAX" +
    "Z2QACqzZXsBEAAADAAQAAAMACDxIllgBAAZo6+PLIsD9+PgAAAAAEHBhc3AAAAABAAAAAQAAABRidHJ0AAAAAAAAAMgAAAAAAAAA" +
    "GHN0dHMAAAAAAAAAAQAAAAEAAEAAAAAAHHN0c2MAAAAAAAAAAQAAAAEAAAABAAAAAQAAABRzdHN6AAAAAAAAABkAAAABAAAAFHN0" +
    "Y28AAAAAAAAAAQAAADAAAAA9dWR0YQAAADVtZXRhAAAAAAAAACFoZGxyAAAAAAAAAABtZGlyYXBwbAAAAAAAAAAAAAAAAAhpbHN0",
};
const QUICKTIME: SampleFile = {
  signature: "\0\0\0",
  extension: "mov",
  base64: "AAAAFGZ0eXBxdCAgAAACAHF0ICAAAAAId2lkZQAAABptZGF0AAABswAQBwAAAbYWPx5thmJPAAAC5m1vb3YAAABsbXZoZAAAAAAA" +
    "AAAAAAAAAAAAA+gAAAPoAAEAAAEAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAA" +
    "AAAAAAAAAAAAAAAAAAAAAAAAAAIAAAJydHJhawAAAFx0a2hkAAAAAwAAAAAAAAAAAAAAAQAAAAAAAAPoAAAAAAAAAAAAAAAAAAAA" +
    "AAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAQAAAAEAAAAAAAJGVkdHMAAAAcZWxzdAAAAAAAAAABAAAD6AAA" +
    "AAAAAQAAAAAB6m1kaWEAAAAgbWRoZAAAAAAAAAAAAAAAAAAAQAAAAEAAf/8AAAAAAC1oZGxyAAAAAG1obHJ2aWRlAAAAAAAAAAAA" +
    "AAAADFZpZGVvSGFuZGxlcgAAAZVtaW5mAAAAFHZtaGQAAAABAAAAAAAAAAAAAAAsaGRscgAAAABkaGxydXJsIAAAAAAAAAAAAAAA" +
    "AAtEYXRhSGFuZGxlcgAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAASlzdGJsAAAAxXN0c2QAAAAAAAAAAQAA" +
    "ALVtcDR2AAAAAAAAAAEAAAAARkZNUAAAAgAAAAIAABAAEABIAAAASAAAAAAAAAABCkxhdmMgbXBlZzQAAAAAAAAAAAAAAAAAAAAA" +
    "AAAAAAAAGP//AAAAT2VzZHMAAAAAA4CAgD4AAQAEgICAMCARAAAAAAMNQAAAAJAFgICAHgAAAbABAAABtYkTAAABAAAAASAAxI2I" +
    "AA0AhAIUYwaAgIABAgAAABBwYXNwAAAAAQAAAAEAAAAYc3R0cwAAAAAAAAABAAAAAQAAQAAAAAAcc3RzYwAAAAAAAAABAAAAAQAA" +
    "AAEAAAABAAAAFHN0c3oAAAAAAAAAEgAAAAEAAAAUc3RjbwAAAAAAAAABAAAAJA==",
};
const WEBM: SampleFile = {
  signature: "\x1a\x45\xdf\xa3",
  extension: "webm",
  base64: "GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAHTEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZU" +
    "rmtTrIHGTbuMU6uEElTDZ1OsggEiTbuMU6uEHFO7a1OsggG97AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" +
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmoCrXsYMPQkBNgIRM" +
    "YXZmV0GETGF2ZkSJiECPQAAAAAAAFlSua9euAQAAAAAAAE7XgQFzxYgAAAAAAAAAAZyBACK1nIN1bmSIgQCGhVZfVlA4g4EBI+OD" +
    "hDuaygDgkLCBELqBEJqBAlWwhFW5gQFV7oEA7AEAAAAAAAACAAASVMNn0HNzzWPAi2PFiAAAAAAAAAABZ8iYRaOHRU5DT0RFUkSH" +
    "i0xhdmMgbGlidnB4Z8ihRaOIRFVSQVRJT05Eh5MwMDowMDowMS4wMDAwMDAwMDAAH0O2dcHngQCjvIEAAIDwAgCdASoQABAAAEcI" +
    "hYWImYSIAgICdaoD+AP6Ag1N7gD+6ez//ugNkWd0f+6BP/ynscV9H/lAgBxTu2uRu4+zgQC3iveBAfGCAXfwgQM=",
};
const MP3: SampleFile = {
  signature: "\xff",
  extension: "mp3",
  base64: "/+MYxAAAAANIAAAAAExBTUU0LjEgKGFscGhhIDApVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV/+MY" +
    "xDsAAANIAAAAAFVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV/+MYxHYA" +
    "AANIAAAAAFVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV/+MYxLEAAANI" +
    "AAAAAFVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVVV",
};
const OGG: SampleFile = {
  signature: "OggS",
  extension: "ogg",
  base64: "T2dnUwACAAAAAAAAAAAAAAAAAAAAAGS5xGoBE09wdXNIZWFkAQE4AUAfAAAAAABPZ2dTAAAAAAAAAAAAAAAAAAABAAAASZW+VAEu" +
    "T3B1c1RhZ3MGAAAAZmZtcGVnAQAAABQAAABlbmNvZGVyPUxhdmMgbGlib3B1c09nZ1MABPgTAAAAAAAAAAAAAAIAAABBShkFBgcG" +
    "BgYGBggL5jsjq2AICKyzDsYICKyzDsYICKyzDsYICKyzDsYICKyzDsY=",
};
const M4A: SampleFile = {
  signature: "\0\0\0",
  extension: "m4a",
  base64: "AAAAHGZ0eXBNNEEgAAACAE00QSBpc29taXNvMgAAAAhmcmVlAAAAEG1kYXQBGCAHARggBwAAAtZtb292AAAAbG12aGQAAAAAAAAA" +
    "AAAAAAAAAB9AAAADIAABAAABAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAA" +
    "AAAAAAAAAAAAAAAAAAAAAAACAAACJXRyYWsAAABcdGtoZAAAAAMAAAAAAAAAAAAAAAEAAAAAAAADIAAAAAAAAAAAAAAAAQEAAAAA" +
    "AQAAAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAACRlZHRzAAAAHGVsc3QAAAAAAAAAAQAAAyAAAAQA" +
    "AAEAAAAAAZ1tZGlhAAAAIG1kaGQAAAAAAAAAAAAAAAAAAB9AAAAHIFXEAAAAAAAtaGRscgAAAAAAAAAAc291bgAAAAAAAAAAAAAA" +
    "AFNvdW5kSGFuZGxlcgAAAAFIbWluZgAAABBzbWhkAAAAAAAAAAAAAAAkZGluZgAAABxkcmVmAAAAAAAAAAEAAAAMdXJsIAAAAAEA" +
    "AAEMc3RibAAAAGpzdHNkAAAAAAAAAAEAAABabXA0YQAAAAAAAAABAAAAAAAAAAAAAQAQAAAAAB9AAAAAAAA2ZXNkcwAAAAADgICA" +
    "JQABAASAgIAXQBUAAAAAAB9AAAABGAWAgIAFFYhW5QAGgICAAQIAAAAgc3R0cwAAAAAAAAACAAAAAQAABAAAAAABAAADIAAAABxz" +
    "dHNjAAAAAAAAAAEAAAABAAAAAgAAAAEAAAAUc3RzegAAAAAAAAAEAAAAAgAAABRzdGNvAAAAAAAAAAEAAAAsAAAAGnNncGQBAAAA" +
    "cm9sbAAAAAIAAAAB//8AAAAcc2JncAAAAAByb2xsAAAAAQAAAAIAAAABAAAAPXVkdGEAAAA1bWV0YQAAAAAAAAAhaGRscgAAAAAA" +
    "AAAAbWRpcmFwcGwAAAAAAAAAAAAAAAAIaWxzdA==",
};
const TIFF: SampleFile = {
  signature: "II*\0",
  extension: "tiff",
  base64: "SUkqAAgAAAAKAAABBAABAAAAAQAAAAEBBAABAAAAAQAAAAIBAwADAAAAhgAAAAMBAwABAAAAAQAAAAYBAwABAAAAAgAAABEBBAAB" +
    "AAAAjAAAABUBAwABAAAAAwAAABYBBAABAAAAAQAAABcBBAABAAAAAwAAABwBAwABAAAAAQAAAAAAAAAIAAgACAA7gvY=",
};
const JAR: SampleFile = { signature: "PK", extension: "jar" };

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

/** RFC 5545 and RFC 6350, whose lines end with CRLF. */
const ICALENDAR = lines(
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//gw//sample//EN",
  "BEGIN:VEVENT",
  "UID:sample@example.com",
  "DTSTAMP:20250101T000000Z",
  "DTSTART:20250101T090000Z",
  "DTEND:20250101T100000Z",
  "SUMMARY:Sample",
  "END:VEVENT",
  "END:VCALENDAR",
);
const VCARD = lines("BEGIN:VCARD", "VERSION:4.0", "FN:Sample", "END:VCARD");

function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\r\n`).join("");
}

/** Sample files by media type without parameters. */
const SAMPLE_FILES: Readonly<Record<string, SampleFile>> = {
  "application/gzip": GZIP,
  "application/epub+zip": { signature: "PK", extension: "epub" },
  "application/java-archive": JAR,
  "application/ogg": OGG,
  "application/pdf": { signature: "%PDF-", extension: "pdf", text: PDF_TEXT },
  "application/rtf": { signature: "{\\rtf", extension: "rtf", text: "{\\rtf1\\ansi Sample}\n" },
  "application/vnd.oasis.opendocument.spreadsheet": { signature: "PK", extension: "ods" },
  "application/vnd.oasis.opendocument.text": { signature: "PK", extension: "odt" },
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": { signature: "PK", extension: "pptx" },
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": { signature: "PK", extension: "xlsx" },
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": { signature: "PK", extension: "docx" },
  "application/wasm": { signature: "\0asm", extension: "wasm", base64: "AGFzbQEAAAA=" },
  "application/x-gzip": GZIP,
  "application/x-zip-compressed": ZIP,
  "application/zip": ZIP,
  "audio/mp3": MP3,
  "audio/mp4": M4A,
  "audio/mpeg": MP3,
  "audio/ogg": OGG,
  "audio/opus": OGG,
  "audio/vnd.wave": WAV,
  "audio/wav": WAV,
  "audio/x-m4a": M4A,
  "audio/x-wav": WAV,
  "image/avif": {
    signature: "\0\0\0",
    extension: "avif",
    base64: "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAA" +
      "AAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAETAAAAKAAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEA" +
      "AGF2MDFDb2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAAQAAAAEAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwA" +
      "AAAAE2NvbHJuY2x4AAEADQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAAAMG1kYXQSAAoIGAAGiAhoNCAyGhTHh4ZlAgggnlAA" +
      "AABIWtlc0CeBKnZFF4FA",
  },
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
    isUtf8: true,
    text: '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><path fill="#3b82f6" d="M0 0h1v1H0z"/></svg>\n',
  },
  "image/tiff": TIFF,
  "image/vnd.microsoft.icon": ICO,
  "image/webp": {
    signature: "RIFF",
    extension: "webp",
    base64: "UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAdQwe7Uvv+BiOh/AAA=",
  },
  "image/x-bmp": BMP,
  "image/x-icon": ICO,
  "text/calendar": { signature: "BEGIN:", extension: "ics", text: ICALENDAR },
  "text/vcard": { signature: "BEGIN:", extension: "vcf", text: VCARD },
  "text/x-vcard": { signature: "BEGIN:", extension: "vcf", text: VCARD },
  "video/mp4": MP4,
  "video/quicktime": QUICKTIME,
  "video/webm": WEBM,
};

/** The sample file of a media type without parameters; `undefined` if there is none, or none of constant bytes. */
export function sampleFile(essence: string): Bytes | undefined {
  const sample = sampleOf(essence);
  if (sample?.base64 !== undefined) return Uint8Array.fromBase64(sample.base64);
  return sample?.text === undefined ? undefined : new TextEncoder().encode(sample.text);
}

/** The file name extension of a media type without parameters; `bin` where it is unknown. */
export function fileExtension(essence: string): string {
  return sampleOf(essence)?.extension ?? "bin";
}

export function sampleOf(essence: string): SampleFile | undefined {
  return Object.hasOwn(SAMPLE_FILES, essence) ? SAMPLE_FILES[essence] : undefined;
}
