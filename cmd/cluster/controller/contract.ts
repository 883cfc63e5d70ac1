/**
 * The interface of the controller for `gw serve`, and its options.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import type { FleetRef, RoutePlan } from "../../../lib/gateway/route.ts";
import type { LeaseTimes } from "../../../lib/cluster/lease.ts";
import type { UnlocatedDiagnostic } from "../../../lib/openapi/diagnostic.ts";
import type { PlanCache } from "../../io/gateway/plan_cache.ts";
import type { KubeClient, ResourceType } from "../client.ts";

/** The objects of one kind in the cluster, as an informer caches them. */
export interface Observed {
  get(namespace: string, name: string): KubernetesObject | undefined;
  list(): readonly KubernetesObject[];
  /**
   * Calls a listener at each change of an object.
   *
   * @returns A function that ends the subscription.
   */
  onChange(listener: (object: KubernetesObject, kind: "set" | "deleted") => void): () => void;
  /** Resolves when all objects have been listed once. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  stop(): void;
}

/** Starts an informer for the objects of a kind. */
export type Observe = (
  client: KubeClient,
  type: ResourceType,
  options: { namespace?: string; labelSelector?: string; onError?: (error: unknown) => void },
) => Observed;

/** The dependencies of a controller. */
export interface ControllerOptions {
  client: KubeClient;
  /** The informers of gw's custom resources. The store reads from them, too, so the controller doesn't stop them. */
  resources: { api: Observed; fleet: Observed; staticroute: Observed };
  /**
   * The informer of the cluster's namespaces, which the controller doesn't stop. Fleets admit namespaces by their
   * labels, and the host of an upstream is refused if it may be a Service in one of them.
   */
  namespaces?: Pick<Observed, "get" | "onChange" | "synced">;
  /** Starts informers for the kinds that aren't gw's custom resources. `gw serve` passes `createInformer`. */
  observe: Observe;
  /** The name of this replica, which no other replica has: the name of its pod. */
  identity: string;
  /** The namespace of gw, with the Lease of the leader. Default: `gw-system`. */
  namespace?: string;
  /** The Service of the mocks. Default: `gw-mock` in `namespace`. */
  mocks?: { name: string; namespace: string; port: number; checkPort: number };
  /** The cache of plans, which the store may share. Default: a new cache. */
  planCache?: PlanCache;
  log: {
    note(message: string, fields?: Readonly<Record<string, unknown>>): void;
    complain(message: string, fields?: Readonly<Record<string, unknown>>): void;
  };
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  /**
   * The times of the leader's Lease. Default: times by which another replica replaces a dead leader within 12 seconds.
   */
  leaseTimes?: LeaseTimes;
  /**
   * The time from a status of the gateway that accepts an object until all proxies have the object's configuration, in
   * milliseconds. Default: 3000.
   */
  settleTime?: number;
  /**
   * Whether this replica takes part in the leader election, and changes the cluster as the leader. If not, the
   * controller only makes plans. Default: yes.
   */
  acts?: boolean;
}

/** The controller of APIs, fleets and static routes. The management API uses it as its `gateway`. */
export interface Controller {
  /** Lists the plans of a fleet that are in force. */
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** Lists the plans in force that may conflict with a plan of the same fleet. */
  rivalsOf(plan: RoutePlan): readonly RoutePlan[];
  /**
   * Caches the plan of a definition that is about to be stored, with its warnings, so that the definition isn't planned
   * a second time.
   */
  expect(plan: RoutePlan, warnings: readonly string[]): void;
  /** Resolves when all changes that the informers have received are planned. */
  apply(): Promise<void>;
  /**
   * Returns errors for the parts of a plan that the profile of its fleet (the capabilities of its gateway) can't
   * express.
   */
  refusalsOf(plan: RoutePlan): readonly UnlocatedDiagnostic[];
  /** The gateway of a cluster supports logins (`auth.oauth2`). */
  readonly oauth2: true;
  /** Whether all APIs and static routes that existed at the start are planned. */
  readonly isReady: boolean;
  /** Whether this replica is the leader, and changes the cluster. */
  readonly isLeader: boolean;
  /**
   * Runs the controller until the signal is aborted. Resolves when no reconciliation is in progress and the Lease is
   * released.
   */
  run(signal: AbortSignal): Promise<void>;
}
