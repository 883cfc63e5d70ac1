/**
 * A virtual cluster: a part of the shared API server that looks like a cluster of its own. Its namespaces may have any
 * names, and objects of other tests aren't visible.
 *
 * @module
 */
import { CUSTOM_RESOURCES } from "../../../lib/cluster/custom_resource.ts";
import { customResourceDefinitions } from "../../../lib/cluster/crds/crds.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import type { KubeClient, ResourceType } from "../../../cmd/cluster/client.ts";
import { createKubeClient } from "../../../cmd/cluster/http_client.ts";
import { createInformer, type Informer } from "../../../cmd/cluster/informer.ts";
import type { GatewayResourceKind } from "../../../lib/gateway/resource.ts";
import type { ApiServer } from "./api_server.ts";
import { until } from "./until.ts";

const DEFINITION: ResourceType = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  plural: "customresourcedefinitions",
  isClusterWide: true,
};

const NAMESPACE: ResourceType = { apiVersion: "v1", kind: "Namespace", plural: "namespaces", isClusterWide: true };

/** A virtual cluster, with the parts of gw's Kubernetes store. */
export interface VirtualCluster extends AsyncDisposable {
  readonly client: KubeClient;
  readonly resources: Readonly<Record<GatewayResourceKind, Informer>>;
}

/** Installs gw's custom resource definitions, if they are missing. */
export async function installDefinitions(client: KubeClient): Promise<void> {
  for (const definition of customResourceDefinitions()) {
    await client.apply(DEFINITION, definition);
    await until(async () => isEstablished(await client.get(DEFINITION, "", definition.metadata.name)), {
      what: definition.metadata.name,
    });
  }
  // After a CRD was created, the API server answers requests for the kind with 404, 429 or 503 for a moment.
  for (const type of Object.values(CUSTOM_RESOURCES)) {
    await until(async () => (await client.list(type, "", { limit: "1" })).resourceVersion !== "", {
      what: type.plural,
    });
  }
}

/** Makes a virtual cluster in an API server, with informers of gw's custom resources. */
export async function createVirtualCluster({ kubeconfig }: ApiServer): Promise<VirtualCluster> {
  const real = await createKubeClient({ kubeconfig });
  await installDefinitions(real);
  const client = virtualClient(real, `t${crypto.randomUUID().slice(0, 8)}-`);
  const resources = {
    api: createInformer(client, CUSTOM_RESOURCES.api),
    fleet: createInformer(client, CUSTOM_RESOURCES.fleet),
    staticroute: createInformer(client, CUSTOM_RESOURCES.staticroute),
  };
  await Promise.all(Object.values(resources).map(({ synced }) => synced));
  return {
    client,
    resources,
    async [Symbol.asyncDispose]() {
      for (const informer of Object.values(resources)) informer.stop();
      for (const kind of ["api", "fleet", "staticroute"] as const) {
        for (const { metadata: { namespace = "", name } } of resources[kind].list()) {
          await client.delete(CUSTOM_RESOURCES[kind], namespace, name);
        }
      }
      client.close();
    },
  };
}

/** Wraps a client: adds a prefix to the names of namespaces, and creates namespaces when they are first used. */
function virtualClient(real: KubeClient, prefix: string): KubeClient {
  const made = new Map<string, Promise<unknown>>();
  const inside = (namespace: string): string => namespace === "" ? "" : `${prefix}${namespace}`;

  return {
    ...real,
    get: async (type, namespace, name) => outward(await real.get(type, inside(namespace), name)),
    async list(type, namespace, query) {
      const page = await real.list(type, inside(namespace), query);
      return { ...page, items: page.items.filter(isOurs).map(outward) };
    },
    create: async (type, object, options) => outward(await real.create(type, await inward(object), options)),
    replace: async (type, object, options) => outward(await real.replace(type, await inward(object), options)),
    apply: async (type, object, options) => outward(await real.apply(type, await inward(object), options)),
    applyStatus: async (type, object, options) => outward(await real.applyStatus(type, await inward(object), options)),
    patch: async (type, namespace, name, patch, options) =>
      outward(await real.patch(type, inside(namespace), name, patch, options)),
    delete: (type, namespace, name, options) => real.delete(type, inside(namespace), name, options),
    watch: (type, namespace, options, listener) =>
      real.watch(type, inside(namespace), options, (event) => {
        if (event.type === "BOOKMARK") listener(event);
        else if (isOurs(event.object)) listener({ ...event, object: outward(event.object) });
      }),
  };

  function isOurs({ metadata: { namespace = "" } }: KubernetesObject): boolean {
    return namespace.startsWith(prefix);
  }

  async function inward(object: KubernetesObject): Promise<KubernetesObject> {
    const { namespace = "" } = object.metadata;
    const name = inside(namespace);
    const known = made.get(name) ?? real.create(NAMESPACE, { ...named(NAMESPACE), metadata: { name } });
    made.set(name, known);
    await known;
    return { ...object, metadata: { ...object.metadata, namespace: name } };
  }

  function outward<Found extends KubernetesObject | undefined>(object: Found): Found {
    const namespace = object?.metadata.namespace;
    if (object === undefined || namespace === undefined) return object;
    return { ...object, metadata: { ...object.metadata, namespace: namespace.slice(prefix.length) } };
  }
}

function named({ apiVersion, kind }: ResourceType): { apiVersion: string; kind: string } {
  return { apiVersion, kind };
}

function isEstablished(definition: KubernetesObject | undefined): boolean {
  const status = Object(definition?.status);
  const conditions: { type: string; status: string }[] = status.conditions ?? [];
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}
