/** The reasons for which a store fails. */
export type StoreErrorReason =
  /** The resource exists already. */
  | "exists"
  /** The resource doesn't exist. */
  | "missing"
  /** The resource has another version than the change expects (`ifVersion`). */
  | "stale"
  /** The `continue` token of a list is invalid. */
  | "bad-continue"
  /** The store can't be reached. */
  | "unavailable"
  /** The store is full. */
  | "full"
  /** The Kubernetes API server refuses the change, or doesn't allow it to this process. */
  | "refused";

/** Options of {@linkcode StoreError}. */
export interface StoreErrorOptions extends ErrorOptions {
  /** The seconds after which a client should try again. */
  retryAfter?: number;
  /** The error of the Kubernetes API server, for a store in a cluster. */
  kubernetes?: KubernetesRefusal;
}

/** An error of the Kubernetes API server (`metav1.Status`). */
export interface KubernetesRefusal {
  /** The HTTP status; 0 if there was no response. */
  code: number;
  /**
   * The `reason` of the status, such as `AlreadyExists`, `Conflict`, `Forbidden` or `Invalid`; empty if there is none.
   */
  reason: string;
}

/** The error with which a store rejects. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly reason: StoreErrorReason;
  /** The seconds after which a client should try again. */
  readonly retryAfter: number | undefined;
  /** The error of the Kubernetes API server, for a store in a cluster. */
  readonly kubernetes: KubernetesRefusal | undefined;

  constructor(reason: StoreErrorReason, message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.retryAfter = options.retryAfter;
    this.kubernetes = options.kubernetes;
  }
}
