import { renderGatewayApi, type Rendering, type RenderOptions } from "../../../../lib/cluster/translate/render.ts";
import { planRoutes, planStaticRoute, type RoutePlan } from "../../../../lib/gateway/route.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import type { JsonObject } from "../../../../lib/schema/node.ts";

export const FLEET = { namespace: "infra", name: "edge" };

/**
 * The plan of an API in the namespace `shop`, from the settings at its root, those of its operations (`GET /pets`) and
 * those of its paths.
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

/** Renders a plan for Envoy Gateway. */
export function renderPlan(plan: RoutePlan, options: Partial<RenderOptions> = {}): Rendering {
  return renderGatewayApi(plan, { gateway: FLEET, profile: "envoy-gateway", ...options });
}

/** A rule of a rendering, with the name of its route. */
export interface RenderedRule {
  route: string;
  name: string;
  matches: { path: { type: string; value: string }; method?: string; headers?: { name: string; value: string }[] }[];
  filters?: JsonObject[];
  backendRefs?: { name: string; port?: number; weight?: number; kind?: string }[];
  timeouts?: { request: string };
}

/** All rules of all HTTPRoutes. */
export function rulesOf({ objects }: Pick<Rendering, "objects">): RenderedRule[] {
  return objects.filter(({ kind }) => kind === "HTTPRoute").flatMap(({ metadata: { name }, spec }) =>
    Object(spec).rules.map((rule: RenderedRule) => ({ ...rule, route: name }))
  );
}

/** Who answers what: `GET ^/pets/[^/]+$ -> gw-mock`. */
export function linesOf(rendering: Rendering): string[] {
  return rulesOf(rendering).flatMap(({ matches, backendRefs = [] }) =>
    matches.map(({ path, method = "*", headers }) => {
      const asked = headers?.find(({ name }) => name === "access-control-request-method");
      const backends = backendRefs.map(({ name }) => name).join("+") || "redirect";
      const value = path.type === "PathPrefix" ? `${path.value.replace(/\/$/, "")}/**` : path.value;
      return `${method}${asked ? `(${asked.value})` : ""} ${value} -> ${backends}`;
    })
  ).sort();
}
