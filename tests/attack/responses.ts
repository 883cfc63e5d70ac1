/** Exchanges whose responses break the rules of HTTP, or are unusual but valid. */
import type { Exchange } from "./target.ts";

const REQUEST = "GET /attack HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
const UPLOAD = "POST /attack HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: 300000\r\n\r\n" +
  "x".repeat(300_000);
const CHUNKED = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
const EVIL = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil";

/** Invalid responses of the upstream. The client must get a 502 instead. */
const BROKEN: Readonly<Record<string, string>> = {
  "chunk size -5": `${CHUNKED}-5\r\nhello\r\n0\r\n\r\n`,
  "chunk size 0x5": `${CHUNKED}0x5\r\nhello\r\n0\r\n\r\n`,
  "chunk size +5": `${CHUNKED}+5\r\nhello\r\n0\r\n\r\n`,
  "chunk size zz": `${CHUNKED}zz\r\nhello\r\n0\r\n\r\n`,
  "chunk size with a space": `${CHUNKED}5 \r\nhello\r\n0\r\n\r\n`,
  "chunk size of 17 digits": `${CHUNKED}fffffffffffffffff\r\nhello\r\n0\r\n\r\n`,
  "no chunk size": `${CHUNKED}\r\nhello\r\n0\r\n\r\n`,
  "chunk that is longer than its size": `${CHUNKED}5\r\nhelloXX\r\n0\r\n\r\n`,
  "chunk size with a bare LF": `${CHUNKED}5\nhello\r\n0\r\n\r\n`,
  "broken second chunk": `${CHUNKED}5\r\nhello\r\n-1\r\n\r\n`,
  "broken trailer": `${CHUNKED}5\r\nhello\r\n0\r\nbroken\r\n\r\n`,
  "negative length": "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
  "length with a sign": "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello",
  "length in hexadecimal": "HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello",
  "length of 25 digits": `HTTP/1.1 200 OK\r\nContent-Length: ${"9".repeat(25)}\r\n\r\nhello`,
  "one length twice": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nhello",
  "two lengths": "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!",
  "two lengths in one field": "HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello",
  "length and chunks":
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  "chunks and length":
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  "coding gzip, chunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  "coding chunked, identity": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, identity\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  "coding xchunked": "HTTP/1.1 200 OK\r\nTransfer-Encoding: xchunked\r\n\r\nhello",
  "coding twice": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "field without a colon": "HTTP/1.1 200 OK\r\nfoo\r\nContent-Length: 2\r\n\r\nok",
  "space before a colon": "HTTP/1.1 200 OK\r\nfoo : 1\r\nContent-Length: 2\r\n\r\nok",
  "space before the colon of a length": "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
  "field without a name": "HTTP/1.1 200 OK\r\n: 1\r\nContent-Length: 2\r\n\r\nok",
  "field whose name has a bracket": "HTTP/1.1 200 OK\r\nf(o: 1\r\nContent-Length: 2\r\n\r\nok",
  "folded field": "HTTP/1.1 200 OK\r\nfoo: 1\r\n 2\r\nContent-Length: 2\r\n\r\nok",
  "bare LF": "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
  "bare CR": "HTTP/1.1 200 OK\r\nfoo: a\rb\r\nContent-Length: 2\r\n\r\nok",
  "NUL in a field": "HTTP/1.1 200 OK\r\nfoo: a\0b\r\nContent-Length: 2\r\n\r\nok",
  "control character in a field": "HTTP/1.1 200 OK\r\nfoo: a\x01b\r\nContent-Length: 2\r\n\r\nok",
  "DEL in a field": "HTTP/1.1 200 OK\r\nfoo: a\x7fb\r\nContent-Length: 2\r\n\r\nok",
  "status 999": "HTTP/1.1 999 No\r\nContent-Length: 2\r\n\r\nok",
  "status 600": "HTTP/1.1 600 No\r\nContent-Length: 2\r\n\r\nok",
  "status 099": "HTTP/1.1 099 No\r\nContent-Length: 2\r\n\r\nok",
  "status of four digits": "HTTP/1.1 2000 No\r\nContent-Length: 2\r\n\r\nok",
  "status of one digit": "HTTP/1.1 2 No\r\nContent-Length: 2\r\n\r\nok",
  "status that is no number": "HTTP/1.1 abc No\r\nContent-Length: 2\r\n\r\nok",
  "no version": "HTTP 200 OK\r\nContent-Length: 2\r\n\r\nok",
  "another protocol": "SSH-2.0-OpenSSH_9.9\r\n",
  "101 that nobody asked for": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n" + OK,
  "101 without Upgrade": "HTTP/1.1 101 Switching Protocols\r\n\r\n" + OK,
  "TLS alert": "\x15\x03\x01\x00\x02\x02\x46",
  "zero bytes": "\0".repeat(10_000),
  "a header of 2 MB": `HTTP/1.1 200 OK\r\nfoo: ${"x".repeat(2e6)}\r\nContent-Length: 2\r\n\r\nok`,
  "a header name of 2 MB": `HTTP/1.1 200 OK\r\n${"x".repeat(2e6)}: 1\r\nContent-Length: 2\r\n\r\nok`,
  "100,000 headers": `HTTP/1.1 200 OK\r\n${"a: 1\r\n".repeat(100_000)}Content-Length: 2\r\n\r\nok`,
  "20,000 headers of different names": `HTTP/1.1 200 OK\r\n${
    Array.from({ length: 20_000 }, (_, i) => `${i.toString(36)}:\r\n`).join("")
  }\r\n`,
  "200 times 103": "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(200) + OK,
  "end before the head": "",
  "end within the head": "HTTP/1.1 200 OK\r\nContent-Le",
  "end within the body": "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nok",
  "end within a chunk": `${CHUNKED}20\r\nok`,
  "end before the last chunk": `${CHUNKED}2\r\nok\r\n`,
};

/** Unusual but valid responses of the upstream, with the status and body that the client must get. */
const FINE: readonly { name: string; answer: string; status: number; body: string; then?: "close" }[] = [
  { name: "another response behind it", answer: OK + EVIL, status: 200, body: "ok" },
  { name: "half a response behind it", answer: `${OK}HTTP/1.1 200 OK\r\nContent-`, status: 200, body: "ok" },
  { name: "a letter behind it", answer: `${OK}H`, status: 200, body: "ok" },
  {
    name: "chunk extensions and trailers",
    answer: `${CHUNKED}5;a=b\r\nhello\r\n0\r\nx: y\r\n\r\n`,
    status: 200,
    body: "hello",
  },
  {
    name: "end of the connection as the end",
    answer: "HTTP/1.1 200 OK\r\n\r\nhello",
    status: 200,
    body: "hello",
    then: "close",
  },
  {
    name: "HTTP/1.0",
    answer: "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
    status: 200,
    body: "ok",
    then: "close",
  },
  { name: "103 before it", answer: `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`, status: 200, body: "ok" },
  {
    name: "205 with a length",
    answer: `HTTP/1.1 205 Reset Content\r\nContent-Length: 4\r\n\r\nevil`,
    status: 204,
    body: "",
  },
  { name: "205 without a length", answer: "HTTP/1.1 205 Reset Content\r\n\r\n", status: 204, body: "", then: "close" },
  {
    name: "204 with a body",
    answer: `HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\nevil`,
    status: 204,
    body: "",
  },
  {
    name: "304 with a length",
    answer: "HTTP/1.1 304 Not Modified\r\nContent-Length: 4\r\n\r\n",
    status: 304,
    body: "",
  },
  { name: "304 with a response behind it", answer: "HTTP/1.1 304 Not Modified\r\n\r\n" + EVIL, status: 304, body: "" },
];

export const RESPONSES: readonly Exchange[] = [
  ...Object.entries(BROKEN).map(([name, answer]): Exchange => ({
    name,
    request: REQUEST,
    script: { answer, then: "close" },
    // If the error arrives in a later packet than the head, the client has got the head already: its response is cut
    // off.
    wants: answer.length > 1e5 || name.startsWith("end within") ? [502, 200] : [502],
    hides: "evil",
    // The upstream may close a connection that has carried an earlier response. The request is then repeated.
    ...(answer === "" ? { reaches: ["GET /attack", "GET /attack"] } : {}),
  })),
  ...FINE.map(({ name, answer, status, then }): Exchange => ({
    name,
    request: REQUEST,
    script: { answer, ...(then === undefined ? {} : { then }) },
    wants: [status],
    hides: "evil",
  })),
  ...FINE.map(({ name, answer, then }): Exchange => ({
    name: `HEAD, ${name}`,
    request: REQUEST.replace("GET", "HEAD"),
    script: { answer, ...(then === undefined ? {} : { then }) },
    reaches: ["HEAD /attack"],
    hides: "evil",
  })),
  {
    name: "a flood of 1xx",
    request: REQUEST,
    script: { answer: "HTTP/1.1 102 Processing\r\n\r\n", then: "flood" },
    wants: [502],
  },
  { name: "a flood of responses", request: REQUEST, script: { answer: OK, then: "flood" }, wants: [200] },
  {
    name: "an answer before the upload is read",
    request: UPLOAD,
    script: { answer: OK, isEarly: true },
    reaches: ["POST /attack"],
  },
  {
    name: "an answer before the upload is read, and the end",
    request: UPLOAD,
    script: { answer: OK, isEarly: true, then: "close" },
    reaches: ["POST /attack"],
  },
  {
    name: "a reset while the upload goes on",
    request: UPLOAD,
    script: { answer: "", then: "reset" },
    reaches: ["POST /attack"],
    wants: [502],
  },
  {
    name: "two answers before the upload is read",
    request: UPLOAD,
    script: { answer: OK + EVIL, isEarly: true },
    reaches: ["POST /attack"],
    hides: "evil",
  },
];
