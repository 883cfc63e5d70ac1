import { FIELD_MANAGER } from "../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { readApiObject, readList } from "./api_messages.ts";
import { ApiRequests } from "./api_requests.ts";
import { type KubeClient, KubeError, type ResourceType, type WriteOptions } from "./client.ts";
import { type KubeConfigOptions, readKubeConfig } from "./kube_config.ts";
import { createTransport, type Transport } from "./transport.ts";

/**
 * The shortest time after which the API server is asked to end a watch, in seconds; the longest is twice as long. Both
 * are shorter than the time after which the client takes a silent watch for broken. An API server sends nothing, not
 * even bookmarks, for a kind that hasn't changed since the server's start.
 */
const WATCH_TIME = 40;

const JSON_TYPE = "application/json";
const APPLY_TYPE = "application/apply-patch+yaml";
const MERGE_TYPE = "application/merge-patch+json";

/** Makes a client for the cluster of the pod, or of a kubeconfig. The first request opens the connection. */
export async function createKubeClient(options: KubeConfigOptions = {}): Promise<KubeClient> {
  const config = await readKubeConfig(options);
  return clientOver(createTransport(config), config.server);
}

/** Makes a client that sends its requests by a transport. */
export function clientOver(transport: Transport, server: string): KubeClient {
  const requests = new ApiRequests(transport, server);
  const write = async (method: string, path: string, body: unknown, type: string, options?: WriteOptions) =>
    readApiObject(await sendWrite(requests, method, path, body, type, options));
  return {
    server,
    get: (type, namespace, name, options) =>
      unlessMissing(
        async () => readApiObject(await requests.send("GET", objectPath(type, namespace, name), options)),
        undefined,
      ),
    list: async (type, namespace, query = {}) =>
      readList(await requests.send("GET", `${collectionPath(type, namespace)}${queryText(query)}`), type),
    create: (type, object, options) =>
      write("POST", collectionPath(type, object.metadata.namespace ?? ""), object, JSON_TYPE, options),
    replace: (type, object, options) => write("PUT", pathOf(type, object), object, JSON_TYPE, options),
    apply: (type, object, options) =>
      write("PATCH", pathOf(type, object), withoutManagers(object), APPLY_TYPE, options),
    applyStatus: (type, object, options) =>
      write("PATCH", `${pathOf(type, object)}/status`, withoutManagers(object), APPLY_TYPE, options),
    patch: (type, namespace, name, patch, options) =>
      write("PATCH", objectPath(type, namespace, name), patch, MERGE_TYPE, options),
    delete: (type, namespace, name, options) => sendDelete(requests, objectPath(type, namespace, name), options),
    watch(type, namespace, { resourceVersion, labelSelector, signal }, listener) {
      const query = {
        watch: "true",
        allowWatchBookmarks: "true",
        resourceVersion,
        // A random time, so that watches that were started together don't end together.
        timeoutSeconds: String(Math.floor(WATCH_TIME * (1 + Math.random()))),
        ...(labelSelector === undefined ? {} : { labelSelector }),
      };
      return requests.watch(`${collectionPath(type, namespace)}${queryText(query)}`, signal, listener);
    },
    request: (method, path, body, options) => requests.send(method, path, { body, ...options }),
    close: () => requests.close(),
  };
}

async function sendWrite(
  requests: ApiRequests,
  method: string,
  path: string,
  body: unknown,
  type: string,
  { dryRun = false, fieldManager = FIELD_MANAGER, ...options }: WriteOptions = {},
): Promise<unknown> {
  const query = {
    fieldManager,
    ...(type === APPLY_TYPE ? { force: "true" } : {}),
    ...(dryRun ? { dryRun: "All" } : {}),
  };
  return await requests.send(method, `${path}${queryText(query)}`, { body, type, ...options });
}

function sendDelete(
  requests: ApiRequests,
  path: string,
  { dryRun = false, preconditions, ...options }: Parameters<KubeClient["delete"]>[3] = {},
): Promise<boolean> {
  const body = {
    apiVersion: "v1",
    kind: "DeleteOptions",
    propagationPolicy: "Background",
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun ? { dryRun: ["All"] } : {}),
  };
  return unlessMissing(async () => {
    await requests.send("DELETE", path, { body, ...options });
    return true;
  }, false);
}

async function unlessMissing<Result, Missing>(ask: () => Promise<Result>, missing: Missing): Promise<Result | Missing> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return missing;
    throw error;
  }
}

/** Returns the path of a kind's objects, such as `/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes`. */
function collectionPath({ apiVersion, plural, isClusterWide }: ResourceType, namespace: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const within = isClusterWide === true || namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${within}/${plural}`;
}

function objectPath(type: ResourceType, namespace: string, name: string): string {
  return `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
}

function pathOf(type: ResourceType, { metadata: { namespace = "", name } }: KubernetesObject): string {
  return objectPath(type, namespace, name);
}

function queryText(query: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? "" : `?${text}`;
}

/** Returns an object without `managedFields`, which a server-side apply must not contain. */
function withoutManagers(object: KubernetesObject): KubernetesObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}
