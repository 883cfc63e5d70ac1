import type { KubernetesObject } from "../../lib/cluster/object.ts";

/** A kind of objects, as it is addressed. */
export interface ResourceType {
  /** `v1`, `gateway.networking.k8s.io/v1` */
  apiVersion: string;
  kind: string;
  /** `httproutes` */
  plural: string;
  /** Whether its objects belong to the whole cluster. */
  isClusterWide?: boolean;
}

/** Objects of a list, and the state of the cluster that they show. */
export interface ObjectList {
  items: KubernetesObject[];
  resourceVersion: string;
  /** Where the next page starts. */
  continue?: string;
}

/** How requests are sent. */
export interface SendOptions {
  signal?: AbortSignal;
  /** Called just before each sending, also when a busy server has the request repeated. Throws to prevent it. */
  beforeSend?: () => void;
}

/** How objects are written. */
export interface WriteOptions extends SendOptions {
  /** All checks, no change. */
  dryRun?: boolean;
  /** Default: {@linkcode FIELD_MANAGER}. */
  fieldManager?: string;
}

/** What happened to an object, as a watch tells it. */
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
  /** @param query `limit`, `continue`, `labelSelector`, `resourceVersion`, …; an empty namespace means all. */
  list(type: ResourceType, namespace: string, query?: Readonly<Record<string, string>>): Promise<ObjectList>;
  create(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Replaces an object; its `metadata.resourceVersion` must be the present one, when it is given. */
  replace(type: ResourceType, object: KubernetesObject, options?: WriteOptions): Promise<KubernetesObject>;
  /** Server-side apply: the fields given become those of the field manager, the others stay. Takes over conflicting fields. */
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
   * Follows the changes of objects from `resourceVersion` on, until the signal, the server, or silence ends it.
   *
   * @returns When the watch has ended; rejects when it broke (410 `Expired` asks for a new list).
   */
  watch(
    type: ResourceType,
    namespace: string,
    options: { resourceVersion: string; labelSelector?: string; signal: AbortSignal },
    listener: (event: WatchEvent) => void,
  ): Promise<void>;
  /** Asks anything else of the API: `POST /apis/authorization.k8s.io/v1/subjectaccessreviews`. */
  request(method: string, path: string, body?: unknown, options?: SendOptions): Promise<unknown>;
  close(): void;
}

/** The API server's refusal, or why it can't be reached. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** `AlreadyExists`, `Conflict`, `Expired`, … (`metav1.StatusReason`); empty without one. */
  readonly reason: string;
  /** Seconds after which it may be worth another try. */
  readonly retryAfter: number | undefined;

  constructor(status: number, reason: string, message: string, options: ErrorOptions & { retryAfter?: number } = {}) {
    super(message, options);
    this.status = status;
    this.reason = reason;
    this.retryAfter = options.retryAfter;
  }
}
