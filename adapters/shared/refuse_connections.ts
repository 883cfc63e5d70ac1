/**
 * Refuses connections that clients of HTTP open without `node:http`. The mock server can't answer on them.
 *
 * @module
 */
import http2 from "node:http2";
import { syncBuiltinESMExports } from "node:module";
import tls from "node:tls";
import { replaceFunction } from "./replace_function.ts";

type Call = (...args: unknown[]) => unknown;

/**
 * Refuses sessions of `node:http2`, and connections of `node:tls` that negotiate HTTP (RFC 7301), as those of undici.
 * Other connections, such as to a database, aren't requests.
 *
 * @returns A function that ends the refusal.
 */
export function refuseConnections(): () => void {
  const restoreHttp2 = refuseCalls(http2, "A session of node:http2 with", ([authority]) => String(authority));
  const restoreTls = refuseCalls(tls, "A connection for HTTP with", (args) => {
    const options = args.find((arg) => typeof arg === "object" && arg !== null);
    const { ALPNProtocols: protocols, host, servername, port } = Object(options);
    if (!/h2|http\//.test(textOf(protocols))) return undefined;
    const [first, second] = args;
    return typeof first === "object"
      ? `${servername || host || "localhost"}:${port}`
      : `${typeof second === "string" ? second : "localhost"}:${first}`;
  });
  // The named exports that modules import are copies.
  syncBuiltinESMExports();
  return () => {
    restoreTls();
    restoreHttp2();
    syncBuiltinESMExports();
  };
}

/** @param target What a call would connect to; `undefined` if the call isn't to be refused. */
function refuseCalls(module: object, what: string, target: (args: unknown[]) => string | undefined): () => void {
  return replaceFunction(module, "connect", (connect: Call, hasEnded): Call => (...args) => {
    const url = hasEnded() ? undefined : target(args);
    if (url !== undefined) {
      throw new TypeError(`${what} ${url} can't be mocked, and the option \`others\` is "refuse".`);
    }
    return Reflect.apply(connect, module, args);
  });
}

/** The protocols of `ALPNProtocols`: a list of texts or bytes, or all in one sequence of bytes. */
function textOf(protocols: unknown): string {
  if (protocols instanceof Uint8Array) return new TextDecoder().decode(protocols);
  return Array.isArray(protocols) ? protocols.map(textOf).join() : String(protocols ?? "");
}
