/**
 * The custom resources in `data/cluster.yaml`, and the state of each as commit 27b1f2d left it.
 *
 * @module
 */
import { API_VERSION } from "../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";

/** Namespaces with custom resources. */
export const NAMESPACES = ["edge", "shop", "bank"] as const;

/**
 * The state of an API or static route. `open`: its routes lead to the upstream. `closed`: its routes answer 503 until
 * the gateway accepts the policy. `mocked`: it has no upstream. `held`: a later edit was refused, so the last accepted
 * spec is in force. `conflicted`: it has no routes.
 */
export type State = "open" | "closed" | "mocked" | "held" | "conflicted";

/** A custom resource as it was applied. */
export interface Deployed {
  readonly object: KubernetesObject;
  readonly state: State;
  /** A later edit that was refused. */
  readonly refused?: KubernetesObject;
}

/** A Gateway that gw didn't make. The fleet `attached` uses it. */
export const OTHERS_GATEWAY: KubernetesObject = {
  apiVersion: "gateway.networking.k8s.io/v1",
  kind: "Gateway",
  metadata: { namespace: "edge", name: "existing" },
  spec: {
    gatewayClassName: "eg",
    listeners: [{ name: "http", port: 8080, protocol: "HTTP", allowedRoutes: { namespaces: { from: "All" } } }],
  },
};

/** The fleets. All namespaces may use them. */
export const FLEETS: readonly KubernetesObject[] = [
  fleet("main", { default: true, service: { ports: [{ name: "http", port: 80 }] } }),
  fleet("attached", { gateway: { name: "existing" } }),
];

const UPSTREAM = "upstream: {service: {name: backend}}";
const JWT = "auth: {jwt: {providers: [{name: main, jwks_uri: https://id.example.com/keys}]}}";
const MOCKED = "mocking: {enabled: true}";

/** APIs and static routes, in the order in which they were applied. */
export const DEPLOYED: readonly Deployed[] = [
  { object: api("shop", "todo", `{${MOCKED}}`), state: "mocked" },
  { object: api("shop", "orders", `{${UPSTREAM}, rate_limit: {requests_per_unit: 9, unit: hour}}`), state: "open" },
  { object: api("shop", "checked", `{${UPSTREAM}, validation: {request: {enabled: true}}}`), state: "open" },
  {
    object: api(
      "shop",
      "rewritten",
      `{upstream: {service: {name: backend}, rewrite: {pattern: "^/re", substitution: /}}}`,
    ),
    state: "open",
  },
  // CORS with credentials for any origin: later versions of gw refuse to deploy this.
  { object: api("bank", "any-origin", `{${UPSTREAM}, cors: {origins: ["*"], credentials: true}}`), state: "open" },
  { object: api("bank", "accounts", `{${UPSTREAM}, ${JWT}}`), state: "open" },
  {
    object: api("bank", "guarded", `{${UPSTREAM}, auth: {custom: {service: {name: guard}, path: /check}}}`),
    state: "open",
  },
  { object: api("bank", "attached", `{${UPSTREAM}}`, { namespace: "edge", name: "attached" }), state: "open" },
  {
    object: api(
      "bank",
      "hidden",
      `{${UPSTREAM}}`,
      mainFleet(),
      'delete: {x-svc: {disabled: true}, responses: {"204": {description: Gone.}}}',
    ),
    state: "open",
  },
  {
    object: { ...api("shop", "younger", `{${MOCKED}}`), spec: api("shop", "todo", `{${MOCKED}}`).spec },
    state: "conflicted",
  },
  {
    object: api("shop", "edited", `{${MOCKED}}`),
    state: "held",
    refused: api("shop", "edited", `{${MOCKED}, nonsense: 1}`),
  },
  {
    object: staticRoute("shop", "web", { hosts: ["www.example.com"], upstream: { service: { name: "backend" } } }),
    state: "open",
  },
  {
    object: staticRoute("bank", "vault", {
      hosts: ["vault.example.com"],
      upstream: { service: { name: "backend" } },
      auth: { jwt: { providers: [{ name: "main", jwks_uri: "https://id.example.com/keys" }] } },
    }),
    state: "open",
  },
  // The gateway never reported on the policy of this API.
  { object: api("bank", "pending", `{${UPSTREAM}, ${JWT}}`), state: "closed" },
];

/** Tells whether an object is the policy of an API whose state is `closed`. */
export function isPolicyOfClosed({ kind, metadata: { name } }: KubernetesObject): boolean {
  const closed = DEPLOYED.filter(({ state }) => state === "closed").map(({ object }) => object.metadata.name);
  return kind === "SecurityPolicy" && closed.some((api) => name.startsWith(`${api}.`));
}

/** The name of an object for messages: `API shop/todo`. */
export function nameOf({ kind, metadata: { namespace, name } }: KubernetesObject): string {
  return `${kind} ${namespace}/${name}`;
}

function mainFleet(): { namespace: string; name: string } {
  return { namespace: "edge", name: "main" };
}

function fleet(name: string, spec: unknown): KubernetesObject {
  return { apiVersion: API_VERSION, kind: "Fleet", metadata: { namespace: "edge", name }, spec };
}

function api(namespace: string, name: string, settings: string, fleet = mainFleet(), more = ""): KubernetesObject {
  const openapi = `openapi: 3.1.0
info: {title: ${name}, version: 1.0.0}
x-svc: ${settings}
paths:
  /${name}:
    get: {responses: {"200": {description: Fine., content: {text/plain: {schema: {type: string}, example: ${name}}}}}}
    ${more}
`;
  return { apiVersion: API_VERSION, kind: "API", metadata: { namespace, name }, spec: { fleet, openapi } };
}

function staticRoute(namespace: string, name: string, spec: object): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: "StaticRoute",
    metadata: { namespace, name },
    spec: { fleet: mainFleet(), ...spec },
  };
}
