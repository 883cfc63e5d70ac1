/**
 * The work of the leader. All that a term of leadership knows is one object, made when the term begins: another replica
 * may have led since the last one, so what was true then says nothing now.
 *
 * @module
 */
import { MOCKS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { ownerOfKey } from "../../../lib/cluster/owner.ts";
import type { Mocks } from "../../../lib/cluster/translate/render.ts";
import type { ControllerOptions, Observed } from "./contract.ts";
import { createEvents } from "./events.ts";
import { fencedClient, NotLeader } from "./fenced_client.ts";
import { createFleets } from "./fleet_reconciler.ts";
import type { Term } from "./leadership.ts";
import { OwnedObjects } from "./owned_objects.ts";
import type { NamespaceAdmission } from "./namespace_admission.ts";
import { createStatusWriter } from "./status_writer.ts";
import type { ObservedObjects } from "./observed_objects.ts";
import type { Planner } from "./planner.ts";
import { AcceptedRevisions } from "./accepted_revisions.ts";
import { createRoutes } from "./route_reconciler.ts";
import { createWorkQueue } from "./work_queue.ts";

/** Brings the cluster to what APIs, fleets and static routes say, during one term of leadership. */
export interface Leader {
  /** Has a key reconciled. */
  add(key: string): void;
  /** Has a key reconciled later, in milliseconds. */
  addLater(key: string, wait: number): void;
  /** Begins nothing more; resolves when nothing is under way. */
  end(): Promise<void>;
}

/** Dependencies of a leader. */
export interface LeaderOptions extends Pick<ControllerOptions, "client" | "resources" | "identity" | "now"> {
  gateways: Observed;
  observed: ObservedObjects;
  plans: Planner;
  admission: NamespaceAdmission;
  mocks?: Mocks;
  isNamespace: (name: string) => boolean;
  /** From a status until the proxies surely have what it speaks of, in milliseconds. */
  settleTime: number;
  /** Told of each key that was reconciled. */
  onDone: (key: string) => void;
  onError: (what: string, error: unknown) => void;
}

/** How many objects are worked on at the same time. */
const HANDS = 8;

const BACKOFF = { first: 250, most: 60_000 } as const;

/** Makes what a term of leadership knows and does; no change is sent when the term is over. */
export function createLeader(term: Term, options: LeaderOptions): Leader {
  const { resources, gateways, observed, plans, admission, identity, now, isNamespace, settleTime, onDone, onError } =
    options;
  const { mocks = MOCKS } = options;
  const client = fencedClient(options.client, term);
  const queue = createWorkQueue({ work, hands: HANDS, backoff: BACKOFF, onError });
  let isEnded = false;
  const made = new OwnedObjects({ client, observed });
  const writer = createStatusWriter({
    client,
    tell: createEvents({ client, identity, now, onError: (error) => onError("An Event", error) }),
    now,
  });
  const fleets = createFleets({
    client,
    fleets: resources.fleet,
    gatewayNamed: gateways.get,
    made,
    plans,
    writer,
    mocks,
    add,
    addLater,
    settleTime,
  });
  const reconcileRoute = createRoutes({
    objectOf,
    fleetObjects: resources.fleet,
    made,
    plans,
    admission,
    fleets,
    writer,
    revisions: new AcceptedRevisions({
      client,
      writer,
      onError: ({ kind, metadata: { namespace, name } }, error) =>
        onError(`What was accepted of ${kind} ${namespace}/${name} can't be kept or let go`, error),
    }),
    mocks,
    isNamespace,
    settleTime,
    addLater,
  });

  return {
    add,
    addLater,
    end() {
      isEnded = true;
      return queue.clear();
    },
  };

  function add(key: string): void {
    if (!isEnded) queue.add(key);
  }

  function addLater(key: string, wait: number): void {
    if (!isEnded) queue.addLater(key, wait);
  }

  async function work(key: string): Promise<void> {
    if (isEnded) return;
    try {
      await (ownerOfKey(key).kind === "Fleet" ? fleets.reconcile(key) : reconcileRoute(key));
    } catch (error) {
      // The next term does it, of whichever replica.
      if (error instanceof NotLeader) return;
      throw error;
    }
    onDone(key);
  }

  function objectOf(key: string): KubernetesObject | undefined {
    const { kind, namespace, name } = ownerOfKey(key);
    return (kind === "API" ? resources.api : resources.staticroute).get(namespace, name);
  }
}
