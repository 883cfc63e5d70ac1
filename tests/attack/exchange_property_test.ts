/**
 * Random exchanges made of parts that have confused HTTP parsers. Whatever they contain, other clients must not be
 * affected.
 */
import fc from "fast-check";
import { runs } from "../runs.ts";
import { type Exchange, TARGETS } from "./target.ts";

const HIDDEN = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
const SMALL = String(HIDDEN.length);

const length = fc.constantFrom(
  "0",
  "2",
  "5",
  "-5",
  "+5",
  "0x5",
  "5, 5",
  " 5 ",
  "",
  SMALL,
  "4294967296",
  "9".repeat(25),
);
const coding = fc.constantFrom("chunked", "Chunked", "xchunked", "gzip, chunked", "chunked, chunked", "identity", "");
const size = fc.constantFrom("0", "5", "05", "-5", "+5", "0x5", "zz", "", "5;a=b", "5 ", "ffffffffffffffff1", "a");
const name = fc.constantFrom(
  "Content-Length",
  "content-length",
  "Content-Length ",
  " Content-Length",
  "X-Content-Length",
);
const otherName = fc.constantFrom("Transfer-Encoding", "transfer-encoding", "Transfer-Encoding ", "Transfer_Encoding");
const lineEnd = fc.oneof(
  { weight: 9, arbitrary: fc.constant("\r\n") },
  fc.constantFrom("\n", "\r", "\r\r\n", "\0\r\n"),
);
const junk = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 20,
});

const field = fc.oneof(
  fc.tuple(name, length).map(([name, value]) => `${name}: ${value}`),
  fc.tuple(otherName, coding).map(([name, value]) => `${name}: ${value}`),
  fc.constantFrom(
    "Connection: keep-alive",
    "Connection: close",
    "Connection: content-length",
    "Trailer: Content-Length",
  ),
  fc.constantFrom("Expect: 100-continue", "Upgrade: h2c", "foo", "foo : 1", ": 1", " folded", "Keep-Alive: timeout=0"),
  junk.map((value) => `X: ${value}`),
);
const fields = fc.array(fc.tuple(field, lineEnd).map((parts) => parts.join("")), { maxLength: 4 })
  .map((lines) => lines.join(""));

const chunk = fc.tuple(
  size,
  fc.constantFrom("\r\n", "\n"),
  fc.constantFrom("hello", "", HIDDEN),
  fc.constantFrom("\r\n", ""),
)
  .map((parts) => parts.join(""));
const body = fc.oneof(
  fc.array(chunk, { maxLength: 3 }).map((chunks) => `${chunks.join("")}0\r\n\r\n`),
  fc.constantFrom("", "hello", HIDDEN, `0\r\n\r\n${HIDDEN}`, "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"),
  junk,
);

const status = fc.constantFrom(
  "200 OK",
  "204 No",
  "205 Reset",
  "304 Not",
  "103 Early",
  "100 Continue",
  "101 Up",
  "999 x",
  "20",
  "",
);
const response = fc.tuple(
  fc.constantFrom("HTTP/1.1 ", "HTTP/1.0 ", "HTTP/2 ", ""),
  status,
  lineEnd,
  fields,
  lineEnd,
  body,
)
  .map((parts) => parts.join(""));
const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH");

/** A hostile response to a plain request. */
const hostileResponse = fc.tuple(method, response, fc.boolean(), fc.constantFrom(undefined, "close" as const)).map((
  [method, answer, isEarly, then],
): Exchange => ({
  name: "",
  request: `${method} /attack HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`,
  script: { answer, isEarly, ...(then === undefined ? {} : { then }) },
  // If the upstream closes the connection without an answer, the request may be repeated.
  reaches: [`${method} /attack`, `${method} /attack`],
  timeout: 100,
}));

/** A hostile request with a plain response. */
const hostileRequest = fc.tuple(method, fields, lineEnd, body, fc.boolean()).map((
  [method, fields, end, body, isEarly],
): Exchange => ({
  name: "",
  request: `${method} /attack HTTP/1.1\r\nHost: h\r\n${fields}${end}${body}`,
  script: { answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", isEarly },
  reaches: [`${method} /attack`],
  timeout: 100,
}));

for (const { name, start } of TARGETS) {
  Deno.test(`${name}: no exchange is noticed by anybody else`, async () => {
    await using target = await start();
    const anyExchange = fc.oneof(hostileResponse, hostileRequest);
    await fc.assert(fc.asyncProperty(anyExchange, (exchange) => target.attack(exchange)), runs(40));
  });
}
