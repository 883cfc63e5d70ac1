/**
 * Rows of the table of exchanges that both gateways answer alike: the embedded one in the fast tests, and Envoy in the
 * tests of a cluster. All rows stand in one definition, each at a path of its own.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { Question, Reply } from "../cluster/support/ask.ts";
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
  /** The gateway that does otherwise, and why. */
  readonly but?: Partial<Wanted> & { readonly gateway: GatewayName; readonly why: string };
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
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
  const root = { hosts: [HOST], upstream: { service: { name: "a" } }, ...settings };
  return { openapi: "3.1.0", info: { title: "Exchanges", version: "1" }, "x-svc": root, paths };
}

/** The header by which a request tells the upstream its answer. */
const ANSWER = "x-answer";

/** Answers as an upstream: with the request as JSON, or as the request tells. */
export function answerAs(upstream: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { pathname, search } = new URL(request.url);
    const { status = 200, headers = {} }: Answer = JSON.parse(request.headers.get(ANSWER) ?? "{}");
    const received = {
      upstream,
      request: `${request.method} ${pathname}${search}`,
      host: request.headers.get("host") ?? "",
      headers: Object.fromEntries(request.headers),
      body: await request.text(),
    };
    LAST.set(upstream, received);
    const isEmpty = request.method === "HEAD" || status === 204 || status === 304;
    return new Response(isEmpty ? null : JSON.stringify(received), {
      status,
      headers: { "content-type": "application/json", ...headers },
    });
  };
}

/** The last request that each upstream has got. */
const LAST = new Map<string, Omit<Received, "has"> & { headers: Readonly<Record<string, string>> }>();

/** Answers as the server of `auth.custom`: by the header `authorization`. */
export function answerAsGuard({ headers, method, url }: Request): Response {
  const seen = { "x-user": "jane", "x-asked": `${method} ${new URL(url).pathname}` };
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
  send: (question: Question) => Promise<Reply>,
  token: string,
): Promise<void> {
  for (const [index, { name, exchanges }] of rows.entries()) {
    const path = pathOf(index);
    for (const exchange of exchanges) {
      const { ask, host = HOST, headers = {}, body, answer, but } = exchange;
      const wanted: Wanted = { ...exchange, ...(but?.gateway === gateway ? but : {}) };
      await t.step(`${name}: ${ask} ${JSON.stringify(headers)} ${wanted.status}`, async () => {
        LAST.clear();
        const [method = "", target = ""] = ask.split(" ");
        const reply = await send({
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
        });
        check(reply, wanted, path);
      });
    }
  }
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
