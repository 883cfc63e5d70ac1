import { keyOf } from "../gateway/resource.ts";
import { type PlannedUpstream, qualifiedName, type RoutePlan } from "../gateway/route.ts";
import type { Stored } from "./store.ts";
import type { Gateway } from "./options.ts";

/** Where an API is served, and what answers its operations: schema `Routing` of openapi.yaml. */
export interface Routing {
  /** The URLs at which the fleet listens; empty if they aren't known. */
  urls: readonly string[];
  /** The hosts that it answers; `*` for every host. */
  hosts: readonly string[];
  /** The path prefixes of its operations, such as `/v1`; `/` for none. */
  prefixes: string[];
  /** The upstreams of its operations: `default/todo`, `default/todo:8081`, `https://api.example.com`. */
  upstreams: string[];
  /** The number of operations that aren't disabled. */
  operations: number;
  /** How many of them are mocked. */
  mocked: number;
}

/**
 * Makes the function that returns the routing of an API by the plan that the gateway serves; `undefined` while it serves
 * none. The function is for one response, as it caches the plans of a fleet.
 */
export function createRoutingReader(gateway: Pick<Gateway, "plansOf" | "urlsOf">): (
  api: Stored<"api">,
) => Routing | undefined {
  const fleets = new Map<string, ReadonlyMap<string, RoutePlan>>();
  return ({ namespace, name, spec: { fleet } }) => {
    const key = keyOf(fleet);
    let plans = fleets.get(key);
    if (plans === undefined) {
      const apis = gateway.plansOf(fleet).filter(({ kind }) => kind === "api");
      fleets.set(key, plans = new Map(apis.map((plan) => [keyOf(plan), plan])));
    }
    const plan = plans.get(keyOf({ namespace, name }));
    return plan === undefined ? undefined : routingOf(plan, gateway.urlsOf?.(fleet) ?? []);
  };
}

function routingOf({ namespace, hosts, routes }: RoutePlan, urls: readonly string[]): Routing {
  const prefixes = new Set<string>();
  const upstreams = new Set<string>();
  let operations = 0;
  let mocked = 0;
  for (const { operation, action, settings } of routes) {
    if (operation === undefined || action.kind === "disabled") continue;
    operations++;
    prefixes.add(settings.path?.prefix?.replace(/\/+$/, "") || "/");
    if (action.kind === "mock") mocked++;
    if (action.kind === "upstream") {
      for (const upstream of action.upstreams) upstreams.add(nameOf(upstream, namespace));
    }
  }
  return { urls, hosts, prefixes: [...prefixes], upstreams: [...upstreams].sort(), operations, mocked };
}

function nameOf({ service, host }: PlannedUpstream, own: string): string {
  if (service !== undefined) {
    const { name, namespace = own, port = 80 } = service;
    return `${qualifiedName({ name, namespace })}${port === 80 ? "" : `:${port}`}`;
  }
  const { hostname = "", tls = false, port } = host ?? {};
  const standard = tls ? 443 : 80;
  return `${tls ? "https" : "http"}://${hostname}${port === undefined || port === standard ? "" : `:${port}`}`;
}
