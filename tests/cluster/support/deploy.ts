/**
 * Deploys fleets and APIs as kubectl does.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { API_VERSION, LABELS } from "../../../lib/cluster/names.ts";
import type { FleetObjectSpec } from "../../../lib/cluster/custom_resource.ts";
import type { ApiServer } from "./api_server.ts";
import { isTrue, type Stack } from "./stack.ts";
import { until } from "./until.ts";
import { freePort } from "../../free_port.ts";

/** A fleet that was deployed. */
export interface Fleet {
  namespace: string;
  name: string;
  /** The port of its proxies at 127.0.0.1. */
  port: number;
}

/**
 * Makes a fleet, with a port that no other Gateway in this network has. Doesn't wait until its Gateway is ready: it
 * becomes ready only when a route is attached.
 */
export async function deployFleet(
  { api }: Pick<Stack, "api">,
  namespace: string,
  { name = "edge", ...spec }: { name?: string } & FleetObjectSpec = {},
): Promise<Fleet> {
  const port = freePort();
  await api.apply({
    apiVersion: API_VERSION,
    kind: "Fleet",
    metadata: { namespace, name },
    spec: { service: { type: "ClusterIP", ports: [{ name: "http", port }] }, ...spec },
  });
  return { namespace, name, port };
}

export interface Deployment {
  namespace: string;
  name: string;
  /** The fleet. Default: `edge` in the API's namespace. */
  fleet?: { name: string; namespace?: string };
  definition: unknown;
}

/** The custom resource of an API. */
export function apiObject({ namespace, name, fleet = { name: "edge" }, definition }: Deployment): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: "API",
    metadata: { namespace, name },
    spec: { fleet, openapi: JSON.stringify(definition) },
  };
}

/** Applies an API, and waits until its status says that the proxies have its routes. */
export async function deployApi(api: ApiServer, deployment: Deployment, within = 20_000): Promise<KubernetesObject> {
  const object = apiObject(deployment);
  await api.apply(object);
  return await untilTrue(api, object, "Programmed", within);
}

/** Waits until a condition of an object is True for the current generation. */
export async function untilTrue(
  api: ApiServer,
  object: KubernetesObject,
  condition: string,
  within = 20_000,
): Promise<KubernetesObject> {
  const { kind, metadata: { namespace, name } } = object;
  let present: KubernetesObject | undefined;
  return await until(
    async () => {
      present = await api.read(object);
      return present !== undefined && isTrue(present, condition) && present;
    },
    {
      within,
      what: async () => {
        const routes = await routesOf(api, object);
        const states = [present?.status, ...routes.map(({ metadata, spec, status }) => ({ metadata, spec, status }))];
        return `${condition} of ${kind} ${namespace}/${name}: ${
          states.map((state) => JSON.stringify(state)).join("\n")
        }`;
      },
    },
  );
}

/** The HTTPRoutes of an API, in whichever namespace. */
async function routesOf(api: ApiServer, { metadata: { name } }: KubernetesObject): Promise<KubernetesObject[]> {
  const selector = encodeURIComponent(`${LABELS.api}=${name}`);
  const { items } = await api.request("GET", `/apis/gateway.networking.k8s.io/v1/httproutes?labelSelector=${selector}`);
  return Array.isArray(items) ? items : [];
}
