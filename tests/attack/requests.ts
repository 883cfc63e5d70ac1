/** Exchanges whose requests two servers may read differently (request smuggling). */
import type { Exchange } from "./target.ts";

/**
 * A request inside the body of another one. It must never reach the upstream as a request; gw answers this path with
 * 404.
 */
const HIDDEN = "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n";
const LENGTH = HIDDEN.length;
const CHUNK = `${LENGTH.toString(16)}\r\n${HIDDEN}\r\n0\r\n\r\n`;
const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

const METHODS = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"];

/** Header fields that determine where a body ends, and the bytes that follow the head. */
const FRAMINGS: Readonly<Record<string, readonly [fields: string, rest: string]>> = {
  "a length": [`Content-Length: ${LENGTH}`, HIDDEN],
  "a length that is too short": ["Content-Length: 5", HIDDEN],
  "a length of 0": ["Content-Length: 0", HIDDEN],
  "a length that never comes": ["Content-Length: 5000", HIDDEN],
  "one length twice": [`Content-Length: ${LENGTH}\r\nContent-Length: ${LENGTH}`, HIDDEN],
  "two lengths": [`Content-Length: ${LENGTH}\r\nContent-Length: 5`, HIDDEN],
  "two lengths in one field": [`Content-Length: 5, ${LENGTH}`, HIDDEN],
  "one length twice in one field": [`Content-Length: ${LENGTH}, ${LENGTH}`, HIDDEN],
  "a negative length": ["Content-Length: -5", HIDDEN],
  "a length with a sign": [`Content-Length: +${LENGTH}`, HIDDEN],
  "a length in hexadecimal": [`Content-Length: 0x${LENGTH.toString(16)}`, HIDDEN],
  "a length of 25 digits": [`Content-Length: ${"9".repeat(25)}`, HIDDEN],
  "an empty length": ["Content-Length: ", HIDDEN],
  "a space before the colon of a length": [`Content-Length : ${LENGTH}`, HIDDEN],
  "a length after a bare LF": [`X: y\nContent-Length: ${LENGTH}`, HIDDEN],
  "a length after a bare CR": [`X: y\rContent-Length: ${LENGTH}`, HIDDEN],
  "a folded length": [`Content-Length:\r\n ${LENGTH}`, HIDDEN],
  "chunks": ["Transfer-Encoding: chunked", CHUNK],
  "chunks, and a request behind them": ["Transfer-Encoding: chunked", `0\r\n\r\n${HIDDEN}`],
  "chunks with extensions": ["Transfer-Encoding: chunked", `5;a=\r\n\r\nhello\r\n0\r\n\r\n${HIDDEN}`],
  "chunks with a trailer": ["Transfer-Encoding: chunked", `5\r\nhello\r\n0\r\nContent-Length: 5\r\n\r\n${HIDDEN}`],
  "a length and chunks": [`Content-Length: ${LENGTH}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n${HIDDEN}`],
  "chunks and a length": [`Transfer-Encoding: chunked\r\nContent-Length: 5`, `0\r\n\r\n${HIDDEN}`],
  "the coding xchunked": ["Transfer-Encoding: xchunked", `0\r\n\r\n${HIDDEN}`],
  "the coding gzip, chunked": ["Transfer-Encoding: gzip, chunked", `0\r\n\r\n${HIDDEN}`],
  "the coding chunked, identity": ["Transfer-Encoding: chunked, identity", `0\r\n\r\n${HIDDEN}`],
  "the coding identity and a length": [`Transfer-Encoding: identity\r\nContent-Length: ${LENGTH}`, HIDDEN],
  "the coding twice": ["Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", `0\r\n\r\n${HIDDEN}`],
  "the coding in capitals": ["TRANSFER-ENCODING: CHUNKED", `0\r\n\r\n${HIDDEN}`],
  "the coding after a tab": ["Transfer-Encoding:\tchunked", `0\r\n\r\n${HIDDEN}`],
  "the coding after a vertical tab": ["Transfer-Encoding: \x0bchunked", `0\r\n\r\n${HIDDEN}`],
  "a space before the colon of the coding": ["Transfer-Encoding : chunked", `0\r\n\r\n${HIDDEN}`],
  "a folded coding": ["X: y\r\n Transfer-Encoding: chunked", `0\r\n\r\n${HIDDEN}`],
  "a coding after a bare LF": ["X: y\nTransfer-Encoding: chunked", `0\r\n\r\n${HIDDEN}`],
  "a coding that Connection names": [
    `Connection: close, Transfer-Encoding\r\nTransfer-Encoding: chunked\r\nContent-Length: ${LENGTH}`,
    `0\r\n\r\n${HIDDEN}`,
  ],
  "a length that Connection names": [`Connection: close, Content-Length\r\nContent-Length: ${LENGTH}`, HIDDEN],
  "a chunk of negative size": ["Transfer-Encoding: chunked", `-5\r\nhello\r\n0\r\n\r\n${HIDDEN}`],
  "a chunk size with 0x": ["Transfer-Encoding: chunked", `0x5\r\nhello\r\n0\r\n\r\n${HIDDEN}`],
  "a chunk size with a sign": ["Transfer-Encoding: chunked", `+5\r\nhello\r\n0\r\n\r\n${HIDDEN}`],
  "a chunk size of 17 digits": ["Transfer-Encoding: chunked", `fffffffffffffffff\r\nhello\r\n0\r\n\r\n${HIDDEN}`],
  "a chunk size after a bare LF": ["Transfer-Encoding: chunked", `5\nhello\n0\n\n${HIDDEN}`],
  "an expectation": [`Expect: 100-continue\r\nContent-Length: ${LENGTH}`, HIDDEN],
  "a method that is overridden": [`X-HTTP-Method-Override: DELETE\r\nContent-Length: ${LENGTH}`, HIDDEN],
};

const UNFINISHED = /never|25 digits|hexadecimal|xchunked|gzip|identity|chunk/;

/** Heads of requests with unusual targets, hosts and line ends. */
const HEADS: Readonly<Record<string, string>> = {
  "a folded field": "GET /attack HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n",
  "a bare CR in a field": "GET /attack HTTP/1.1\r\nHost: h\r\nX: a\rb\r\n\r\n",
  "a bare LF between lines": "GET /attack HTTP/1.1\nHost: h\n\n",
  "a NUL in a field": "GET /attack HTTP/1.1\r\nHost: h\r\nX: a\0b\r\n\r\n",
  "a control character in a field": "GET /attack HTTP/1.1\r\nHost: h\r\nX: a\x01b\r\n\r\n",
  "DEL in a field": "GET /attack HTTP/1.1\r\nHost: h\r\nX: a\x7fb\r\n\r\n",
  "bytes over 127 in a field": "GET /attack HTTP/1.1\r\nHost: h\r\nX: \xff\xfe\r\n\r\n",
  "no host": "GET /attack HTTP/1.1\r\n\r\n",
  "two hosts": "GET /attack HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
  "a host with a path": "GET /attack HTTP/1.1\r\nHost: h/smuggled\r\n\r\n",
  "a host with a user": "GET /attack HTTP/1.1\r\nHost: u@h\r\n\r\n",
  "a host with a fragment": "GET /attack HTTP/1.1\r\nHost: evil.example#.h\r\n\r\n",
  "a host with spaces": "GET /attack HTTP/1.1\r\nHost: a b\r\n\r\n",
  "a host of 10,000 letters": `GET /attack HTTP/1.1\r\nHost: ${"h".repeat(10_000)}\r\n\r\n`,
  "an absolute target": "GET http://other.example/attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "an absolute target of another scheme": "GET ftp://other.example/attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "an absolute target with a user": "GET http://u:p@127.0.0.1/attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target with a fragment": "GET /attack#/smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target with spaces": "GET /attack HTTP/1.1\r\nX: y HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target with an encoded line break": "GET /attack%0d%0aX:%20y HTTP/1.1\r\nHost: h\r\n\r\n",
  "a query with an encoded line break": "GET /attack?a=%0d%0a%0d%0aGET%20/smuggled HTTP/1.1\r\nHost: h\r\n\r\n",
  "a query with bytes over 127": "GET /attack?a=\xff\xfe HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target that goes up": "GET /innocent/../attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target that goes up, encoded": "GET /innocent/%2e%2e/attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target that goes up, encoded twice": "GET /attack?%252e%252e%252finnocent HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target with backslashes": "GET \\attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target with two slashes": "GET //attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target with a broken encoding": "GET /attack%zz HTTP/1.1\r\nHost: h\r\n\r\n",
  "a target of 100,000 letters": `GET /attack?${"a".repeat(100_000)} HTTP/1.1\r\nHost: h\r\n\r\n`,
  "the target *": "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
  "CONNECT": "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n",
  "TRACE": "TRACE /attack HTTP/1.1\r\nHost: h\r\nCookie: secret\r\n\r\n",
  "a method in small letters": "get /attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "a method that is none": "G(T /attack HTTP/1.1\r\nHost: h\r\n\r\n",
  "HTTP/1.0": "GET /attack HTTP/1.0\r\n\r\n",
  "HTTP/0.9": "GET /attack\r\n",
  "HTTP/3.0": "GET /attack HTTP/3.0\r\nHost: h\r\n\r\n",
  "HTTP/2 without being asked": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0",
  "an upgrade to h2c": "GET /attack HTTP/1.1\r\nHost: h\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n" +
    "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
  "a WebSocket": "GET /attack HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
  "10,000 headers": `GET /attack HTTP/1.1\r\nHost: h\r\n${"a: 1\r\n".repeat(10_000)}\r\n`,
  "a header of 2 MB": `GET /attack HTTP/1.1\r\nHost: h\r\nX: ${"x".repeat(2e6)}\r\n\r\n`,
  "half a head": "GET /attack HTTP/1.1\r\nHost: h\r\nX: ",
  "zero bytes": "\0".repeat(1000),
  "TLS": "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
};

/** Milliseconds until a client gives up whose request is incomplete. */
const SHORT = 150;

export const REQUESTS: readonly Exchange[] = [
  ...METHODS.flatMap((method) =>
    Object.entries(FRAMINGS).flatMap(([name, [fields, rest]]) =>
      [false, true].map((isEarly): Exchange => ({
        name: `${method} with ${name}${isEarly ? ", answered early" : ""}`,
        request: `${method} /attack HTTP/1.1\r\nHost: h\r\nConnection: close\r\n${fields}\r\n\r\n${rest}`,
        script: { answer: OK, isEarly },
        reaches: [`${method} /attack`],
        ...(UNFINISHED.test(name) ? { timeout: SHORT } : {}),
      }))
    )
  ),
  ...Object.entries(HEADS).map(([name, request]): Exchange => ({
    name,
    request,
    script: { answer: OK },
    reaches: reachesOf(request),
    timeout: SHORT,
  })),
];

/** The requests that may reach the upstream for a head: the path as the client wrote it, or normalized. */
function reachesOf(request: string): string[] {
  const [, method = "", target = ""] = /^(\S+) (\S+)/.exec(request) ?? [];
  const path = target.replace(/^[a-z]+:\/\/[^/]*/, "").replace(/#.*/, "");
  const written = path.replace(/[^\x21-\x7e]+/g, (text) =>
    encodeURIComponent(new TextDecoder().decode(
      Uint8Array.from(text, (character) => character.charCodeAt(0)),
    )));
  // The gateway reads `//` as `/`, and sends the upstream the path that it has matched.
  return /^(?:\/innocent)?\/\//.test(path) || path.startsWith("/innocent/")
    ? [`${method} /attack`]
    : path.startsWith("/attack")
    ? [`${method.toUpperCase()} ${written}`]
    : [];
}
