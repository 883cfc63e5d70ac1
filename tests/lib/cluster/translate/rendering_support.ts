import assert from "node:assert/strict";
import { renderGatewayApi, type Rendering, type RenderOptions } from "../../../../lib/cluster/translate/render.ts";
import { planRoutes, planStaticRoute } from "../../../../lib/gateway/plan_routes.ts";
import type { RoutePlan } from "../../../../lib/gateway/route.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";

export const FLEET = { namespace: "infra", name: "edge" };

export const WEB = { upstream: { service: { name: "web" } } };
export const OTHER = { upstream: { service: { name: "other" } } };
export const MOCKED = { mocking: { enabled: true } };
export const CHECKED = { validation: { request: { enabled: true } } };
export const JWT = { auth: { jwt: { providers: [{ name: "id", jwks_uri: "https://id.example.com/keys" }] } } };
export const OAUTH2 = {
  issuer: "https://id.example.com",
  client_id: "x",
  client_secret_ref: { name: "s", key: "client-secret" },
};

export function hostUpstream(hostname: string): JsonObject {
  return { upstream: { host: { hostname } } };
}

export function rewrite(pattern: string, substitution = "/"): JsonObject {
  return { upstream: { service: { name: "web" }, rewrite: { pattern, substitution } } };
}

export function jwt(uri: string): JsonObject {
  return { auth: { jwt: { providers: [{ name: "id", jwks_uri: uri }] } }, ...WEB };
}

export function login(settings: JsonObject): JsonObject {
  return { ...WEB, auth: { oauth2: { ...OAUTH2, ...settings } } };
}

/**
 * The plan of an API in the namespace `shop`, made from settings of the root, of operations (`GET /pets`) and of paths.
 */
export async function planOf(
  name: string,
  root: JsonObject,
  operations: Readonly<Record<string, JsonObject>>,
  settingsOfPaths: Readonly<Record<string, JsonObject>> = {},
): Promise<RoutePlan> {
  const paths: Record<string, JsonObject> = Object.fromEntries(
    Object.entries(settingsOfPaths).map(([path, settings]) => [path, { "x-svc": settings }]),
  );
  for (const [operation, settings] of Object.entries(operations)) {
    const [method = "", path = ""] = operation.split(" ");
    const node = { "x-svc": settings, responses: { 200: { description: "Fine." } } };
    paths[path] = { ...paths[path], [method.toLowerCase()]: node };
  }
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: name, version: "1" }, "x-svc": root, paths });
  return planRoutes({ namespace: "shop", name, fleet: FLEET, document: await parseDocument(text) });
}

/** The plan of a static route in the namespace `shop`. */
export async function planOfStaticRoute(name: string, root: JsonObject): Promise<RoutePlan> {
  const text = JSON.stringify({ openapi: "3.1.0", info: { title: name, version: "1" }, "x-svc": root, paths: {} });
  return planStaticRoute({ namespace: "shop", name, fleet: FLEET, document: await parseDocument(text) });
}

/** Renders a plan with Envoy Gateway's profile. */
export function renderPlan(plan: RoutePlan, options: Partial<RenderOptions> = {}): Rendering {
  return renderGatewayApi(plan, { gateway: FLEET, profile: "envoy-gateway", ...options });
}

/** A rule of an HTTPRoute, with the name of the route. */
export interface RenderedRule {
  route: string;
  name: string;
  matches: { path: { type: string; value: string }; method?: string; headers?: { name: string; value: string }[] }[];
  filters?: JsonObject[];
  backendRefs?: { name: string; port?: number; weight?: number; kind?: string }[];
  timeouts?: { request: string };
}

/** The rules of all HTTPRoutes, without those by which upstreams are asked about preflights. */
export function rulesOf(rendering: Pick<Rendering, "objects">): RenderedRule[] {
  return allRulesOf(rendering).map((rule) => ({
    ...rule,
    matches: rule.matches.filter((match) => !isPreflight(match) || hasCors(rule)),
  })).filter(({ matches }) => matches.length > 0);
}

/** The matches and backends of preflights, as lines such as `OPTIONS(GET|HEAD) /pets -> web`. */
export function preflightsOf(rendering: Pick<Rendering, "objects">): string[] {
  return allRulesOf(rendering).flatMap(({ matches, backendRefs = [], route }) =>
    matches.filter(isPreflight).map(({ path, method, headers }) => {
      const announced = headers?.find(({ name }) => name === "access-control-request-method")?.value;
      return `${route}: ${method}(${announced}) ${path.value} -> ${backendRefs.map(({ name }) => name).join("+")}`;
    })
  ).sort();
}

function allRulesOf({ objects }: Pick<Rendering, "objects">): RenderedRule[] {
  return objects.filter(({ kind }) => kind === "HTTPRoute").flatMap(({ metadata: { name }, spec }) =>
    Object(spec).rules.map((rule: RenderedRule) => ({ ...rule, route: name }))
  );
}

function isPreflight({ headers = [] }: RenderedRule["matches"][number]): boolean {
  return headers.some(({ name }) => name === "access-control-request-method");
}

function hasCors({ filters = [] }: RenderedRule): boolean {
  return filters.some(({ type }) => type === "CORS");
}

/** The matches and backends of all rules but guards, as lines such as `GET ^/pets/[^/]+$ -> gw-mock`. */
export function linesOf(rendering: Rendering): string[] {
  return rulesOf(rendering).flatMap(({ matches, backendRefs = [] }) =>
    matches.filter(({ path }) => !isGuard(path)).map(({ path, method = "*", headers }) => {
      const preflight = headers?.find(({ name }) => name === "access-control-request-method");
      const backends = backendRefs.map(({ name }) => name).join("+") || "redirect";
      const value = path.type === "PathPrefix" ? `${path.value.replace(/\/$/, "")}/**` : path.value;
      return `${method}${preflight ? `(${preflight.value})` : ""} ${value} -> ${backends}`;
    })
  ).sort();
}

/** The expressions of all guards. */
export function guardsOf(rendering: Rendering): string[] {
  return rulesOf(rendering).flatMap(({ matches }) => matches.map(({ path }) => path)).filter(isGuard)
    .map(({ value }) => value);
}

/** Tells whether a path match is that of a guard: only guards look for encoded slashes. */
function isGuard({ value }: { value: string }): boolean {
  return value.includes("%(?:");
}

/**
 * Settings of an operation that are refused: the settings, the JSON Pointer of the error below `x-svc`, a pattern of
 * its message.
 */
export type RefusedCase = readonly [settings: JsonObject, pointer: string, message: RegExp];

/** Asserts that settings of an operation are refused, and that the other operations are rendered. */
export async function assertRefused(t: Deno.TestContext, cases: readonly RefusedCase[]): Promise<void> {
  for (const [settings, pointer, message] of cases) {
    await t.step(`${pointer}: ${JSON.stringify(settings)}`, async () => {
      const rendering = renderPlan(await planOf("pets", {}, { "PUT /a": settings, "PUT /b": WEB }));
      const [diagnostic, ...others] = rendering.diagnostics;
      assert.deepEqual(others, []);
      assert.equal(diagnostic?.pointer, `/paths/~1a/put/x-svc${pointer}`);
      assert.match(diagnostic?.message ?? "", message);
      assert.equal(diagnostic?.severity, "error");
      assert.doesNotMatch(JSON.stringify(rulesOf(rendering)), /\/a"/);
    });
  }
}

/** Asserts that settings of an operation are accepted. */
export async function assertAccepted(t: Deno.TestContext, cases: readonly JsonObject[]): Promise<void> {
  for (const settings of cases) {
    await t.step(JSON.stringify(settings), async () => {
      const { diagnostics } = renderPlan(await planOf("pets", {}, { "PUT /a": settings, "PUT /b": WEB }));
      assert.deepEqual(diagnostics.map(({ message }) => message), []);
    });
  }
}
