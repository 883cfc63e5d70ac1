/** Exchanges that are valid HTTP, with bodies that are expensive to read or to validate. */
import { textOf } from "./wire.ts";
import type { Exchange } from "./target.ts";

/** A size just below that of the largest body that gw validates, in bytes. */
const MOST = 10 * 1024 * 1024 - 100;
const REQUEST = "GET /attack HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

interface Body {
  readonly name: string;
  readonly type: string;
  readonly body: string;
  /** Additional header fields, each with a line break at its end. */
  readonly fields?: string;
  /** Whether only a response can have this body. Default: a request can too. */
  readonly isResponse?: boolean;
}

function filled(part: string, most = MOST): string {
  return part.repeat(Math.floor(most / part.length));
}

const BODIES: readonly Body[] = [
  { name: "JSON nested deep", type: "application/json", body: "[".repeat(MOST) },
  { name: "JSON of objects nested deep", type: "application/json", body: filled('{"a":') },
  { name: "JSON of many properties", type: "application/json", body: `{${filled('"b":1,')}"c":2}` },
  { name: "JSON of a long text", type: "application/json", body: `{"a":"${"x".repeat(MOST)}"}` },
  { name: "JSON of a long number", type: "application/json", body: `{"a":${"1".repeat(MOST)}}` },
  { name: "JSON with a line break in a name", type: "application/json", body: '{"\\r\\nset-cookie: evil\\r\\n":1}' },
  { name: "JSON with a long name", type: "application/json", body: `{"${"n".repeat(100_000)}":1}` },
  { name: "JSON that is no UTF-8", type: "application/json", body: "\xff\xfe{}" },
  { name: "JSON of an unknown charset", type: "application/json; charset=x-evil", body: "{}" },
  { name: "a long media type", type: `application/json${";a=b".repeat(10_000)}`, body: "{}" },
  { name: "a media type of quotes", type: `application/json;a=${'"\\'.repeat(10_000)}`, body: "{}" },
  { name: "XML nested deep", type: "application/xml", body: filled("<a>") },
  { name: "XML of many attributes", type: "application/xml", body: `<a ${filled("b='1' ", 1e6)}/>` },
  {
    name: "XML of attributes with many names",
    type: "application/xml",
    body: `<a ${Array.from({ length: 1e6 }, (_, index) => `b${index}=""`).join(" ")}/>`,
  },
  {
    name: "XML with entities",
    type: "application/xml",
    body: `<!DOCTYPE a [<!ENTITY b "${"x".repeat(1000)}"><!ENTITY c "${"&b;".repeat(1000)}">]><a>&c;</a>`,
  },
  { name: "a form of ampersands", type: "application/x-www-form-urlencoded", body: filled("&") },
  { name: "a form of many names", type: "application/x-www-form-urlencoded", body: filled("a=1&", 2e6) },
  { name: "CSV of commas", type: "text/csv", body: filled(",", 2e6) },
  { name: "CSV of an open quote", type: "text/csv", body: `a\n"${filled('""', 2e6)}` },
  { name: "many events", type: "text/event-stream", body: filled("data:1\n\n", 1e6) },
  { name: "an event of many lines", type: "text/event-stream", body: filled("data:1\n", 1e6) },
  { name: "lines of nothing", type: "application/x-ndjson", body: filled("\n") },
  { name: "records of nothing", type: "application/json-seq", body: filled("\x1e", 2e6) },
  {
    name: "YAML of aliases",
    type: "application/yaml",
    body: `a: &a [${"x,".repeat(9)}x]\nb: [${"*a,".repeat(1e4)}*a]`,
  },
  { name: "parts without an end", type: "multipart/form-data; boundary=b", body: filled("--b\r\n", 1e6) },
  { name: "a text for a pattern that backtracks", type: "text/plain", body: `${"a".repeat(1e5)}b` },
  { name: "gzip that isn't", type: "application/json", body: "not gzip", fields: "Content-Encoding: gzip\r\n" },
  {
    name: "100 codings",
    type: "application/json",
    body: "x",
    fields: `Content-Encoding: ${filled("gzip,", 500)}gzip\r\n`,
  },
  {
    name: "a list of 50,000 items",
    type: "application/json",
    body: "{}",
    fields: `X-List: ${filled("1,", 5e4)}x\r\n`,
    isResponse: true,
  },
  {
    name: "a verdict of its own",
    type: "application/json",
    body: "{}",
    fields: "X-Gw-Violations: evil\r\n",
    isResponse: true,
  },
];

/** A decompression bomb: bytes that decompress to 1,000 times their size. */
async function bomb(): Promise<string> {
  const zeros = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let count = 0; count < 50; count++) controller.enqueue(new Uint8Array(1e6));
      controller.close();
    },
  });
  const packed = zeros.pipeThrough(new CompressionStream("gzip")).pipeThrough(new CompressionStream("gzip"));
  return textOf(await new Response(packed).bytes());
}

/** Lists the exchanges: each body in a response with `Content-Length`, in a chunked response, and in a request. */
export async function listBodies(): Promise<Exchange[]> {
  const bombs = { type: "application/json", body: await bomb(), fields: "Content-Encoding: gzip, gzip\r\n" };
  const all = [...BODIES, { name: "a bomb", ...bombs }];
  const tiny = filled("1\r\n \r\n", 200_000);
  return [
    ...all.map(({ name, type, body, fields = "" }): Exchange => ({
      name: `response: ${name}`,
      request: REQUEST,
      script: {
        answer: `HTTP/1.1 200 OK\r\nContent-Type: ${type}\r\n${fields}Content-Length: ${body.length}\r\n\r\n${body}`,
      },
      wants: [200, 502],
      hides: "\r\nset-cookie: evil",
    })),
    ...all.filter(({ isResponse = false }: Partial<Body>) => !isResponse).map((
      { name, type, body, fields = "" },
    ): Exchange => ({
      name: `request: ${name}`,
      request: `POST /attack HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: ${type}\r\n${fields}` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
      script: { answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
      reaches: ["POST /attack"],
      hides: "\r\nset-cookie: evil",
    })),
    {
      name: "response: chunks of one byte",
      request: REQUEST,
      script: {
        answer: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${tiny}` +
          "2\r\n{}\r\n0\r\n\r\n",
      },
      wants: [200],
    },
    {
      name: "response: end within a body that is held back",
      request: REQUEST,
      script: {
        answer: `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`,
        then: "close",
      },
      wants: [502, 200],
    },
  ];
}
