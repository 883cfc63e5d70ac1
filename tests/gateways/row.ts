/**
 * Rows of the table of exchanges that both gateways answer alike: the embedded one in the fast tests, and Envoy in the
 * tests of a cluster. All rows stand in one definition, each at a path of its own.
 *
 * @module
 */
import assert from "node:assert/strict";
import WebSocket from "ws";
import { ask as send, type Reply } from "../cluster/support/ask.ts";
import type { JsonObject } from "../../lib/schema/node.ts";

export type GatewayName = "embedded" | "envoy";

/** A part of the definition, and requests to it. */
export interface Row {
  readonly name: string;
  /** `x-svc` of the row's paths. The root sends requests to the service `a`. */
  readonly settings?: JsonObject;
  /** The Path Items, by what follows the row's path. Default: GET, PUT and POST of the path itself. */
  readonly paths?: Readonly<Record<string, JsonObject>>;
  readonly exchanges: readonly Exchange[];
}

/** A request, with what the upstream and the client must get. */
export interface Exchange extends Wanted {
  /** The request line. `~` stands for the path of the row. */
  readonly ask: string;
  readonly host?: string;
  /** Header fields. `{token}` is a valid token. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What the upstream answers. Default: the request as JSON. */
  readonly answer?: Answer;
  /** A text that is sent over a WebSocket, and comes back. */
  readonly socket?: string;
  /** How many of 60 such requests each upstream gets at least. */
  readonly shares?: Readonly<Record<string, number>>;
  /** The gateway that does otherwise, and why. */
  readonly but?: Partial<Wanted> & { readonly gateway: GatewayName; readonly why: string };
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** `head`: there is none before the gateway gives up; `body`: a part of it comes half a second after the rest. */
  readonly late?: "head" | "body";
}

export interface Wanted {
  readonly status: number;
  /** Fields of the response; `null` for one that must be absent. */
  readonly has?: Readonly<Record<string, string | null>>;
  /** The body. */
  readonly text?: string;
  /** What the upstream gets; `null` if it must not be asked. Default: either. */
  readonly upstream?: Partial<Received> | null;
}

/** A request as an upstream gets it. */
export interface Received {
  readonly upstream: string;
  /** Method, path and query. `~` stands for the path of the row. */
  readonly request: string;
  readonly host: string;
  readonly has: Readonly<Record<string, string | null>>;
  readonly body: string;
}

/** The host of the definition. */
export const HOST = "exchanges.example";

const FINE = { responses: { 200: { description: "Fine." } } };
const CRUD = { get: FINE, put: FINE, post: FINE };

export function pathOf(index: number): string {
  return `/r${index}`;
}

/** Makes the definition of all rows. */
export function definitionOf(rows: readonly Row[], settings: JsonObject = {}): JsonObject {
  const paths: Record<string, unknown> = {};
  for (const [index, { settings, paths: items = { "": CRUD } }] of rows.entries()) {
    for (const [path, item] of Object.entries(items)) {
      paths[`${pathOf(index)}${path}`] = { ...(settings === undefined ? {} : { "x-svc": settings }), ...item };
    }
  }
  const root = { hosts: [HOST], upstream: { service: { name: "a" } }, public_api_path: "/api.json", ...settings };
  return { openapi: "3.1.0", info: { title: "Exchanges", version: "1" }, "x-svc": root, paths };
}

/** What stands for `{…}` in the rows. */
export interface Places {
  readonly issuer: string;
  readonly jwks: string;
  /** The namespace of the services. */
  readonly namespace: string;
  /** Where the upstream `a` listens. */
  readonly address: string;
  readonly port: number;
}

/** Makes the text of the definition of all rows. */
export function textOf(rows: readonly Row[], places: Places): string {
  const text = JSON.stringify(definitionOf(rows)).replaceAll('"{port}"', `${places.port}`);
  return Object.entries(places).reduce((text, [name, value]) => text.replaceAll(`{${name}}`, `${value}`), text);
}

/** The header by which a request tells the upstream its answer. */
const ANSWER = "x-answer";

/** Answers as an upstream: with the request as JSON, or as the request tells. */
export function answerAs(upstream: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status = 200, headers = {}, late }: Answer = JSON.parse(request.headers.get(ANSWER) ?? "{}");
    const received = {
      upstream,
      request: `${request.method} ${pathname}${search}`,
      host: request.headers.get("host") ?? "",
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    LAST.set(upstream, received);
    COUNTS.set(upstream, (COUNTS.get(upstream) ?? 0) + 1);
    if (late === "head") await new Promise((resolve) => request.signal.addEventListener("abort", resolve));
    if (request.headers.get("upgrade")?.toLowerCase() === "websocket") return echo(request);
    const isEmpty = request.method === "HEAD" || status === 204 || status === 304;
    const text = JSON.stringify(received);
    return new Response(isEmpty ? null : late === "body" ? inTwoParts(text) : text, {
      status,
      headers: { "content-type": "application/json", ...headers },
    });
  };
}

function echo(request: Request): Response {
  const [protocol = ""] = request.headers.get("sec-websocket-protocol")?.split(/, */) ?? [];
  const { socket, response } = Deno.upgradeWebSocket(request);
  if (protocol !== "") response.headers.set("sec-websocket-protocol", protocol);
  socket.onmessage = ({ data }) => socket.send(data);
  return response;
}

function inTwoParts(text: string): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, 9));
      setTimeout(() => {
        controller.enqueue(bytes.subarray(9));
        controller.close();
      }, 500);
    },
  });
}

/** The number of requests that each upstream has got. */
const COUNTS = new Map<string, number>();

/** The last request that each upstream has got. */
const LAST = new Map<string, Omit<Received, "has"> & { headers: Readonly<Record<string, string>> }>();

/** Answers as the server of `auth.custom`: by the header `authorization`. */
export function answerAsGuard({ headers, method, url }: Request): Response {
  const host = headers.get("host") ?? "";
  const seen = { "x-user": "jane", "x-asked": `${method} ${new URL(url).pathname}`, "x-asked-host": host };
  switch (headers.get("authorization")) {
    case "please":
      return new Response("come in", { headers: seen });
    case "login":
      return new Response(null, { status: 302, headers: { location: "/login", "set-cookie": "try=1" } });
    default:
      return new Response("no", { status: 403, headers: { ...seen, "content-type": "text/plain" } });
  }
}

/** Asks each question of the table, and compares what the upstream and the client got. */
export async function testRows(
  t: Deno.TestContext,
  rows: readonly Row[],
  gateway: GatewayName,
  port: number,
  token: string,
): Promise<void> {
  for (const [index, { name, exchanges }] of rows.entries()) {
    const path = pathOf(index);
    for (const exchange of exchanges) {
      const { ask, host = HOST, headers = {}, body, answer, socket, shares = {}, but } = exchange;
      const wanted: Wanted = { ...exchange, ...(but?.gateway === gateway ? but : {}) };
      await t.step(`${name}: ${ask} ${JSON.stringify(headers)} ${wanted.status}`, async () => {
        LAST.clear();
        COUNTS.clear();
        const [method = "", target = ""] = ask.split(" ");
        const question = {
          host,
          method,
          path: target.replace("~", path),
          headers: {
            ...Object.fromEntries(
              Object.entries(headers).map(([name, value]) => [name, value.replace("{token}", token)]),
            ),
            ...(answer === undefined ? {} : { [ANSWER]: JSON.stringify(answer) }),
          },
          ...(body === undefined ? {} : { body }),
        };
        const once = () => socket === undefined ? send(port, question) : openSocket(port, question, socket);
        check(await once(), wanted, path);
        if (exchange.shares !== undefined) await Promise.all(Array.from({ length: 59 }, once));
        for (const [name, least] of Object.entries(shares)) assert.ok((COUNTS.get(name) ?? 0) >= least, name);
      });
    }
  }
}

/** Opens a WebSocket, sends a text, and waits for the same text; or the response that refuses the handshake. */
function openSocket(
  port: number,
  { host, path, headers }: { host: string; path: string; headers: Readonly<Record<string, string>> },
  text: string,
): Promise<Reply> {
  const { "sec-websocket-protocol": protocols, ...fields } = headers;
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols?.split(", ") ?? [], {
    headers: { ...fields, host },
  });
  return new Promise((resolve, reject) => {
    let answered = new Headers();
    const done = (status: number, text: string): void => {
      resolve({ status, headers: answered, text, json: () => JSON.parse(text) });
      socket.terminate();
    };
    socket.on("upgrade", ({ headers }) => answered = new Headers(Object.entries(headers).map(([k, v]) => [k, `${v}`])));
    socket.on("unexpected-response", (_, response) => done(response.statusCode ?? 0, ""));
    socket.on("open", () => socket.send(text));
    socket.on("message", (data) => done(101, `${data}`));
    socket.on("close", (code) => reject(new Error(`The WebSocket was closed with ${code}.`)));
    socket.on("error", reject);
  });
}

/** A field without the port that a test's gateway happens to have, and with one space after each comma of a list. */
function plain(field: string | null): string | null {
  return field?.replaceAll(new RegExp(`(?<=//${RegExp.escape(HOST)}):\\d+`, "g"), "").replaceAll(/,(?! )/g, ", ") ??
    null;
}

function check(reply: Reply, { status, has = {}, text, upstream }: Wanted, path: string): void {
  assert.equal(reply.status, status, reply.text);
  for (const [name, value] of Object.entries(has)) {
    assert.equal(plain(reply.headers.get(name)), value?.replaceAll("~", path) ?? null, name);
  }
  if (text !== undefined) assert.equal(reply.text, text);
  if (upstream === undefined) return;
  const [received] = LAST.values();
  if (upstream === null) return assert.equal(received?.request, undefined, "An upstream was asked.");
  assert.ok(received, "No upstream was asked.");
  const { has: fields = {}, request, ...others } = upstream;
  for (const [name, value] of Object.entries(fields)) assert.equal(received.headers[name] ?? null, value, name);
  if (request !== undefined) assert.equal(received.request, request.replaceAll("~", path));
  for (const [name, value] of Object.entries(others)) assert.equal(Object(received)[name], value, name);
}
