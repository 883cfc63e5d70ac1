/** Why a store doesn't do what it should. */
export type StoreErrorReason =
  /** There is already a resource of this kind, namespace and name. */
  | "exists"
  /** There is no such resource. */
  | "missing"
  /** The resource has another version than the change was made for. */
  | "stale"
  /** `continue` is none that the store has given. */
  | "bad-continue"
  /** The store can't be reached or asked now. */
  | "unavailable"
  /** There is no room left. */
  | "full"
  /** What is behind the store doesn't take the change, or doesn't let this process make it. */
  | "refused";

/** What is known of a store's refusal beside its reason. */
export interface StoreErrorOptions extends ErrorOptions {
  /** Seconds after which it may be worth another try. */
  retryAfter?: number;
  /** What Kubernetes has said, where it is behind the store. */
  kubernetes?: KubernetesRefusal;
}

/** A refusal of a Kubernetes API server (`metav1.Status`). */
export interface KubernetesRefusal {
  /** The HTTP status; 0 when there was no answer. */
  code: number;
  /** `AlreadyExists`, `Conflict`, `Forbidden`, `Invalid`, …; empty without one. */
  reason: string;
}

/** A store's refusal. */
export class StoreError extends Error {
  override readonly name = "StoreError";
  readonly reason: StoreErrorReason;
  /** Seconds after which it may be worth another try. */
  readonly retryAfter: number | undefined;
  /** What Kubernetes has said, where it is behind the store. */
  readonly kubernetes: KubernetesRefusal | undefined;

  constructor(reason: StoreErrorReason, message: string, options: StoreErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.retryAfter = options.retryAfter;
    this.kubernetes = options.kubernetes;
  }
}
