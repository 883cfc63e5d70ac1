import type { KubernetesObject } from "../../lib/cluster/object.ts";

/** A kind of objects, with the names that its URLs are made of. */
export interface ResourceType {
  /** `v1`, `gateway.networking.k8s.io/v1` */
  apiVersion: string;
  kind: string;
  /** `httproutes` */
  plural: string;
  /** Whether objects of this kind have no namespace. */
  isClusterWide?: boolean;
}

/** A page of a list. */
export interface ObjectList {
  items: KubernetesObject[];
  resourceVersion: string;
  /** Token of the next page. */
  continue?: string;
}

/** Options of all requests. */
export interface SendOptions {
  signal?: AbortSignal;
  /** Called just before the request is sent, and before each retry. An exception prevents the request. */
  beforeSend?: () => void;
}

/** Options of writes. */
export interface WriteOptions extends SendOptions {
  /** Whether the API server only checks the write, and stores nothing. */
  dryRun?: boolean;
  /** Default: {@linkcode FIELD_MANAGER}. */
  fieldManager?: string;
}

/** An event of a watch. */
export interface WatchEvent {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK";
  object: KubernetesObject;
}

/**
 * The Kubernetes API of one cluster. Every method rejects with a {@linkcode KubeError} when the API server refuses or
 * can't be reached.
 */
export interface KubeClient {
  /** `https://10.0.0.1:443` */
  readonly server: string;
  get(type: ResourceType, namespace: string, name: string): Promise<KubernetesObject | undefined>;
  /**
   * Lists the objects of a namespace; an empty `namespace` means all namespaces.
   *
   * @param query `limit`, `continue`, `labelSelector`, `resourceVersion`, …
   */
  list(type: ResourceType, namespace: string, query?: Readonly<Record<string, string>>): Promise<ObjectList>;
  create(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Replaces an object. If `metadata.resourceVersion` is given, it must be the present one. */
  replace(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Server-side apply with force: the field manager takes the given fields over from other managers. */
  apply(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Server-side apply of `status`. */
  applyStatus(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Merge patch (RFC 7396). */
  patch(
    type: ResourceType,
    namespace: string,
    name: string,
    patch: unknown,
    options?: WriteOptions,
  ): Promise<KubernetesObject>;
  /** @returns Whether there was such an object. */
  delete(
    type: ResourceType,
    namespace: string,
    name: string,
    options?: WriteOptions & { preconditions?: { uid?: string; resourceVersion?: string } },
  ): Promise<boolean>;
  /**
   * Watches objects from `resourceVersion` on, until the signal is aborted, the server ends the watch, or the server is
   * silent for too long.
   *
   * @returns Resolves when the watch has ended; rejects when it failed. After 410 `Expired`, list the objects again.
   */
  watch(
    type: ResourceType,
    namespace: string,
    options: { resourceVersion: string; labelSelector?: string; signal: AbortSignal },
    listener: (event: WatchEvent) => void,
  ): Promise<void>;
  /** Sends any other request: `POST /apis/authorization.k8s.io/v1/subjectaccessreviews`. */
  request(method: string, path: string, body?: unknown, options?: SendOptions): Promise<unknown>;
  close(): void;
}

/** An error of the API server, or the reason why it can't be reached. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  /** `AlreadyExists`, `Conflict`, `Expired`, … (`metav1.StatusReason`); empty if the response has none. */
  readonly reason: string;
  /** Seconds until a retry may succeed. */
  readonly retryAfter: number | undefined;

  constructor(status: number, reason: string, message: string, options: ErrorOptions & { retryAfter?: number } = {}) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.retryAfter = options.retryAfter;
  }
}
