import { setTimeout as pause } from "node:timers/promises";
import { FIELD_MANAGER } from "../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { isObject } from "../../lib/schema/node.ts";
import { messageOf } from "../../lib/http/message.ts";
import {
  type KubeClient,
  KubeError,
  type ObjectList,
  type ResourceType,
  type SendOptions,
  type WatchEvent,
  type WriteOptions,
} from "./client.ts";
import { type KubeConfigOptions, readKubeConfig } from "./kube_config.ts";
import { createTransport, type Transport } from "./transport.ts";
import { readLines } from "./watch_lines.ts";

/** Longest that an answer may take, in milliseconds. */
const PATIENCE = 30_000;

/** Longest that a watch may say nothing, in milliseconds: an API server sends a bookmark each minute, or ends it. */
const SILENCE = 90_000;

/**
 * How long a watch lasts before the server ends it, in seconds, at least; at most twice as long, which is less than the
 * longest silence: of a kind that nobody has changed since the server's start there are no bookmarks.
 */
const WATCH_TIME = 40;

/** How often a request is sent again that the server is too busy for. */
const MOST_TRIES = 4;

/** Longest that is waited before one is sent again, in seconds. */
const MOST_WAIT = 5;

/** Most characters of a refusal's message: some quote the whole object. */
const MOST_MESSAGE = 1000;

const JSON_TYPE = "application/json";
const APPLY_TYPE = "application/apply-patch+yaml";
const MERGE_TYPE = "application/merge-patch+json";

/** Connects to a cluster: that of the pod, or that of a kubeconfig. Nothing is sent before somebody asks. */
export async function createKubeClient(options: KubeConfigOptions = {}): Promise<KubeClient> {
  const config = await readKubeConfig(options);
  return clientOver(createTransport(config), config.server);
}

/** Makes a client on what sends requests. */
export function clientOver(transport: Transport, server: string): KubeClient {
  return {
    server,
    async get(type, namespace, name) {
      try {
        return asObject(await ask("GET", objectPath(type, namespace, name)));
      } catch (error) {
        if (error instanceof KubeError && error.status === 404) return undefined;
        throw error;
      }
    },
    async list(type, namespace, query = {}) {
      return asList(await ask("GET", `${collectionPath(type, namespace)}${queryText(query)}`), type);
    },
    create: async (type, object, options) =>
      asObject(await write("POST", collectionPath(type, object.metadata.namespace ?? ""), object, JSON_TYPE, options)),
    replace: async (type, object, options) =>
      asObject(await write("PUT", pathOf(type, object), object, JSON_TYPE, options)),
    apply: async (type, object, options) =>
      asObject(await write("PATCH", pathOf(type, object), withoutManagers(object), APPLY_TYPE, options)),
    applyStatus: async (type, object, options) =>
      asObject(await write("PATCH", `${pathOf(type, object)}/status`, withoutManagers(object), APPLY_TYPE, options)),
    patch: async (type, namespace, name, patch, options) =>
      asObject(await write("PATCH", objectPath(type, namespace, name), patch, MERGE_TYPE, options)),
    delete: remove,
    watch,
    request: (method, path, body, options) => ask(method, path, { body, ...options }),
    close: () => transport.close(),
  };

  async function write(
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
    return await ask(method, `${path}${queryText(query)}`, { body, type, ...options });
  }

  async function remove(
    type: ResourceType,
    namespace: string,
    name: string,
    { dryRun = false, preconditions, ...options }: Parameters<KubeClient["delete"]>[3] = {},
  ): Promise<boolean> {
    const body = {
      apiVersion: "v1",
      kind: "DeleteOptions",
      propagationPolicy: "Background",
      ...(preconditions === undefined ? {} : { preconditions }),
      ...(dryRun ? { dryRun: ["All"] } : {}),
    };
    try {
      const path = objectPath(type, namespace, name);
      await ask("DELETE", path, { body, ...options });
      return true;
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return false;
      throw error;
    }
  }

  /** Sends a request, and again when the server says that it is too busy and when to come again. */
  async function ask(
    method: string,
    path: string,
    { body, type = JSON_TYPE, signal, beforeSend }: SendOptions & { body?: unknown; type?: string } = {},
  ): Promise<unknown> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    for (let tries = 1;; tries++) {
      beforeSend?.();
      try {
        return await askOnce(method, path, text, type, signal);
      } catch (error) {
        if (!(error instanceof KubeError) || !isBusy(error) || tries === MOST_TRIES) throw error;
        await pause(
          Math.min(error.retryAfter ?? 1, MOST_WAIT) * 1000,
          undefined,
          signal === undefined ? {} : { signal },
        );
      }
    }
  }

  async function askOnce(
    method: string,
    path: string,
    body: string | undefined,
    type: string,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    using patience = createPatience(PATIENCE);
    try {
      const response = await transport.send(path, {
        method,
        headers: { accept: JSON_TYPE, ...(body === undefined ? {} : { "content-type": type }) },
        ...(body === undefined ? {} : { body }),
        signal: signal === undefined ? patience.signal : AbortSignal.any([signal, patience.signal]),
      });
      if (!response.ok) throw await refusalOf(response);
      return await response.json();
    } catch (error) {
      if (error instanceof KubeError) throw error;
      signal?.throwIfAborted();
      if (patience.signal.aborted) transport.reconnect();
      throw unreachable(server, patience.signal.aborted ? `no answer within ${PATIENCE / 1000} seconds` : error);
    }
  }

  async function watch(
    type: ResourceType,
    namespace: string,
    { resourceVersion, labelSelector, signal }: Parameters<KubeClient["watch"]>[2],
    listener: (event: WatchEvent) => void,
  ): Promise<void> {
    const query = {
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion,
      // Many that began together don't end together.
      timeoutSeconds: String(Math.floor(WATCH_TIME * (1 + Math.random()))),
      ...(labelSelector === undefined ? {} : { labelSelector }),
    };
    using patience = createPatience(PATIENCE);
    const path = `${collectionPath(type, namespace)}${queryText(query)}`;
    try {
      const response = await transport.send(path, {
        headers: { accept: JSON_TYPE },
        signal: AbortSignal.any([signal, patience.signal]),
      });
      if (!response.ok) throw await refusalOf(response);
      if (response.body === null) return;
      patience.heard(SILENCE);
      for await (const line of readLines(response.body, () => patience.heard(SILENCE))) {
        const event = asEvent(JSON.parse(line));
        if (signal.aborted) return;
        listener(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof KubeError) throw error;
      if (patience.signal.aborted) transport.reconnect();
      throw unreachable(server, patience.signal.aborted ? "a watch fell silent" : error);
    }
  }
}

/** A signal for when nothing was heard for too long. */
function createPatience(first: number): { signal: AbortSignal; heard: (wait: number) => void } & Disposable {
  const controller = new AbortController();
  let timer = setTimeout(() => controller.abort(), first);
  return {
    signal: controller.signal,
    heard(wait) {
      clearTimeout(timer);
      timer = setTimeout(() => controller.abort(), wait);
    },
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}

/** `/apis/gateway.networking.k8s.io/v1/namespaces/shop/httproutes` */
function collectionPath({ apiVersion, plural, isClusterWide }: ResourceType, namespace: string): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const place = isClusterWide === true || namespace === "" ? "" : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${place}/${plural}`;
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

/** An applied object says nothing of who else has written it. */
function withoutManagers(object: KubernetesObject): KubernetesObject {
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function asObject(value: unknown): KubernetesObject {
  if (isKubernetesObject(value)) return value;
  throw new KubeError(0, "", "The API server answered with something that is no object.");
}

/** An item of a list doesn't say its kind, as the list does. */
function asList(value: unknown, { apiVersion, kind }: ResourceType): ObjectList {
  if (!isObject(value) || !isObject(value["metadata"])) {
    throw new KubeError(0, "", "The API server answered with something that is no list.");
  }
  const { metadata, items } = value;
  const { resourceVersion, continue: next } = metadata;
  return {
    items: (Array.isArray(items) ? items : []).map((item: unknown) =>
      asObject(isObject(item) ? { apiVersion, kind, ...item } : item)
    ),
    resourceVersion: String(resourceVersion ?? ""),
    ...(typeof next === "string" && next !== "" ? { continue: next } : {}),
  };
}

function asEvent(value: unknown): WatchEvent {
  const type = isObject(value) ? value["type"] : undefined;
  const object = isObject(value) ? value["object"] : undefined;
  if (type === "ERROR") throw errorOf(object, 500, undefined);
  if (type === "ADDED" || type === "MODIFIED" || type === "DELETED" || type === "BOOKMARK") {
    return { type, object: asObject(object) };
  }
  throw new KubeError(0, "", `The API server sent an event of a kind that isn't known: ${type}.`);
}

function isKubernetesObject(value: unknown): value is KubernetesObject {
  return isObject(value) && typeof value["kind"] === "string" && isObject(value["metadata"]);
}

async function refusalOf(response: Response): Promise<KubeError> {
  const text = await response.text();
  let status: unknown = text;
  try {
    status = JSON.parse(text);
  } catch {
    // What stands between here and the API server may answer with a text of its own.
  }
  const seconds = Number(response.headers.get("retry-after") ?? NaN);
  return errorOf(status, response.status, Number.isFinite(seconds) ? seconds : undefined);
}

/** Reads a `metav1.Status`, or the text of something that stands between here and the API server. */
function errorOf(written: unknown, code: number, retryAfter: number | undefined): KubeError {
  const status = isObject(written)
    ? written
    : { message: `The API server answered ${code}: ${String(written).trim()}` };
  const { reason, message, details } = status;
  const seconds = isObject(details) ? details["retryAfterSeconds"] : undefined;
  const after = retryAfter ?? (typeof seconds === "number" ? seconds : undefined);
  return new KubeError(
    typeof status["code"] === "number" ? status["code"] : code,
    typeof reason === "string" ? reason : "",
    typeof message === "string" ? shorten(message) : `The API server answered ${code}.`,
    after === undefined ? {} : { retryAfter: after },
  );
}

/** Leaves out the middle: what is wrong stands at the beginning or at the end. */
function shorten(message: string): string {
  const half = MOST_MESSAGE / 2;
  return message.length > MOST_MESSAGE ? `${message.slice(0, half)} … ${message.slice(-half)}` : message;
}

function unreachable(server: string, cause: unknown): KubeError {
  return new KubeError(0, "", `The API server at ${server} can't be reached: ${messageOf(cause)}`, { cause });
}

/** A server that is too busy says when to come again (RFC 9110, section 10.2.3). */
function isBusy({ status, retryAfter }: KubeError): boolean {
  return (status === 429 || status === 503) && retryAfter !== undefined;
}
