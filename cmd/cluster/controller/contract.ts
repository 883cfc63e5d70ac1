/**
 * What the controller needs, and what it does for `gw serve`.
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
  /** @returns Ends the listening. */
  onChange(listener: (object: KubernetesObject, kind: "set" | "deleted") => void): () => void;
  /** When all objects are known that there were at the start. */
  readonly synced: Promise<void>;
  readonly isSynced: boolean;
  stop(): void;
}

/** Begins to observe the objects of a kind. */
export type Observe = (
  client: KubeClient,
  type: ResourceType,
  options: { namespace?: string; labelSelector?: string; onError?: (error: unknown) => void },
) => Observed;

/** What a controller needs. */
export interface ControllerOptions {
  client: KubeClient;
  /** gw's own kinds; the store reads them too. They are not stopped by the controller. */
  resources: { api: Observed; fleet: Observed; staticroute: Observed };
  /**
   * The cluster's namespaces: no host may be named so that it is a Service of one, and fleets admit them by their labels.
   * Not stopped by the controller.
   */
  namespaces?: Pick<Observed, "get" | "onChange" | "synced">;
  /** Observes the other kinds: `createInformer`. */
  observe: Observe;
  /** Who this replica is, among the replicas: the pod's name. */
  identity: string;
  /** Where gw itself runs, and where the Lease of the leader is. Default: `gw-system`. */
  namespace?: string;
  /** The Service of the mocks. Default: `gw-mock` in `namespace`. */
  mocks?: { name: string; namespace: string; port: number; checkPort: number };
  /** The plans of what is deployed; the store may share it. Default: one of its own. */
  planCache?: PlanCache;
  log: {
    note(message: string, fields?: Readonly<Record<string, unknown>>): void;
    complain(message: string, fields?: Readonly<Record<string, unknown>>): void;
  };
  /** The time in milliseconds since 1970. */
  now: () => number;
  /** Times of the leader's Lease. Default: another replica follows a dead leader within 12 seconds. */
  leaseTimes?: LeaseTimes;
  /** From a status until the proxies surely have what it speaks of, in milliseconds. Default: 3000. */
  settleTime?: number;
  /** Whether to change anything in the cluster; without it only plans are made. Default: yes. */
  acts?: boolean;
}

/** Brings the cluster to what APIs, fleets and static routes say. It is the `gateway` of the management API, too. */
export interface Controller {
  /** The plans of a fleet that are in force. */
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** The plans in force on a plan's fleet that may exclude it. */
  rivalsOf(plan: RoutePlan): readonly RoutePlan[];
  /** Hands over the plan of a definition that is about to be stored, and its warnings, so that it isn't planned twice. */
  expect(plan: RoutePlan, warnings: readonly string[]): void;
  /** Resolves when everything is planned that the observed resources say now. */
  apply(): Promise<void>;
  /** What the profile of the plan's fleet can't express, as errors. */
  refusalsOf(plan: RoutePlan): readonly UnlocatedDiagnostic[];
  /** Users can be logged in (`auth.oauth2`). */
  readonly oauth2: true;
  /** Whether all resources are known and planned. */
  readonly isReady: boolean;
  /** Whether this replica is the one that changes the cluster. */
  readonly isLeader: boolean;
  /** Works until the signal says stop; resolves when all is left in order and the Lease is given back. */
  run(signal: AbortSignal): Promise<void>;
}
