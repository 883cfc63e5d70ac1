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
import { MOCKS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner, type OwnerKind } from "../../../lib/cluster/owner.ts";
import { renderGatewayApi } from "../../../lib/cluster/translate/render.ts";
import type { FleetRef } from "../../../lib/gateway/route.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { findAcceptedStates } from "../accepted_states.ts";
import { PlanCache } from "../../io/plan_cache.ts";
import { KubeError } from "../client.ts";
import type { Controller, ControllerOptions, Observed } from "./contract.ts";
import { NotLeader } from "./fenced_client.ts";
import { fleetsOn, targetOf } from "./fleet_targets.ts";
import { GATEWAY } from "./kinds.ts";
import { Leader } from "./leader.ts";
import { createLeadership, LEASE_TIMES, type LeaseTerm } from "./leadership.ts";
import { createNamespaceAdmission } from "./namespace_admission.ts";
import { createObservedObjects } from "./observed_objects.ts";
import { Planner } from "./planner.ts";

export type { Controller, ControllerOptions, Observe, Observed } from "./contract.ts";

/** Name of the Lease of the leader. */
const LEASE_NAME = "gw-controller";

/** From a status until the proxies surely have what it speaks of, in milliseconds. */
const SETTLE_TIME = 3_000;

/** How long changes of a fleet's APIs are gathered before they are counted, in milliseconds. */
const COUNT_AFTER = 1_000;

/** Makes a controller; it observes and plans from now on, and changes something only while it runs. */
export function createController(options: ControllerOptions): Controller {
  const { client, resources, observe, identity, log, now, acts = true, namespace = MOCKS.namespace } = options;
  const {
    mocks = { ...MOCKS, namespace },
    planCache = new PlanCache(),
    leaseTimes = LEASE_TIMES,
    settleTime = SETTLE_TIME,
  } = options;
  const { namespaces } = options;
  const isNamespace = (name: string): boolean => namespaces?.get("", name) !== undefined;
  /** What was complained of last, by key. */
  const complaints = new Map<string, string>();
  /** The fleets that each key was on when it was last looked at: what it says, and what stays in force. */
  const lastFleets = new Map<string, readonly FleetRef[]>();
  /** The identity and generation of each fleet, without its status, by key. */
  const fleetStates = new Map<string, string>();
  let gateways: Observed | undefined;
  let starting: Promise<unknown> | undefined;
  let leader: Leader | undefined;
  let isUnreachable = false;
  let isStopping = false;

  const leadership = createLeadership({
    client,
    namespace,
    name: LEASE_NAME,
    identity,
    times: leaseTimes,
    now,
    onChange: (term) => void (term === undefined ? end() : begin(term)),
    onError: (error) => complain("The Lease", error),
  });
  const admission = createNamespaceAdmission({ fleets: resources.fleet, namespaces });
  const plans = new Planner({
    resources,
    admission,
    planCache,
    findAcceptedState: findAcceptedStates(client),
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
  const observed = createObservedObjects({
    client,
    observe,
    onChange: add,
    onError: (error) => complain("An object of gw", error),
  });
  const stopFleets = resources.fleet.onChange((fleet, kind) => {
    const key = keyOf("Fleet", fleet);
    add(key);
    const { namespace = "", name, uid, generation, deletionTimestamp } = fleet.metadata;
    const state = kind === "deleted" ? undefined : `${uid} ${generation} ${deletionTimestamp}`;
    // A new status, mostly written by this controller, changes nothing for the APIs and routes on the fleet.
    if (state !== undefined && fleetStates.get(key) === state) return;
    if (state === undefined) fleetStates.delete(key);
    else fleetStates.set(key, state);
    for (const one of plans.membersOf({ namespace, name }).keys) add(one);
  });

  return {
    plansOf: (fleet) => plans.plansOf(fleet),
    rivalsOf: (plan) => plans.rivalsOf(plan),
    expect: (plan, warnings) => plans.expect(plan, warnings),
    apply: () => plans.idle(),
    refusalsOf(plan) {
      const target = targetOf(resources.fleet, plan.fleet);
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
    observed.stop();
    gateways?.stop();
  }

  /** Takes up the work of a term: everything is looked at once. */
  async function begin(term: LeaseTerm): Promise<void> {
    log.note(`This replica, ${identity}, leads: it brings the cluster to what APIs, fleets and static routes say.`);
    const { api, fleet, staticroute } = resources;
    const known = gateways ??= observe(client, GATEWAY, { onError: (error) => complain("Gateways", error) });
    starting ??= Promise.all([observed.start(), known.synced, plans.ready, namespaces?.synced]).then(() => {
      known.onChange((gateway) => {
        for (const key of fleetsOn(fleet, gateway)) add(key);
      });
    });
    await starting;
    if (term.signal.aborted || isStopping) return;
    leader = new Leader(term, {
      client,
      resources,
      gateways: known,
      observed,
      plans,
      admission,
      identity,
      now,
      mocks,
      isNamespace,
      settleTime,
      onDone,
      onError: complain,
    });
    for (const object of fleet.list()) add(keyOf("Fleet", object));
    for (const object of api.list()) add(keyOf("API", object));
    for (const object of staticroute.list()) add(keyOf("StaticRoute", object));
    // Objects may be left whose owner is gone.
    for (const owner of observed.owners()) add(owner);
  }

  async function end(): Promise<void> {
    const last = leader;
    leader = undefined;
    if (last === undefined) return;
    log.note(`This replica, ${identity}, leads no longer.`);
    await last.end();
  }

  function add(key: string): void {
    leader?.add(key);
  }

  function addLater(key: string, wait: number): void {
    leader?.addLater(key, wait);
  }

  function onDone(key: string): void {
    complaints.delete(key);
    if (isUnreachable) log.note("The API server answers again.");
    isUnreachable = false;
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
