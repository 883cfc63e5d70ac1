import { MOCKS } from "../../../lib/cluster/names.ts";
import type { GroupRecord } from "../../../lib/cluster/protection/protection.ts";
import type { SharedPolicyRecord } from "../../../lib/cluster/protection/shared_policy.ts";
import type { Mocks } from "../../../lib/cluster/translate/render.ts";
import type { RoutePlan } from "../../../lib/gateway/route.ts";
import type { KubeClient } from "../client.ts";
import type { ControllerOptions, Observed } from "./contract.ts";
import { Events } from "./events.ts";
import { fencedClient } from "./fenced_client.ts";
import { GatewayClasses } from "./gateway_classes.ts";
import type { LeaseTerm } from "./leadership.ts";
import type { NamespaceAdmission } from "./namespace_admission.ts";
import type { ObservedObjects } from "./observed_objects.ts";
import { OwnedObjects } from "./owned_objects.ts";
import type { Planner } from "./planner.ts";
import { Renderings } from "./renderings.ts";
import { AcceptedRevisions } from "./accepted_revisions.ts";
import { StatusWriter } from "./status_writer.ts";

/** The parts of the controller that a term of leadership uses, and that outlive the term. */
export interface TermOptions extends Pick<ControllerOptions, "client" | "resources" | "identity" | "now"> {
  gateways: Observed;
  observed: ObservedObjects;
  plans: Planner;
  admission: NamespaceAdmission;
  mocks?: Mocks;
  isNamespace: (name: string) => boolean;
  /**
   * The time from a status of the gateway that accepts an object until all proxies have the object's configuration, in
   * milliseconds.
   */
  settleTime: number;
  /** Called with each error that occurs outside of reconciliations. */
  onError: (subject: string, error: unknown) => void;
}

/** Adds the keys of APIs, static routes and fleets to the work queue. */
export interface Requeue {
  add(key: string): void;
  /** Adds a key after a delay in milliseconds. */
  addLater(key: string, wait: number): void;
}

/** What the last reconciliation of a fleet found about one of its namespaces. */
export interface PreparedNamespace {
  /** The reason why an object of the fleet for this namespace can't be written, as a sentence. */
  readonly obstacle?: string;
  /** The same for the shared policy: it delays only plans with validated requests. */
  readonly policyObstacle?: string;
  /** The plans whose requests the shared policy validates. */
  readonly plans: ReadonlySet<RoutePlan>;
}

/** What a leader remembers about a generation of an HTTPRoute, until all proxies have it. */
export interface SettlingRecord {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** The time when this leader first saw the generation, in milliseconds. */
  readonly seen: number;
  /** The time since which the gateway has processed the generation, in milliseconds. */
  readonly processed?: number;
}

/**
 * What a leader remembers during one term of leadership. Another replica may be the leader between two terms, and open
 * or close groups. So a later term must not use what an earlier term remembers.
 */
export class Term {
  /** A client that sends writes only during the term. */
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
  readonly classes: GatewayClasses;
  readonly renderings = new Renderings();

  /** The records of groups of protected routes, by the key of their HTTPRoute. */
  readonly groups = new Map<string, GroupRecord>();
  /** The records of the shared policies for request validation, by fleet and namespace. */
  readonly sharedPolicies = new Map<string, SharedPolicyRecord>();
  /** The time in milliseconds since which no fleet needs an object any more, by the key of the object. */
  readonly unneeded = new Map<string, number>();
  /** Since when the gateway has accepted the present generation of an HTTPRoute, by the key of the HTTPRoute. */
  readonly settling = new Map<string, SettlingRecord>();
  /** The time in milliseconds at which the removal of an owner's routes began, by the key of the owner. */
  readonly removals = new Map<string, number>();
  /** The namespaces of each fleet whose objects are written, or have an obstacle, by namespace and name of the fleet. */
  readonly prepared = new Map<string, ReadonlyMap<string, PreparedNamespace>>();
  /** The keys of APIs and static routes that wait until their namespace is prepared, by that of their fleet. */
  readonly waitingForFleet = new Map<string, Set<string>>();
  /**
   * The time in milliseconds since which the first status of an API or static route waits for the gateway's report, by
   * its key.
   */
  readonly unanswered = new Map<string, number>();

  constructor(lease: LeaseTerm, requeue: Requeue, options: TermOptions) {
    const { resources, gateways, observed, plans, admission, mocks = MOCKS, identity, now, onError } = options;
    const client = fencedClient(options.client, lease);
    const events = new Events({ client, identity, now, onError: (error) => onError("An Event", error) });
    this.client = client;
    this.resources = resources;
    this.gateways = gateways;
    this.classes = new GatewayClasses({ client, gateways });
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
