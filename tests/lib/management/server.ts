import assert from "node:assert/strict";
import { load } from "js-yaml";
import { splitTarget } from "../../../lib/http/url/url.ts";
import { createManagementApi, type ManagementOptions } from "../../../lib/management/api.ts";
import { type Description, readDescription } from "../../../lib/api/description.ts";
import { DESCRIPTION } from "../../../lib/management/description.ts";
import { createMemoryStore } from "../../../lib/management/memory_store.ts";
import type { Store } from "../../../lib/management/store.ts";
import { planRoutes, planStaticRoute } from "../../../lib/gateway/plan_routes.ts";
import type { FleetRef, RoutePlan } from "../../../lib/gateway/route.ts";
import { createRequestValidator } from "../../../lib/mock/validation/validate_request.ts";
import { createRouter } from "../../../lib/mock/route/router.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { child } from "../../../lib/schema/json/node.ts";
import { listOperations, nameOf } from "../../../lib/openapi/operation.ts";
import { follow } from "../../../lib/schema/json/reference.ts";
import { createDocumentValidator } from "../../../lib/schema/document_validator.ts";

/** A management API on a store in memory. Every request and response is validated against the API's own description. */
export interface Server {
  readonly store: Store;
  /** The plans that are in force, as texts such as `api default/todo`. */
  readonly plans: () => string[];
  /** Sends a request. A content that isn't a string is sent as JSON. */
  readonly ask: (line: string, content?: unknown, headers?: Record<string, string>) => Promise<Reply>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; `undefined` if it isn't JSON. */
  readonly body: unknown;
}

export interface ServerOptions extends Partial<ManagementOptions> {
  store?: Store;
  /** Whether the fleet `default/default` exists. Default: it does. */
  hasFleet?: boolean;
}

export async function serve({ store = memoryStore(), hasFleet = true, ...options }: ServerOptions = {}): Promise<
  Server
> {
  let plans: RoutePlan[] = [];
  const plansOf = (fleet: FleetRef) =>
    plans.filter((plan) => plan.fleet.name === fleet.name && plan.fleet.namespace === fleet.namespace);
  const gateway = { plansOf, apply: async () => void (plans = await planAll(store)) };
  const services = { status: () => "available" as const };
  const api = createManagementApi(store, { gateway, services, ...options });
  const check = await descriptionCheck();
  if (hasFleet) await store.apply([{ kind: "create", resource: fleet("default") }]);
  return { store, plans: () => plans.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`), ask };

  async function ask(line: string, content?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    const [method = "", target = ""] = line.split(" ");
    const request = new Request(`http://localhost:8090${target}`, {
      method,
      headers: { ...(content === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(content === undefined ? {} : { body: typeof content === "string" ? content : JSON.stringify(content) }),
    });
    const copy = request.clone();
    const response = await api(request);
    const text = await response.text();
    const reply = { status: response.status, headers: response.headers, text, body: parse(text) };
    await check(copy, reply);
    return reply;
  }
}

/** A store in memory whose time is fixed. */
export function memoryStore(): Store {
  return createMemoryStore(() => Date.parse("2026-01-02T03:04:05.678Z"));
}

/** A fleet as a store takes it. */
export function fleet(name: string, port = 8080) {
  const ports = [{ name: "http", nodePort: 0, port, protocol: "TCP", targetPort: port }];
  return {
    kind: "fleet",
    namespace: "default",
    name,
    spec: { serviceType: "LoadBalancer", ports },
  } as const;
}

/** A definition with one operation. */
export function definition(
  { path = "/todos", xSvc = "{mocking: {enabled: true}}", version = "1.0.0", more = "" } = {},
) {
  return `openapi: 3.1.0
info: {title: Todo, version: ${version}}
x-svc: ${xSvc}
paths:
  ${path}:
    get:
      responses: {"204": {description: Nothing.}}
${more}`;
}

async function planAll(store: Store): Promise<RoutePlan[]> {
  const [apis, routes] = await Promise.all([store.list("api"), store.list("staticroute")]);
  const read = async ({ namespace, name, spec }: typeof apis.items[number] | typeof routes.items[number]) => {
    return { namespace, name, fleet: spec.fleet, document: await parseDocument(spec.openapi) };
  };
  return [
    ...(await Promise.all(apis.items.map(read))).map(planRoutes),
    ...(await Promise.all(routes.items.map(read))).map(planStaticRoute),
  ];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

let described: Promise<Description> | undefined;

/**
 * Validates requests and responses against the API's description. A response must always be valid; a request may be
 * invalid if it is refused.
 */
async function descriptionCheck(): Promise<(request: Request, reply: Reply) => Promise<void>> {
  const { document } = await (described ??= readDescription(DESCRIPTION));
  const documentValidator = await createDocumentValidator(document);
  const operations = listOperations(document);
  const router = createRouter(operations);
  return async (request, { status, headers, text, body }) => {
    const { path, query } = splitTarget(request.url);
    const match = router.match(request.method, path);
    if (match.kind !== "found") {
      assert.ok(status === 404 || status === 405 || request.method === "OPTIONS", `${status} for an unknown operation`);
      return;
    }
    const name = nameOf(match.route);
    const validator = createRequestValidator(match.route, documentValidator);
    const validation = await validator?.check(request, { path, query, pathParameters: match.parameters });
    const error = validation?.error;
    // An invalid request must be refused. 401, 403 and 404 may come first, before the content is validated.
    if (error !== undefined) assert.ok(status >= 400 && status < 500, `${name} takes what it says it doesn't`);
    const responses = child(match.route.node, "responses");
    const described = follow(document, child(responses, String(status)));
    assert.ok(described.value, `${name} answers ${status}, which its description has not: ${text}`);
    if (status === 204 || status === 304 || request.method === "HEAD") return assert.equal(text, "");
    const mediaType = (headers.get("content-type") ?? "").split(";")[0] ?? "";
    const content = child(child(described, "content"), mediaType);
    assert.ok(content.value, `${name} answers ${status} as ${mediaType}, which its description has not`);
    const value = mediaType.endsWith("json") ? body : mediaType.endsWith("yaml") ? load(text) : text;
    assert.deepEqual(
      documentValidator.checkOf(child(content, "schema"), "response")(value),
      [],
      `${name} ${status}: ${text}`,
    );
  };
}
