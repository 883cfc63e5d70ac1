/**
 * The controller: brings the cluster to what APIs, fleets and static routes say.
 *
 * ```text
 * observed objects -> plans -> work queue -> fleets, routes -> applied objects -> statuses
 * ```
 *
 * Every replica plans, for its management API; one of them leads, and only that one changes anything.
 *
 * @module
 */
import { MOCKS } from "../../../../lib/gateway/kubernetes/names.ts";
import type { KubernetesObject } from "../../../../lib/gateway/kubernetes/object.ts";
import { keyOfOwner, type OwnerKind, ownerOfKey } from "../../../../lib/gateway/kubernetes/owner.ts";
import { renderGatewayApi } from "../../../../lib/gateway/kubernetes/render.ts";
import type { FleetRef } from "../../../../lib/gateway/route.ts";
import { messageOf } from "../../request_text.ts";
import { createAcceptedStates } from "../accepted_states.ts";
import { KubeError } from "../client.ts";
import type { Controller, ControllerOptions, Observed } from "./contract.ts";
import { createEvents } from "./events.ts";
import { fencedClient, NotLeader } from "./fenced_client.ts";
import { createFleets } from "./fleets.ts";
import { GATEWAY } from "./kinds.ts";
import { createLeadership, LEASE_TIMES } from "./leadership.ts";
import { createMadeObjects } from "./made_objects.ts";
import { createObjectWriter } from "./object_writer.ts";
import { createPlans } from "./plans.ts";
import { createRevisions } from "./revisions.ts";
import { createRoutes } from "./routes.ts";
import { createWorkQueue } from "./work_queue.ts";

export type { Controller, ControllerOptions, Observe, Observed } from "./contract.ts";

/** Name of the Lease of the leader. */
const LEASE_NAME = "gw-controller";

/** How many objects are worked on at the same time. */
const HANDS = 8;

const BACKOFF = { first: 250, most: 60_000 } as const;

/** From a status until the proxies surely have what it speaks of, in milliseconds. */
const SETTLE_TIME = 3_000;

/** When a change is tried again that was not sent because this replica did not lead at that moment, in milliseconds. */
const LOOK_AGAIN = 1_000;

/** How long changes of a fleet's APIs are gathered before they are counted, in milliseconds. */
const COUNT_AFTER = 1_000;

/** Makes a controller; it observes and plans from now on, and changes something only while it runs. */
export function createController(options: ControllerOptions): Controller {
  const { client, resources, observe, identity, log, now, acts = true, namespace = MOCKS.namespace } = options;
  const { mocks = { ...MOCKS, namespace }, check, leaseTimes = LEASE_TIMES, settleTime = SETTLE_TIME } = options;
  const { namespaces } = options;
  const isNamespace = (name: string): boolean => namespaces?.get("", name) !== undefined;
  /** What was complained of last, by key. */
  const complaints = new Map<string, string>();
  /** The fleets that each key was on when it was last looked at: what it says, and what stays in force. */
  const lastFleets = new Map<string, readonly FleetRef[]>();
  let gateways: Observed | undefined;
  let starting: Promise<unknown> | undefined;
  let isUnreachable = false;
  let isActing = false;
  let isStopping = false;

  const leadership = createLeadership({
    client,
    namespace,
    name: LEASE_NAME,
    identity,
    times: leaseTimes,
    now,
    onChange: (isLeader) => void (isLeader ? begin() : end()),
    onError: (error) => complain("The Lease", error),
  });
  const fenced = fencedClient(client, leadership);
  const queue = createWorkQueue({
    work,
    hands: HANDS,
    backoff: BACKOFF,
    onError: (key, error) => complain(key, error),
  });
  const plans = createPlans({
    resources,
    ...(check === undefined ? {} : { check }),
    acceptedStateOf: createAcceptedStates(client),
    onError: (key, error) => complain(`What was accepted of ${key}`, error),
    onChange(key) {
      add(key);
      const planned = plans.get(key);
      const fleets = planned === undefined ? [] : [planned.fleet, ...(planned.stays ? [planned.stays.plan.fleet] : [])];
      for (const one of [...fleets, ...lastFleets.get(key) ?? []]) {
        addLater(keyOfOwner({ kind: "Fleet", ...one }), COUNT_AFTER);
      }
      if (planned === undefined) lastFleets.delete(key);
      else lastFleets.set(key, fleets);
    },
  });
  const made = createMadeObjects({
    client: fenced,
    observe,
    onChange: add,
    onError: (error) => complain("An object of gw", error),
  });
  const writer = createObjectWriter({
    client: fenced,
    tell: createEvents({ client: fenced, identity, now, onError: (error) => complain("An Event", error) }),
    now,
  });
  const fleets = createFleets({
    client: fenced,
    fleets: resources.fleet,
    gatewayNamed: (namespace, name) => gateways?.get(namespace, name),
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
    made,
    plans,
    fleets,
    writer,
    revisions: createRevisions({
      client: fenced,
      writer,
      onError: ({ kind, metadata: { namespace, name } }, error) =>
        complain(`What was accepted of ${kind} ${namespace}/${name} can't be kept or let go`, error),
    }),
    mocks,
    isNamespace,
    settleTime,
    addLater,
  });
  const stopFleets = resources.fleet.onChange((fleet) => {
    add(keyOf("Fleet", fleet));
    const { namespace = "", name } = fleet.metadata;
    for (const key of plans.keysOn({ namespace, name })) add(key);
  });

  return {
    plansOf: plans.plansOf,
    expect: plans.expect,
    apply: plans.idle,
    refusalsOf(plan) {
      const target = fleets.targetOf(plan.fleet);
      return target === undefined ? [] : renderGatewayApi(plan, { ...target, mocks, isNamespace }).refusals;
    },
    oauth2: true,
    get isReady() {
      return plans.isReady;
    },
    get isLeader() {
      return leadership.isLeader;
    },
    run,
  };

  async function run(signal: AbortSignal): Promise<void> {
    const leaving = new AbortController();
    const leading = acts ? leadership.run(leaving.signal) : Promise.resolve();
    await aborted(signal);
    isStopping = true;
    await end();
    // The Lease goes back when nothing of this replica is under way.
    leaving.abort();
    await leading;
    stopFleets();
    plans.stop();
    made.stop();
    gateways?.stop();
  }

  /** Takes up the work: everything is looked at once. */
  async function begin(): Promise<void> {
    log.note(`This replica, ${identity}, leads: it brings the cluster to what APIs, fleets and static routes say.`);
    const { term } = leadership;
    if (gateways === undefined) {
      gateways = observe(client, GATEWAY, { onError: (error) => complain("Gateways", error) });
      gateways.onChange((gateway) => {
        for (const key of fleets.keysOn(gateway)) add(key);
      });
      starting = Promise.all([made.start(), gateways.synced, plans.ready, namespaces?.synced]);
    }
    await starting;
    if (term.aborted || isStopping) return;
    made.forget();
    isActing = true;
    for (const fleet of resources.fleet.list()) add(keyOf("Fleet", fleet));
    for (const object of resources.api.list()) add(keyOf("API", object));
    for (const object of resources.staticroute.list()) add(keyOf("StaticRoute", object));
    // What was made for somebody who is gone.
    for (const owner of made.owners()) add(owner);
  }

  async function end(): Promise<void> {
    if (isActing) log.note(`This replica, ${identity}, leads no longer.`);
    isActing = false;
    await queue.clear();
  }

  function add(key: string): void {
    if (isActing) queue.add(key);
  }

  function addLater(key: string, wait: number): void {
    if (isActing) queue.addLater(key, wait);
  }

  async function work(key: string): Promise<void> {
    if (!isActing) return;
    try {
      await (ownerOfKey(key).kind === "Fleet" ? fleets.reconcile(key) : reconcileRoute(key));
    } catch (error) {
      // It is done by whoever leads next.
      if (error instanceof NotLeader) return addLater(key, LOOK_AGAIN);
      throw error;
    }
    complaints.delete(key);
    if (isUnreachable) log.note("The API server answers again.");
    isUnreachable = false;
  }

  function objectOf(key: string): KubernetesObject | undefined {
    const { kind, namespace, name } = ownerOfKey(key);
    return (kind === "API" ? resources.api : resources.staticroute).get(namespace, name);
  }

  /** Says what is wrong: once, until it is something else. */
  function complain(key: string, error: unknown): void {
    if (error instanceof NotLeader || isStopping) return;
    const message = messageOf(error);
    if (error instanceof KubeError && error.status === 0) {
      if (!isUnreachable) log.complain(`${message} Nothing in the cluster is changed until it answers.`);
      isUnreachable = true;
      return;
    }
    // Somebody else was faster: the next try sees what they did.
    if (error instanceof KubeError && error.status === 409) return;
    if (complaints.get(key) === message) return;
    complaints.set(key, message);
    log.complain(`${key}: ${message}`);
  }
}

function keyOf(kind: OwnerKind, { metadata: { namespace = "", name } }: KubernetesObject): string {
  return keyOfOwner({ kind, namespace, name });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
