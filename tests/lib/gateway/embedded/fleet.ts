/** Fleets and upstreams for tests: real servers, each on a free port. */
import assert from "node:assert/strict";
import { createGateway, type GatewayPlatform, type GatewayReply } from "../../../../lib/gateway/embedded/gateway.ts";
import { connectWebSocket } from "../../../../cmd/io/upstream/websocket.ts";
import type { Send } from "../../../../lib/http/url/upstream.ts";
import { planRoutes, planStaticRoute } from "../../../../lib/gateway/plan_routes.ts";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";

const FLEET = { namespace: "default", name: "default" };

/**
 * Sends requests to upstreams by `fetch`, not by gw's own client, whose idle connections would stay open at the end of
 * a test.
 */
export const sendByFetch: Send = async (url, { method, headers, body, signal }) => {
  try {
    return { kind: "answered", response: await fetch(url, { method, headers, body, signal, redirect: "manual" }) };
  } catch (error) {
    return { kind: "unreachable", reason: String(error) };
  }
};

/** The platform of tests: no services, and a fixed time. */
export const PLATFORM: GatewayPlatform = {
  fetch,
  send: sendByFetch,
  resolveService: () => undefined,
  now: () => 1_000_000,
  random: () => 0,
  upgradeWebSocket: (request) => Deno.upgradeWebSocket(request),
  connectWebSocket,
};

export async function plan(text: string, name = "api"): Promise<RoutePlan> {
  const document = await parseDocument(text);
  assert.deepEqual(document.diagnostics, []);
  return planRoutes({ namespace: "default", name, fleet: FLEET, document });
}

/** Plans a static route. `settings` is its `x-svc`, as JSON or YAML in flow style. */
export async function planStatic(settings: string, name = "static"): Promise<RoutePlan> {
  const document = await parseDocument(
    `openapi: 3.1.0\ninfo: {title: Static, version: "1"}\npaths: {}\nx-svc: ${settings}`,
  );
  return planStaticRoute({ namespace: "default", name, fleet: FLEET, document });
}

/** A definition with one operation, `GET /pets`, and `x-svc` settings at its root. */
export function definition(
  settings: string,
  paths = '/pets: {get: {responses: {"200": {description: Pets.}}}}',
): string {
  return `openapi: 3.1.0\ninfo: {title: Pets, version: "1"}\nx-svc: ${settings}\npaths:\n  ${paths}`;
}

/** Calls a gateway's handler, without a network. */
export async function ask(
  plans: readonly RoutePlan[],
  url: string,
  init: RequestInit = {},
  platform: Partial<GatewayPlatform> = {},
): Promise<GatewayReply> {
  return await createGateway(plans, { ...PLATFORM, ...platform })(new Request(url, init), CLIENT);
}

export const CLIENT = { remoteAddr: { transport: "tcp", hostname: "192.0.2.7" } };

export interface TestServer extends AsyncDisposable {
  readonly port: number;
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
}

export function serve(handler: Deno.ServeHandler<Deno.NetAddr>): TestServer {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {}, onError: failed }, handler);
  const { port } = server.addr;
  return { port, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

function failed(error: unknown): Response {
  return new Response(String(error), { status: 500 });
}

/** Serves plans on a free port, as a listener of a fleet does. */
export function serveFleet(plans: readonly RoutePlan[], platform: Partial<GatewayPlatform> = {}): TestServer {
  const gateway = createGateway(plans, { ...PLATFORM, ...platform });
  return serve(async (request, client) => (await gateway(request, client)).response);
}

/** A TCP server that calls `speak` for each connection. */
export function serveBytes(speak: (connection: Deno.TcpConn) => Promise<void>): TestServer {
  const listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const speaking = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const connection of listener) {
      const spoken = speak(connection).catch(() => {}).finally(() => {
        try {
          connection.close();
        } catch { /* It was closed already. */ }
      });
      speaking.add(spoken);
    }
  })();
  const { port } = listener.addr;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting.catch(() => {});
      await Promise.all(speaking);
    },
  };
}

/** `x-svc` settings that send all requests to a server on this machine. */
export function to({ port }: { port: number }, others = ""): string {
  return `{upstream: {host: {hostname: 127.0.0.1, port: ${port}}}${others === "" ? "" : `, ${others}`}}`;
}
