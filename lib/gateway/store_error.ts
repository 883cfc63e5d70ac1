/** Why an operation of a store failed. */
export type StoreErrorReason =
  /** The resource exists already. */
  | "exists"
  /** The resource doesn't exist. */
  | "missing"
  /** The resource has another version than the change expects. */
  | "stale"
  /** `continue` is invalid. */
  | "bad-continue"
  /** The store can't be reached. */
  | "unavailable"
  /** The store is full. */
  | "full"
  /** Kubernetes refuses the change, or this process lacks the right to it. */
  | "refused";

/** Details of a store's error. */
export interface StoreErrorOptions extends ErrorOptions {
  /** Seconds after which to try again. */
  retryAfter?: number;
  /** The answer of Kubernetes, for a store in a cluster. */
  kubernetes?: KubernetesRefusal;
}

/** An error of a Kubernetes API server (`metav1.Status`). */
export interface KubernetesRefusal {
  /** The HTTP status; 0 without an answer. */
  code: number;
  /** `AlreadyExists`, `Conflict`, `Forbidden`, `Invalid`, …; empty without one. */
  reason: string;
}

/** An error of a store. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly reason: StoreErrorReason;
  /** Seconds after which to try again. */
  readonly retryAfter: number | undefined;
  /** The answer of Kubernetes, for a store in a cluster. */
  readonly kubernetes: KubernetesRefusal | undefined;

  constructor(reason: StoreErrorReason, message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.retryAfter = options.retryAfter;
    this.kubernetes = options.kubernetes;
  }
}
