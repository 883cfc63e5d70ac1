import type { KubernetesObject } from "../../lib/cluster/object.ts";

/** A kind of objects, with the parts of its URLs. */
export interface ResourceType {
  /** The API group and version, such as `v1` or `gateway.networking.k8s.io/v1`. */
  apiVersion: string;
  kind: string;
  /** The plural in URLs, such as `httproutes`. */
  plural: string;
  /** Whether objects of this kind have no namespace. */
  isClusterWide?: boolean;
}

/** A page of a list of objects. */
export interface ObjectList {
  items: KubernetesObject[];
  resourceVersion: string;
  /** The token of the next page; absent on the last page. */
  continue?: string;
}

/** Options of all requests to the API server. */
export interface CallOptions {
  signal?: AbortSignal;
  /** Called before the request is sent, and before each retry. An exception prevents the request. */
  beforeSend?: () => void;
}

/** Options of requests that write. */
export interface WriteOptions extends CallOptions {
  /** Whether the API server only validates the write, and stores nothing. */
  dryRun?: boolean;
  /** The field manager of server-side apply. Default: {@linkcode FIELD_MANAGER}. */
  fieldManager?: string;
}

/** An event of a watch. */
export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: KubernetesObject;
}

/**
 * A client for the Kubernetes API of one cluster. Its methods reject with a {@linkcode KubeError} if the API server
 * refuses a request or can't be reached.
 */
export interface KubeClient {
  /** The URL of the API server, such as `https://10.0.0.1:443`. */
  readonly server: string;
  get(
    type: ResourceType,
    namespace: string,
    name: string,
    options?: CallOptions,
  ): Promise<KubernetesObject | undefined>;
  /**
   * Lists the objects of a namespace; with an empty `namespace`, of all namespaces.
   *
   * @param query `limit`, `continue`, `labelSelector`, `resourceVersion`, …
   */
  list(type: ResourceType, namespace: string, query?: Readonly<Record<string, string>>): Promise<ObjectList>;
  create(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /**
   * Replaces an object. With `metadata.resourceVersion`, the API server refuses the request if the object has another
   * version.
   */
  replace(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Server-side apply with `force`: the field manager takes over fields that belong to other managers. */
  apply(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Server-side apply to the subresource `status`. */
  applyStatus(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Changes an object by a JSON Merge Patch (RFC 7396). */
  patch(
    type: ResourceType,
    namespace: string,
    name: string,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<KubernetesObject>;
  /**
   * Deletes an object.
   *
   * @returns Whether the object existed.
   */
  delete(
    type: ResourceType,
    namespace: string,
    name: string,
    options?: WriteOptions & { preconditions?: { uid?: string; resourceVersion?: string } },
  ): Promise<boolean>;
  /**
   * Watches objects for changes after a `resourceVersion`. The watch ends when the signal is aborted, when the server
   * ends it, or when the server sends nothing for too long.
   *
   * @returns Resolves when the watch has ended; rejects when it failed. After 410 `Expired`, list the objects again.
   */
  watch(
    type: ResourceType,
    namespace: string,
    options: { resourceVersion: string; labelSelector?: string; signal: AbortSignal },
    listener: (event: WatchEvent) => void,
  ): Promise<void>;
  /** Sends any other request, such as `POST /apis/authorization.k8s.io/v1/subjectaccessreviews`. */
  request(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown>;
  close(): void;
}

/** An error of the API server, or the reason why it can't be reached. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
  /**
   * The reason (`metav1.StatusReason`), such as `AlreadyExists`, `Conflict` or `Expired`; empty if the response has
   * none.
   */
  readonly reason: string;
  /** The seconds after which to try again (`Retry-After`). */
  readonly retryAfter: number | undefined;

  constructor(status: number, reason: string, message: string, options: ErrorOptions & { retryAfter?: number } = {}) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.retryAfter = options.retryAfter;
  }
}
