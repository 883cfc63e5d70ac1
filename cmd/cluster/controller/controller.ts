/**
 * The controller reconciles APIs, fleets (proxies that share listeners) and static routes (hosts sent to an upstream
 * without a definition):
 *
 * ```text
 * informers -> plans -> work queue -> reconcilers -> objects written -> statuses
 * ```
 *
 * Every replica makes plans, since its management API needs them. Only the leader changes the cluster.
 *
 * @module
 */
import { MOCKS } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner, type OwnerKind } from "../../../lib/cluster/owner.ts";
import { type Mocks, renderGatewayApi } from "../../../lib/cluster/translate/render.ts";
import type { FleetRef, RoutePlan } from "../../../lib/gateway/route.ts";
import type { UnlocatedDiagnostic } from "../../../lib/openapi/diagnostic.ts";
import { messageOf } from "../../../lib/http/message.ts";
import { findAcceptedStates } from "../accepted_states.ts";
import { PlanCache } from "../../io/gateway/plan_cache.ts";
import { KubeError } from "../client.ts";
import type { Controller, ControllerOptions, Observed } from "./contract.ts";
import { NotLeader } from "./fenced_client.ts";
import { fleetsOn, fleetTarget } from "./fleet_targets.ts";
import { GATEWAY } from "./kinds.ts";
import { Leader } from "./leader.ts";
import { Leadership, LEASE_TIMES, type LeaseTerm } from "./leadership.ts";
import { createNamespaceAdmission, type NamespaceAdmission } from "./namespace_admission.ts";
import { ObservedObjects } from "./observed_objects.ts";
import { Planner } from "./planner.ts";

export type { Controller, ControllerOptions, Observe, Observed } from "./contract.ts";

const LEASE_NAME = "gw-controller";

/**
 * The time from a status of the gateway that accepts an object until all proxies have the object's configuration, in
 * milliseconds.
 */
const SETTLE_TIME = 3_000;

/**
 * The delay between a change of the APIs on a fleet and the update of their number in the fleet's status, in
 * milliseconds. Changes in that time cause one update only.
 */
const MEMBER_COUNT_DELAY = 1_000;

/** Makes a controller. It makes plans from now on, but changes the cluster only while `run` is in progress. */
export function createController(options: ControllerOptions): Controller {
  return new ClusterController(options);
}

class ClusterController implements Controller {
  readonly oauth2 = true;
  readonly #options: ControllerOptions;
  readonly #mocks: Mocks;
  readonly #leadership: Leadership;
  readonly #admission: NamespaceAdmission;
  readonly #plans: Planner;
  readonly #observed: ObservedObjects;
  readonly #stopFleets: () => void;
  /** The error that was last logged for each owner or subject. Repeated errors are not logged. */
  readonly #loggedErrors = new Map<string, string>();
  /**
   * The fleets that each API and static route was on at its last change: the fleet in its `spec`, and that of its last
   * accepted plan.
   */
  readonly #lastFleets = new Map<string, readonly FleetRef[]>();
  /** The `uid`, `generation` and deletion time of each fleet, to recognise changes of the status alone. */
  readonly #fleetStates = new Map<string, string>();
  #gateways: Observed | undefined;
  #synced: Promise<unknown> | undefined;
  #leader: Leader | undefined;
  #isUnreachable = false;
  #isStopping = false;

  constructor(options: ControllerOptions) {
    const { client, resources, observe, identity, now, namespace = MOCKS.namespace, namespaces } = options;
    this.#options = options;
    this.#mocks = options.mocks ?? { ...MOCKS, namespace };
    this.#leadership = new Leadership({
      client,
      namespace,
      name: LEASE_NAME,
      identity,
      times: options.leaseTimes ?? LEASE_TIMES,
      now,
      onChange: (term) => void (term === undefined ? this.#end() : this.#begin(term)),
      onError: (error) => this.#logError("The Lease", error),
    });
    this.#admission = createNamespaceAdmission({ fleets: resources.fleet, namespaces });
    this.#plans = new Planner({
      resources,
      admission: this.#admission,
      planCache: options.planCache ?? new PlanCache(),
      findAcceptedState: findAcceptedStates(client),
      onError: (key, error) => this.#logError(`The last accepted state of ${key}`, error),
      onChange: (key) => this.#onPlanned(key),
    });
    this.#observed = new ObservedObjects({
      client,
      observe,
      onChange: (owner) => this.#add(owner),
      onError: (error) => this.#logError("An object of gw", error),
    });
    this.#stopFleets = resources.fleet.onChange((fleet, kind) => this.#onFleetChange(fleet, kind));
  }

  plansOf(fleet: FleetRef): readonly RoutePlan[] {
    return this.#plans.plansOf(fleet);
  }

  rivalsOf(plan: RoutePlan): readonly RoutePlan[] {
    return this.#plans.rivalsOf(plan);
  }

  expect(plan: RoutePlan, warnings: readonly string[]): void {
    this.#plans.expect(plan, warnings);
  }

  apply(): Promise<void> {
    return this.#plans.idle();
  }

  refusalsOf(plan: RoutePlan): readonly UnlocatedDiagnostic[] {
    const target = fleetTarget(this.#options.resources.fleet, plan.fleet);
    if (target === undefined) return [];
    return renderGatewayApi(plan, { ...target, mocks: this.#mocks, isNamespace: this.#isNamespace }).diagnostics;
  }

  get isReady(): boolean {
    return this.#plans.isReady;
  }

  get isLeader(): boolean {
    return this.#leadership.isLeader;
  }

  async run(signal: AbortSignal): Promise<void> {
    const leaving = new AbortController();
    const leading = this.#options.acts ?? true ? this.#leadership.run(leaving.signal) : Promise.resolve();
    await aborted(signal);
    this.#isStopping = true;
    await this.#end();
    // All requests of this replica have ended, so the Lease may be released.
    leaving.abort();
    await leading;
    this.#stopFleets();
    this.#plans.stop();
    this.#observed.stop();
    this.#gateways?.stop();
  }

  readonly #isNamespace = (name: string): boolean => this.#options.namespaces?.get("", name) !== undefined;

  /** Starts a term of leadership: each API, static route and fleet is reconciled once. */
  async #begin(term: LeaseTerm): Promise<void> {
    const { client, resources, identity, log, now, settleTime = SETTLE_TIME } = this.#options;
    log.note(`This replica, ${identity}, leads: it brings the cluster to what APIs, fleets and static routes say.`);
    const gateways = await this.#sync();
    if (term.signal.aborted || this.#isStopping) return;
    this.#leader = new Leader(term, {
      client,
      resources,
      gateways,
      observed: this.#observed,
      plans: this.#plans,
      admission: this.#admission,
      identity,
      now,
      mocks: this.#mocks,
      isNamespace: this.#isNamespace,
      settleTime,
      onDone: (key) => this.#onDone(key),
      onError: (key, error) => this.#logError(key, error),
    });
    for (const object of resources.fleet.list()) this.#add(keyOf("Fleet", object));
    for (const object of resources.api.list()) this.#add(keyOf("API", object));
    for (const object of resources.staticroute.list()) this.#add(keyOf("StaticRoute", object));
    // The owners of objects that gw has made are reconciled, too. If an owner no longer exists, its objects are
    // removed.
    for (const owner of this.#observed.owners()) this.#add(owner);
  }

  /** Starts the informers of Gateways and of gw's objects in the first term. Later terms use them again. */
  async #sync(): Promise<Observed> {
    const { client, resources, observe, namespaces } = this.#options;
    const gateways = this.#gateways ??= observe(client, GATEWAY, {
      onError: (error) => this.#logError("Gateways", error),
    });
    this.#synced ??= Promise.all([this.#observed.start(), gateways.synced, this.#plans.ready, namespaces?.synced])
      .then(() => {
        gateways.onChange((gateway) => {
          for (const key of fleetsOn(resources.fleet, gateway)) this.#add(key);
        });
      });
    await this.#synced;
    return gateways;
  }

  /** Ends the term of leadership. Resolves when no reconciliation is in progress. */
  async #end(): Promise<void> {
    const last = this.#leader;
    this.#leader = undefined;
    if (last === undefined) return;
    this.#options.log.note(`This replica, ${this.#options.identity}, leads no longer.`);
    await last.end();
  }

  #onPlanned(key: string): void {
    this.#add(key);
    const planned = this.#plans.get(key);
    const fleets = planned === undefined ? [] : [planned.fleet, ...(planned.stays ? [planned.stays.plan.fleet] : [])];
    for (const fleet of [...fleets, ...this.#lastFleets.get(key) ?? []]) {
      this.#leader?.addLater(keyOfOwner({ kind: "Fleet", ...fleet }), MEMBER_COUNT_DELAY);
    }
    if (planned === undefined) this.#lastFleets.delete(key);
    else this.#lastFleets.set(key, fleets);
  }

  #onFleetChange(fleet: KubernetesObject, kind: "set" | "deleted"): void {
    const key = keyOf("Fleet", fleet);
    this.#add(key);
    const { namespace = "", name, uid, generation, deletionTimestamp } = fleet.metadata;
    const state = kind === "deleted" ? undefined : `${uid} ${generation} ${deletionTimestamp}`;
    // A change of a fleet's status doesn't affect its APIs and static routes, and mostly comes from this controller.
    if (state !== undefined && this.#fleetStates.get(key) === state) return;
    if (state === undefined) this.#fleetStates.delete(key);
    else this.#fleetStates.set(key, state);
    for (const member of this.#plans.membersOf({ namespace, name }).keys) this.#add(member);
  }

  #add(key: string): void {
    this.#leader?.add(key);
  }

  #onDone(key: string): void {
    this.#loggedErrors.delete(key);
    if (this.#isUnreachable) this.#options.log.note("The API server answers again.");
    this.#isUnreachable = false;
  }

  /** Logs an error, unless the last error of its subject was equal. */
  #logError(key: string, error: unknown): void {
    if (error instanceof NotLeader || this.#isStopping) return;
    const { log } = this.#options;
    const message = messageOf(error);
    if (error instanceof KubeError && error.status === 0) {
      if (!this.#isUnreachable) log.complain(`${message} Nothing in the cluster is changed until it answers.`);
      this.#isUnreachable = true;
      return;
    }
    // On a conflict (409), another client has written the object first. The work queue tries again with the newer
    // object.
    if (error instanceof KubeError && error.status === 409) return;
    if (this.#loggedErrors.get(key) === message) return;
    this.#loggedErrors.set(key, message);
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
