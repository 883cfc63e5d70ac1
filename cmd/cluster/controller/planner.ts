import type { AcceptedPlan } from "../../../lib/cluster/accepted_revision.ts";
import { fleetReferred } from "../../../lib/cluster/convert.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { ownerOfKey } from "../../../lib/cluster/owner.ts";
import { acceptanceOfSpec, acceptedWarnings } from "../../../lib/cluster/status/route_status.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { conflictOf } from "../../../lib/management/deployment.ts";
import type { CheckedPlan, PlanCache } from "../../io/gateway/plan_cache.ts";
import { sleep } from "../../io/sleep.ts";
import type { FindAcceptedState } from "../accepted_states.ts";
import { createDefaultFleet } from "../default_fleet.ts";
import { specVersionOf } from "../resource_version.ts";
import {
  definitionNameOf,
  definitionOfKey,
  hasDefinition,
  keyOfDefinition,
  storedDefinitionOf,
} from "../stored_definition.ts";
import type { ControllerOptions } from "./contract.ts";
import { Expectations } from "./expectations.ts";
import type { FleetMembers } from "./fleet_plans.ts";
import { type CheckedObject, LastAccepted } from "./last_accepted.ts";
import type { NamespaceAdmission } from "./namespace_admission.ts";
import { isHeld, type Placement, type PlacementEntry, Placements, placementsOf } from "./placements.ts";

/** An API or static route with its plans. */
export interface PlannedObject extends CheckedObject {
  readonly fleet: FleetRef;
  /**
   * The plan of the present `spec`; `undefined` if this `spec` is refused, or if an older API or static route has
   * claimed one of its routes.
   */
  readonly plan: RoutePlan | undefined;
  /**
   * The last accepted plan, until the status tells that the present `spec` is accepted. If the present `spec` is
   * refused, this plan stays in force.
   */
  readonly stays: AcceptedPlan | undefined;
  /**
   * Whether the last accepted plan can't stay in force: an older API or static route has claimed one of its routes, or
   * its fleet no longer admits its namespace.
   */
  readonly isDisplaced: boolean;
  /** The conflict because of which a valid `spec` isn't in force, as a sentence. */
  readonly conflict: string | undefined;
  /** The reason why the fleet in the `spec` doesn't admit the namespace, as a sentence; `undefined` if it does. */
  readonly notAdmitted: string | undefined;
}

/** Options of {@linkcode Planner}. */
export interface PlannerOptions extends Pick<ControllerOptions, "resources"> {
  planCache: PlanCache;
  findAcceptedState: FindAcceptedState;
  admission: NamespaceAdmission;
  /** Called if the last accepted plan can't be read. The planner tries again. */
  onError: (key: string, error: unknown) => void;
  /**
   * Called with the key of each API and static route whose plan, conflict or neighbours (plans that may overlap its
   * plan) may have changed.
   */
  onChange: (key: string) => void;
}

/**
 * Plans all APIs and static routes, and plans each again when it changes. Resolves conflicts between the plans of a
 * fleet. Its keys are of the form `API shop/todo`.
 */
export class Planner {
  readonly #resources: ControllerOptions["resources"];
  readonly #planCache: PlanCache;
  readonly #admission: NamespaceAdmission;
  readonly #onChange: (key: string) => void;
  readonly #defaultFleet: () => FleetRef;
  readonly #accepted: LastAccepted;
  readonly #expected = new Expectations();
  readonly #placements = new Placements();
  readonly #entries = new Map<string, PlacementEntry>();
  /** The fleets of APIs and static routes that are being deleted and still have routes there. */
  readonly #leaving = new Map<string, FleetRef>();
  /** The keys of changed APIs and static routes that are to be planned. */
  readonly #dirty = new Set<string>();
  /**
   * For each API and static route: which of its fleets admitted its namespace when its plans were last put onto them.
   */
  readonly #admissions = new Map<string, string>();
  readonly #unsubscribe: readonly (() => void)[];
  #hasNewAdmissions = false;
  /** The default fleet at the last change of any fleet. */
  #lastDefault = "";
  #working: Promise<void> | undefined;
  #isStarted = false;
  #isReady = false;
  #isStopped = false;
  /** Resolves when all APIs and static routes that existed at the start are planned. */
  readonly ready: Promise<void>;

  constructor({ resources, planCache, findAcceptedState, admission, onChange, onError }: PlannerOptions) {
    this.#resources = resources;
    this.#planCache = planCache;
    this.#admission = admission;
    this.#onChange = onChange;
    this.#defaultFleet = createDefaultFleet(resources.fleet);
    this.#accepted = new LastAccepted({
      find: findAcceptedState,
      check: (object) => planCache.uncached(storedDefinitionOf(object, this.#fleetOf(object))).check(),
      onError,
      onRetry: (key) => void this.#lookUpAgain(key),
    });
    const take = (object: KubernetesObject): void => this.#take(object);
    this.#unsubscribe = [
      resources.api.onChange(take),
      resources.staticroute.onChange(take),
      resources.fleet.onChange(() => this.#takeFleet()),
      admission.onChange(() => this.#takeAdmission()),
    ];
    for (const object of [...resources.api.list(), ...resources.staticroute.list()]) {
      this.#dirty.add(keyOfDefinition(definitionNameOf(object)));
    }
    this.ready = this.#start();
  }

  /** Returns an API or static route with its plans; `undefined` if it doesn't exist or isn't planned yet. */
  get(key: string): PlannedObject | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const { object, fleet, checked } = entry;
    const resolved = this.#placements.on(fleet).resolutionOf(key);
    const wanted = checked.kind === "deployable" ? checked.plan : undefined;
    const conflict = wanted === undefined || resolved?.conflict === undefined
      ? undefined
      : conflictOf(wanted, [resolved.conflict]);
    const last = this.#accepted.get(key);
    const isDisplaced = last !== undefined && (!this.#isAdmitted(key, last.plan.fleet) ||
      (isHeld(entry) && this.#placements.planOf(key, last.plan.fleet) === undefined));
    return {
      object,
      fleet,
      checked,
      plan: resolved?.plan === wanted ? wanted : undefined,
      stays: isDisplaced ? undefined : last,
      isDisplaced,
      conflict,
      notAdmitted: this.#admission.refusalOf(fleet, object.metadata.namespace ?? ""),
    };
  }

  /** Lists the plans of a fleet that are in force. */
  plansOf(fleet: FleetRef): readonly RoutePlan[] {
    return this.#placements.on(fleet).plans();
  }

  /** Lists the plans in force on a fleet that may overlap the plan of an API or static route. */
  neighboursOf(key: string, fleet: FleetRef): readonly RoutePlan[] {
    return this.#placements.on(fleet).neighboursOf(key);
  }

  /** Lists the plans in force that may conflict with a plan of the same fleet. */
  rivalsOf(plan: RoutePlan): readonly RoutePlan[] {
    return this.#placements.on(plan.fleet).rivalsOf(plan);
  }

  /** Returns the APIs and static routes on a fleet, also those without a plan in force there. */
  membersOf(fleet: FleetRef): FleetMembers {
    return this.#placements.on(fleet);
  }

  /**
   * Caches the plan of a definition that is about to be stored, with its warnings, so that the definition isn't planned
   * a second time.
   */
  expect(plan: RoutePlan, warnings: readonly string[]): void {
    this.#planCache.expect(plan, warnings);
    this.#expected.add(keyOfDefinition(plan), plan);
  }

  /** Resolves when all changes that the informers have received are planned, and all expected plans are made. */
  async idle(): Promise<void> {
    await this.#work();
    await this.#expected.wait();
    this.#planCache.expectNothing();
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  stop(): void {
    this.#isStopped = true;
    for (const end of this.#unsubscribe) end();
    this.#accepted.stop();
  }

  async #start(): Promise<void> {
    const { api, staticroute, fleet } = this.#resources;
    await Promise.all([api.synced, staticroute.synced, fleet.synced, this.#admission.synced]);
    this.#isStarted = true;
    await this.#work();
    if (this.#hasNewAdmissions) this.#readmit();
    this.#isReady = true;
    for (const key of this.#entries.keys()) this.#tell(key);
  }

  #take(object: KubernetesObject): void {
    this.#dirty.add(keyOfDefinition(definitionNameOf(object)));
    if (this.#isStarted) void this.#work();
  }

  /** If the default fleet has changed, plans all APIs and static routes again that name no fleet. */
  #takeFleet(): void {
    const name = qualifiedName(this.#defaultFleet());
    if (name === this.#lastDefault) return;
    this.#lastDefault = name;
    for (const [key, { object, fleet }] of this.#entries) {
      if (object.spec.fleet === undefined && qualifiedName(fleet) !== name) this.#dirty.add(key);
    }
    if (this.#isStarted) void this.#work();
  }

  /** Called when fleets may admit other namespaces than before. Plans are then put onto their fleets again. */
  #takeAdmission(): void {
    this.#hasNewAdmissions = true;
    if (this.#isReady) void this.#work();
  }

  /**
   * Puts the plans of APIs and static routes onto their fleets again, if these now admit their namespace and didn't
   * before, or the other way round.
   */
  #readmit(): void {
    this.#hasNewAdmissions = false;
    for (const key of this.#entries.keys()) {
      if (this.#admissionOf(key) !== this.#admissions.get(key)) this.#place(key);
    }
  }

  /**
   * Returns as a text which fleets of an API or static route admit its namespace, to compare it with an earlier text.
   */
  #admissionOf(key: string): string {
    const fleets = [this.#entries.get(key)?.fleet, this.#accepted.get(key)?.plan.fleet];
    return fleets.map((fleet) => fleet === undefined || this.#isAdmitted(key, fleet)).join();
  }

  #isAdmitted(key: string, fleet: FleetRef): boolean {
    return this.#admission.refusalOf(fleet, ownerOfKey(key).namespace) === undefined;
  }

  #work(): Promise<void> {
    return this.#working ??= this.#planAll().finally(() => {
      this.#working = undefined;
      const isMoreToDo = this.#dirty.size > 0 || (this.#hasNewAdmissions && this.#isReady);
      if (isMoreToDo && !this.#isStopped) void this.#work();
    });
  }

  async #planAll(): Promise<void> {
    // Changes that arrive together are collected here, and planned together.
    await Promise.resolve();
    if (this.#hasNewAdmissions && this.#isReady) this.#readmit();
    for (const key of this.#dirty) {
      if (this.#isStopped) return;
      this.#dirty.delete(key);
      await this.#plan(key);
      // Requests and the renewal of the Lease take precedence. If an object changes several times meanwhile, it is
      // planned once.
      await sleep();
    }
    this.#expected.wake();
  }

  async #plan(key: string): Promise<void> {
    const before = this.#entries.get(key);
    const last = this.#objectOf(key);
    const isLeaving = last?.metadata.deletionTimestamp !== undefined;
    if (last !== undefined && isLeaving) this.#leaving.set(key, this.#fleetOf(last));
    else this.#leaving.delete(key);
    if (last === undefined || isLeaving) {
      this.#entries.delete(key);
      this.#accepted.drop(key);
      this.#planCache.delete(definitionOfKey(key));
      return this.#place(key);
    }
    const object = last;
    const fleet = this.#fleetOf(object);
    if (before !== undefined && before.object.metadata.uid !== object.metadata.uid) this.#accepted.drop(key);
    if (before !== undefined && isSameState(before, object, fleet)) {
      // Only labels, annotations or the status have changed.
      this.#entries.set(key, { ...before, object });
      if (acceptanceOfSpec(before.object) !== acceptanceOfSpec(object)) await this.#takeAcceptance(key, object);
      return this.#place(key);
    }
    if (before !== undefined) this.#accepted.remember(key, before, object);
    await this.#accepted.lookUp(key, object);
    const checked = await this.#check(object, fleet);
    if (checked.kind === "deployable") this.#expected.meet(key, checked.plan);
    this.#entries.set(key, { object, fleet, age: `${object.metadata.creationTimestamp ?? ""} ${key}`, checked });
    this.#place(key);
  }

  /**
   * Checks the definition of an API or static route. If its status tells that the present `spec` is accepted, an
   * earlier check has found no errors, and only its warnings are read from the status.
   */
  #check(object: ApiObject | StaticRouteObject, fleet: FleetRef): Promise<CheckedPlan> {
    const planned = this.#planCache.get(storedDefinitionOf(object, fleet));
    const warnings = acceptedWarnings(object);
    return warnings === undefined ? planned.check() : planned.trust(warnings);
  }

  /**
   * Updates the last accepted plan after the leader has accepted or refused the present `spec`: drops the plan, or
   * looks it up.
   */
  async #takeAcceptance(key: string, object: ApiObject | StaticRouteObject): Promise<void> {
    if (acceptanceOfSpec(object) === "accepted") this.#accepted.drop(key);
    else await this.#accepted.lookUp(key, object);
  }

  async #lookUpAgain(key: string): Promise<void> {
    const object = this.#objectOf(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined || this.#isStopped) return;
    await this.#accepted.lookUp(key, object);
    if (this.#accepted.get(key) !== undefined) this.#place(key);
  }

  /**
   * Reports a change of an API or static route, but only after everything is planned. Otherwise the leader could change
   * the cluster while plans are missing.
   */
  #tell(key: string): void {
    if (this.#isReady) this.#onChange(key);
  }

  #objectOf(key: string): ApiObject | StaticRouteObject | undefined {
    const { kind, namespace, name } = ownerOfKey(key);
    const object = (kind === "API" ? this.#resources.api : this.#resources.staticroute).get(namespace, name);
    return object !== undefined && hasDefinition(object) ? object : undefined;
  }

  /**
   * Puts the plans of an API or static route onto its fleets. Reports the change for it and for all that it affects.
   */
  #place(key: string): void {
    const affected = this.#placements.place(key, this.#placementsOf(key));
    if (this.#entries.has(key)) this.#admissions.set(key, this.#admissionOf(key));
    else this.#admissions.delete(key);
    this.#tell(key);
    for (const other of affected) this.#tell(other);
  }

  #placementsOf(key: string): Placement[] {
    const last = this.#accepted.get(key)?.plan;
    // A fleet that doesn't admit the namespace doesn't get the plan, which would exclude other plans there.
    return placementsOf(key, { entry: this.#entries.get(key), last, leaving: this.#leaving.get(key) })
      .filter(({ fleet }) => this.#isAdmitted(key, fleet));
  }

  #fleetOf(object: ApiObject | StaticRouteObject): FleetRef {
    return fleetReferred(object, this.#defaultFleet());
  }
}

function isSameState(before: PlacementEntry, object: KubernetesObject, fleet: FleetRef): boolean {
  return specVersionOf(before.object) === specVersionOf(object) && qualifiedName(before.fleet) === qualifiedName(fleet);
}
