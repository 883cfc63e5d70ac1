import { MOCKS } from "../../../lib/cluster/names.ts";
import type { GroupRecord } from "../../../lib/cluster/protection/protection.ts";
import type { SharedPolicyRecord } from "../../../lib/cluster/protection/shared_policy.ts";
import type { Mocks } from "../../../lib/cluster/translate/render.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";
import type { KubeClient } from "../client.ts";
import type { ControllerOptions, Observed } from "./contract.ts";
import { Events } from "./events.ts";
import { fencedClient } from "./fenced_client.ts";
import type { LeaseTerm } from "./leadership.ts";
import type { NamespaceAdmission } from "./namespace_admission.ts";
import type { ObservedObjects } from "./observed_objects.ts";
import { OwnedObjects } from "./owned_objects.ts";
import type { Planner } from "./planner.ts";
import { Renderings } from "./renderings.ts";
import { AcceptedRevisions } from "./accepted_revisions.ts";
import { StatusWriter } from "./status_writer.ts";

/** The objects that a term of leadership uses, and that exist before and after it. */
export interface TermOptions extends Pick<ControllerOptions, "client" | "resources" | "identity" | "now"> {
  gateways: Observed;
  observed: ObservedObjects;
  plans: Planner;
  admission: NamespaceAdmission;
  mocks?: Mocks;
  isNamespace: (name: string) => boolean;
  /**
   * The time from a status of the gateway until all proxies have the configuration that the status is about, in
   * milliseconds.
   */
  settleTime: number;
  /** Called with each error outside of reconciliations. */
  onError: (subject: string, error: unknown) => void;
}

/** Adds keys to the work queue. */
export interface Requeue {
  add(key: string): void;
  /** @param wait Milliseconds. */
  addLater(key: string, wait: number): void;
}

/** The namespaces and the plans for which the objects of a fleet were written. */
export interface PreparedFleet {
  readonly namespaces: ReadonlySet<string>;
  /** The plans (routes with settings) with request validation. */
  readonly plans: ReadonlySet<RoutePlan>;
}

/**
 * The leader's records of one term of leadership: made when the term begins, dropped at its end. Another replica may
 * lead in between and open and close the same groups, so a later term must not use the records of an earlier one.
 */
export class Term {
  /** Sends changes only during the term. */
  readonly client: KubeClient;
  readonly resources: TermOptions["resources"];
  readonly gateways: Observed;
  readonly plans: Planner;
  readonly admission: NamespaceAdmission;
  readonly mocks: Mocks;
  readonly isNamespace: (name: string) => boolean;
  readonly settleTime: number;
  readonly requeue: Requeue;
  readonly owned: OwnedObjects;
  readonly statuses: StatusWriter;
  readonly revisions: AcceptedRevisions;
  readonly renderings = new Renderings();

  /** Records of groups of protected routes, by the key of their HTTPRoute. */
  readonly groups = new Map<string, GroupRecord>();
  /** Records of the shared policies for request validation, by fleet and namespace. */
  readonly sharedPolicies = new Map<string, SharedPolicyRecord>();
  /** The time at which the routes of an owner began to be closed for deletion, by the owner's key; milliseconds. */
  readonly removals = new Map<string, number>();
  /** By the fleet's qualified name. */
  readonly preparedFleets = new Map<string, PreparedFleet>();
  /** Keys that are reconciled when a fleet is prepared, by the fleet's qualified name. */
  readonly waitingForFleet = new Map<string, Set<string>>();
  /**
   * The time since which the first status of an object waits for the gateway's report on its routes, by key;
   * milliseconds.
   */
  readonly unanswered = new Map<string, number>();

  constructor(lease: LeaseTerm, requeue: Requeue, options: TermOptions) {
    const { resources, gateways, observed, plans, admission, mocks = MOCKS, identity, now, onError } = options;
    const client = fencedClient(options.client, lease);
    const events = new Events({ client, identity, now, onError: (error) => onError("An Event", error) });
    this.client = client;
    this.resources = resources;
    this.gateways = gateways;
    this.plans = plans;
    this.admission = admission;
    this.mocks = mocks;
    this.isNamespace = options.isNamespace;
    this.settleTime = options.settleTime;
    this.requeue = requeue;
    this.owned = new OwnedObjects({ client, observed });
    this.statuses = new StatusWriter({ client, events, now });
    this.revisions = new AcceptedRevisions({
      client,
      writer: this.statuses,
      onError: ({ kind, metadata: { namespace, name } }, error) =>
        onError(`The last accepted state of ${kind} ${namespace}/${name} can't be kept or deleted`, error),
    });
  }
}
