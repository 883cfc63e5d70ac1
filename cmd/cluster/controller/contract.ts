/**
 * The options of the controller, and its interface for `gw serve`.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import type { FleetRef, RoutePlan } from "../../../lib/gateway/route.ts";
import type { LeaseTimes } from "../../../lib/cluster/lease.ts";
import type { UnlocatedDiagnostic } from "../../../lib/openapi/diagnostic.ts";
import type { PlanCache } from "../../io/plan_cache.ts";
import type { KubeClient, ResourceType } from "../client.ts";

/** Objects of one kind as they are in the cluster, kept up to date. */
export interface Observed {
  get(namespace: string, name: string): KubernetesObject | undefined;
  list(): readonly KubernetesObject[];
  /** @returns A function that ends the subscription. */
  onChange(listener: (object: KubernetesObject, kind: "set" | "deleted") => void): () => void;
  /** Resolves when the informer has listed all objects once. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  stop(): void;
}

/** Starts an informer on a kind. */
export type Observe = (
  client: KubeClient,
  type: ResourceType,
  options: { namespace?: string; labelSelector?: string; onError?: (error: unknown) => void },
) => Observed;

/** Dependencies of a controller. */
export interface ControllerOptions {
  client: KubeClient;
  /** The informers of gw's custom resources. The store reads from them too, so the controller doesn't stop them. */
  resources: { api: Observed; fleet: Observed; staticroute: Observed };
  /**
   * The cluster's namespaces. The host of an upstream is refused if it may be a Service of one of them, and fleets
   * admit namespaces by their labels. The controller doesn't stop the informer.
   */
  namespaces?: Pick<Observed, "get" | "onChange" | "synced">;
  /** Starts informers on kinds that aren't gw's own: `createInformer`. */
  observe: Observe;
  /** The name of this replica, unique among all replicas: the pod's name. */
  identity: string;
  /** The namespace of gw and of the leader's Lease. Default: `gw-system`. */
  namespace?: string;
  /** The Service of the mocks. Default: `gw-mock` in `namespace`. */
  mocks?: { name: string; namespace: string; port: number; checkPort: number };
  /**
   * The cache of plans (routes with settings) of deployed definitions; the store may share it. Default: a cache of its
   * own.
   */
  planCache?: PlanCache;
  log: {
    note(message: string, fields?: Readonly<Record<string, unknown>>): void;
    complain(message: string, fields?: Readonly<Record<string, unknown>>): void;
  };
  /** The time in milliseconds since 1970. */
  now: () => number;
  /** Times of the leader's Lease. Default: another replica follows a dead leader within 12 seconds. */
  leaseTimes?: LeaseTimes;
  /**
   * The time from a status of the gateway until all proxies have the configuration that the status is about, in
   * milliseconds. Default: 3000.
   */
  settleTime?: number;
  /**
   * Whether to be a candidate in the leader election, and change the cluster as the leader; otherwise the controller
   * only plans. Default: yes.
   */
  acts?: boolean;
}

/** Reconciles APIs, fleets and static routes. The management API uses the controller as its `gateway`. */
export interface Controller {
  /** The plans that are in force on a fleet. */
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** The plans in force that may conflict with a plan, on the same fleet. */
  rivalsOf(plan: RoutePlan): readonly RoutePlan[];
  /**
   * Puts the plan of a definition that is about to be stored into the cache, with its warnings, so that the definition
   * isn't planned again.
   */
  expect(plan: RoutePlan, warnings: readonly string[]): void;
  /** Resolves when all observed resources are planned. */
  apply(): Promise<void>;
  /** The parts of a plan that the profile of its fleet (the capabilities of its gateway) can't express, as errors. */
  refusalsOf(plan: RoutePlan): readonly UnlocatedDiagnostic[];
  /** The gateway supports logins (`auth.oauth2`). */
  readonly oauth2: true;
  /** Whether all resources are known and planned. */
  readonly isReady: boolean;
  /** Whether this replica leads, and changes the cluster. */
  readonly isLeader: boolean;
  /** Runs until the signal is aborted; resolves when no reconciliation is under way and the Lease is released. */
  run(signal: AbortSignal): Promise<void>;
}
