/**
 * Rows of the table of exchanges that both gateways answer alike: the embedded one in the fast tests, and Envoy in the
 * tests of a cluster. All rows stand in one definition, each at a path of its own.
 *
 * @module
 */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Question, type Reply } from "../cluster/support/ask.ts";
import { askByWebSocket } from "./ask_by_websocket.ts";
import type { JsonObject } from "../../lib/schema/json/node.ts";

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
  /** Opens a WebSocket, if the gateway accepts, and sends this message. The first message of the upstream is the text. */
  readonly message?: string;
  /** How often the request is sent. Default: once. */
  readonly times?: number;
  /** What the upstream answers. Default: the request as JSON. */
  readonly answer?: Answer;
  /** The gateway that does otherwise, and why. */
  readonly but?: Partial<Wanted> & { readonly gateway: GatewayName; readonly why: string };
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds before the head. */
  readonly delay?: number;
  /** Sends an event stream of this many events, 200 ms apart. */
  readonly events?: number;
}

export interface Wanted {
  readonly status: number;
  /** Fields of the response; `null` for one that must be absent. */
  readonly has?: Readonly<Record<string, string | null>>;
  /** The body. */
  readonly text?: string;
  /** What the body doesn't contain. */
  readonly lacks?: string;
  /** The fewest and the most requests that each upstream gets. */
  readonly shares?: Readonly<Record<string, readonly [least: number, most: number]>>;
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

/** Where the definition itself is served. */
export const DEFINITION_PATH = "/definition";

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
  const root = {
    hosts: [HOST],
    upstream: { service: { name: "a" } },
    public_api_path: DEFINITION_PATH,
    ...settings,
  };
  return { openapi: "3.1.0", info: { title: "Exchanges", version: "1" }, "x-svc": root, paths };
}

/** The servers that a definition names. */
export interface Servers {
  /** The namespace of the API and its Services. */
  readonly namespace: string;
  readonly issuer: string;
  /** URL of the issuer's keys. */
  readonly jwks: string;
  readonly upstreams: Readonly<Record<string, { readonly address?: string; readonly port: number }>>;
}

/** Makes the text of the definition, with the addresses of servers. */
export function textOf(rows: readonly Row[], { namespace, issuer, jwks, upstreams }: Servers): string {
  let text = JSON.stringify(definitionOf(rows)).replaceAll("{issuer}", issuer).replaceAll("{jwks}", jwks)
    .replaceAll("{namespace}", namespace);
  for (const [name, { address = "127.0.0.1", port }] of Object.entries(upstreams)) {
    text = text.replaceAll(`{${name}.address}`, address).replaceAll(`"{${name}.port}"`, `${port}`);
  }
  return text;
}

/** The header by which a request tells the upstream its answer. */
const ANSWER = "x-answer";

/** Answers as an upstream: with the request as JSON, or as the request tells. */
export function answerAs(upstream: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status = 200, headers = {}, delay = 0, events }: Answer = JSON.parse(request.headers.get(ANSWER) ?? "{}");
    const received = {
      upstream,
      request: `${request.method} ${pathname}${search}`,
      host: request.headers.get("host") ?? "",
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    LAST.set(upstream, received);
    COUNTS.set(upstream, (COUNTS.get(upstream) ?? 0) + 1);
    if (request.headers.get("upgrade") === "websocket") return echoMessages(request);
    if (delay > 0) await sleep(delay, undefined, { signal: request.signal }).catch(() => {});
    if (events !== undefined) return new Response(eventStream(events), { headers: EVENT_STREAM });
    const isEmpty = request.method === "HEAD" || status === 204 || status === 304;
    return new Response(isEmpty ? null : JSON.stringify(received), {
      status,
      headers: { "content-type": "application/json", ...headers },
    });
  };
}

const EVENT_STREAM = { "content-type": "text/event-stream" };

function eventStream(events: number): ReadableStream<Uint8Array<ArrayBuffer>> {
  let sent = 0;
  return new ReadableStream({
    async pull(controller) {
      if (sent > 0) await sleep(200);
      controller.enqueue(new TextEncoder().encode(`data: ${++sent}\n\n`));
      if (sent === events) controller.close();
    },
  }, { highWaterMark: 0 });
}

/** Sends each message back, by the first subprotocol that the client offers. */
function echoMessages(request: Request): Response {
  const [protocol = ""] = (request.headers.get("sec-websocket-protocol") ?? "").split(/, */);
  const { socket, response } = Deno.upgradeWebSocket(request);
  // Envoy passes protocols on as the client joins them, perhaps without a space, which the option `protocol` refuses.
  if (protocol !== "") response.headers.set("sec-websocket-protocol", protocol);
  socket.onmessage = ({ data }) => socket.send(`echo ${data}`);
  return response;
}

/** The number of requests that each upstream has got in this exchange. */
const COUNTS = new Map<string, number>();

/** The last request that each upstream has got. */
const LAST = new Map<string, Omit<Received, "has"> & { headers: Readonly<Record<string, string>> }>();

/** Answers as the server of `auth.custom`: by the header `authorization`. */
export function answerAsGuard({ headers, method, url }: Request): Response {
  const seen = {
    "x-user": "jane",
    "x-asked": `${method} ${new URL(url).pathname}`,
    "x-asked-host": headers.get("host") ?? "",
  };
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
      const { ask: line, host = HOST, headers = {}, body, message, times = 1, answer, but } = exchange;
      const wanted: Wanted = { ...exchange, ...(but?.gateway === gateway ? but : {}) };
      await t.step(`${name}: ${line} ${JSON.stringify(headers)} ${wanted.status}`, async () => {
        LAST.clear();
        COUNTS.clear();
        const [method = "", target = ""] = line.split(" ");
        const question: Question = {
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
        for (let time = 1; time <= times; time++) {
          const reply = await (message === undefined ? ask(port, question) : askByWebSocket(port, question, message));
          check(reply, wanted, path);
        }
        for (const [upstream, [least, most]] of Object.entries(wanted.shares ?? {})) {
          const count = COUNTS.get(upstream) ?? 0;
          assert.ok(least <= count && count <= most, `${upstream} got ${count} of ${times} requests.`);
        }
      });
    }
  }
}

/** A field without the port that a test's gateway happens to have, and with one space after each comma of a list. */
function plain(field: string | null): string | null {
  return field?.replaceAll(new RegExp(`(?<=//${RegExp.escape(HOST)}):\\d+`, "g"), "").replaceAll(/,(?! )/g, ", ") ??
    null;
}

function check(reply: Reply, { status, has = {}, text, lacks, upstream }: Wanted, path: string): void {
  assert.equal(reply.status, status, reply.text);
  for (const [name, value] of Object.entries(has)) {
    assert.equal(plain(reply.headers.get(name)), value?.replaceAll("~", path) ?? null, name);
  }
  if (text !== undefined) assert.equal(reply.text, text);
  if (lacks !== undefined) assert.ok(!reply.text.includes(lacks), reply.text);
  if (upstream === undefined) return;
  const [received] = LAST.values();
  if (upstream === null) return assert.equal(received?.request, undefined, "An upstream was asked.");
  assert.ok(received, "No upstream was asked.");
  const { has: fields = {}, request, ...others } = upstream;
  for (const [name, value] of Object.entries(fields)) assert.equal(received.headers[name] ?? null, value, name);
  if (request !== undefined) assert.equal(received.request, request.replaceAll("~", path));
  for (const [name, value] of Object.entries(others)) assert.equal(Object(received)[name], value, name);
}
