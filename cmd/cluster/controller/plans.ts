import { createDeploymentCheck } from "../../../lib/gateway/check_deployment.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { keyOfOwner, ownerOfKey } from "../../../lib/cluster/owner.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import { conflictOf } from "../../../lib/management/deployment.ts";
import { fleetReferred, isApiObject, isStaticRouteObject } from "../../../lib/cluster/convert.ts";
import type { AcceptedPlan } from "../../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { acceptedWarnings } from "../../../lib/cluster/status/route_status.ts";
import { acceptanceOf } from "../acceptance.ts";
import type { AcceptedStates } from "../accepted_states.ts";
import { createDefaultFleet } from "../default_fleet.ts";
import type { ControllerOptions } from "./contract.ts";
import { createExpectations } from "./expectations.ts";
import { createFleetPlans, type FleetMembers, type FleetPlans, type Membership } from "./fleet_plans.ts";
import { judge } from "./judge.ts";
import type { NamespaceAdmission } from "./namespace_admission.ts";
import { createLastAccepted, type JudgedObject } from "./last_accepted.ts";

/** An API or a static route as it is planned. */
export interface PlannedObject extends JudgedObject {
  readonly fleet: FleetRef;
  /** The plan of what it says now, where that can be deployed and nobody older stands in its way. */
  readonly plan: RoutePlan | undefined;
  /** What was accepted last, while what it says now isn't: it stays in force where that is refused. */
  readonly stays: AcceptedPlan | undefined;
  /** Whether somebody older has taken the place of what was accepted last. */
  readonly isOusted: boolean;
  /** Why what it says now isn't in force though it can be deployed: a sentence. */
  readonly conflict: string | undefined;
  /** Why its fleet doesn't admit its namespace: a sentence. */
  readonly notAdmitted: string | undefined;
}

/** Knows what all APIs and static routes want. */
export interface Plans {
  /** `undefined` while it isn't planned yet, or not there. */
  get(key: string): PlannedObject | undefined;
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** The plans in force on a fleet that may overlap with that of a key. */
  neighboursOf(key: string, fleet: FleetRef): readonly RoutePlan[];
  /** The plans in force on a plan's fleet that may exclude it. */
  rivalsOf(plan: RoutePlan): readonly RoutePlan[];
  /** What is on a fleet, and what would be. */
  membersOf(fleet: FleetRef): FleetMembers;
  expect(plan: RoutePlan, warnings: readonly string[]): void;
  /** Resolves when everything is planned that is observed now. */
  idle(): Promise<void>;
  /** Whether everything has been planned that there was at the start. */
  readonly isReady: boolean;
  /** When that is so. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** What planning needs. */
export interface PlansOptions extends Pick<ControllerOptions, "resources" | "check"> {
  /** Finds what stays in force of an object whose present state is refused, where nobody here has seen that accepted. */
  acceptedStateOf: AcceptedStates;
  admission: NamespaceAdmission;
  /** Told of what can't be found; it is tried again by itself. */
  onError: (key: string, error: unknown) => void;
  /** Told of each key whose plan, neighbours or conflict may have changed. */
  onChange: (key: string) => void;
}

interface Entry extends JudgedObject {
  readonly fleet: FleetRef;
  readonly age: string;
}

/** The plans of a fleet that nothing is on. */
const NOTHING: Omit<FleetPlans, "set"> = createFleetPlans();

/** Plans all APIs and static routes, and again when they change: each when its generation does. */
export function createPlans(
  { resources, check = createDeploymentCheck(), acceptedStateOf, admission, onChange, onError }: PlansOptions,
): Plans {
  const defaultFleet = createDefaultFleet(resources.fleet);
  const entries = new Map<string, Entry>();
  const fleetPlans = new Map<string, FleetPlans>();
  /** The fleets that each key is on, by name. */
  const places = new Map<string, ReadonlyMap<string, FleetRef>>();
  /** The fleets of what is on its way out, and still has objects on them. */
  const leaving = new Map<string, FleetRef>();
  const dirty = new Set<string>();
  /** What the fleets of each key said last of its namespace. */
  const admissions = new Map<string, string>();
  let mayAdmitOthers = false;
  const expected = createExpectations();
  const accepted = createLastAccepted({
    acceptedStateOf,
    judge: (object) => judge(object, fleetOf(object), { check }),
    onError,
    onRetry: (key) => void lookUpAgain(key),
  });
  /** The default fleet when a change of fleets was seen last. */
  let lastDefault = "";
  let working: Promise<void> | undefined;
  /** Whether all is known that plans are made of. */
  let isStarted = false;
  let isReady = false;
  let isStopped = false;

  const endings = [
    resources.api.onChange(see),
    resources.staticroute.onChange(see),
    resources.fleet.onChange(seeFleet),
    admission.onChange(seeAdmission),
  ];
  for (const object of [...resources.api.list(), ...resources.staticroute.list()]) dirty.add(keyOf(object));
  const ready = start();

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) return undefined;
      const { object, fleet, judgement } = entry;
      const settled = plansOn(fleet).settled(key);
      const wanted = judgement.kind === "deployable" ? judgement.plan : undefined;
      const conflict = wanted === undefined || settled?.conflict === undefined
        ? undefined
        : conflictOf(wanted, [settled.conflict]);
      const last = accepted.get(key);
      const isOusted = last !== undefined && (!isAdmitted(key, last.plan.fleet) ||
        (isHeld(entry) && plansOn(last.plan.fleet).settled(key)?.plan === undefined));
      return {
        object,
        fleet,
        judgement,
        plan: settled?.plan === wanted ? wanted : undefined,
        stays: isOusted ? undefined : last,
        isOusted,
        conflict,
        notAdmitted: admission.refusalOf(fleet, object.metadata.namespace ?? ""),
      };
    },
    plansOf: (fleet) => plansOn(fleet).plans(),
    neighboursOf: (key, fleet) => plansOn(fleet).neighboursOf(key),
    rivalsOf: (plan) => plansOn(plan.fleet).rivalsOf(plan),
    membersOf: plansOn,
    expect(plan, warnings) {
      expected.add(keyOfPlan(plan), { plan, warnings });
    },
    idle,
    get isReady() {
      return isReady;
    },
    ready,
    stop() {
      isStopped = true;
      for (const end of endings) end();
      accepted.stop();
    },
  };

  async function start(): Promise<void> {
    const { api, staticroute, fleet } = resources;
    await Promise.all([api.synced, staticroute.synced, fleet.synced, admission.synced]);
    isStarted = true;
    await work();
    if (mayAdmitOthers) readmit();
    isReady = true;
    for (const key of entries.keys()) tell(key);
  }

  function see(object: KubernetesObject): void {
    dirty.add(keyOf(object));
    if (isStarted) void work();
  }

  /** Which fleet is the default one may have changed. */
  function seeFleet(): void {
    const name = qualifiedName(defaultFleet());
    if (name === lastDefault) return;
    lastDefault = name;
    for (const [key, { object, fleet }] of entries) {
      if (object.spec.fleet === undefined && qualifiedName(fleet) !== qualifiedName(fleetOf(object))) dirty.add(key);
    }
    if (isStarted) void work();
  }

  /** Fleets may admit other namespaces than before. */
  function seeAdmission(): void {
    mayAdmitOthers = true;
    if (isReady) void work();
  }

  /** Places anew what fleets admit that they didn't, or the other way round. */
  function readmit(): void {
    mayAdmitOthers = false;
    for (const key of entries.keys()) if (admissionOf(key) !== admissions.get(key)) place(key);
  }

  /** What the fleets of a key say of its namespace. */
  function admissionOf(key: string): string {
    const fleets = [entries.get(key)?.fleet, accepted.get(key)?.plan.fleet];
    return fleets.map((fleet) => fleet === undefined || isAdmitted(key, fleet)).join();
  }

  function isAdmitted(key: string, fleet: FleetRef): boolean {
    return admission.refusalOf(fleet, ownerOfKey(key).namespace) === undefined;
  }

  async function idle(): Promise<void> {
    await work();
    await expected.wait();
  }

  function work(): Promise<void> {
    return working ??= planAll().finally(() => {
      working = undefined;
      if ((dirty.size > 0 || (mayAdmitOthers && isReady)) && !isStopped) void work();
    });
  }

  async function planAll(): Promise<void> {
    // A turn later, so that what changes together is planned together.
    await Promise.resolve();
    if (mayAdmitOthers && isReady) readmit();
    for (const key of dirty) {
      if (isStopped) return;
      dirty.delete(key);
      await planOne(key);
      // Requests and the renewal of the Lease go first.
      await new Promise((resolve) => setTimeout(resolve));
    }
    expected.wake();
  }

  async function planOne(key: string): Promise<void> {
    const before = entries.get(key);
    const object = observed(key);
    const last = objectOf(key);
    if (object === undefined && last !== undefined && isRouted(last)) leaving.set(key, fleetOf(last));
    else leaving.delete(key);
    if (object === undefined) {
      entries.delete(key);
      accepted.drop(key);
      return place(key);
    }
    const fleet = fleetOf(object);
    if (before !== undefined && before.object.metadata.uid !== object.metadata.uid) accepted.drop(key);
    if (before !== undefined && isSameState(before, object, fleet)) {
      // Labels, annotations and status may be others; its definition isn't.
      entries.set(key, { ...before, object });
      if (acceptanceOf(before.object) !== acceptanceOf(object)) await takeAcceptance(key, object);
      return place(key);
    }
    if (before !== undefined) accepted.remember(key, before, object);
    await accepted.lookUp(key, object);
    const judgement = await judge(object, fleet, {
      check,
      expected: expected.get(key),
      accepted: acceptedWarnings(object),
    });
    if (judgement.kind === "deployable" && expected.get(key)?.plan === judgement.plan) expected.meet(key);
    entries.set(key, { object, fleet, age: `${object.metadata.creationTimestamp ?? ""} ${key}`, judgement });
    place(key);
  }

  /** The leader has looked at what an object says now. */
  async function takeAcceptance(key: string, object: ApiObject | StaticRouteObject): Promise<void> {
    if (acceptanceOf(object) === "accepted") accepted.drop(key);
    else await accepted.lookUp(key, object);
  }

  async function lookUpAgain(key: string): Promise<void> {
    const object = observed(key);
    if (object === undefined || isStopped) return;
    await accepted.lookUp(key, object);
    if (accepted.get(key) !== undefined) place(key);
  }

  /** Until everything is known, nothing is to be done about anything. */
  function tell(key: string): void {
    if (isReady) onChange(key);
  }

  /** The object of a key, unless it is gone or on its way out. */
  function observed(key: string): ApiObject | StaticRouteObject | undefined {
    const object = objectOf(key);
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return undefined;
    return isRouted(object) ? object : undefined;
  }

  function objectOf(key: string): KubernetesObject | undefined {
    const { kind, namespace, name } = ownerOfKey(key);
    return (kind === "API" ? resources.api : resources.staticroute).get(namespace, name);
  }

  /** Puts what a key has in force onto its fleets, and tells of it and of all that this bears on. */
  function place(key: string): void {
    const now = placesOf(key);
    const affected = new Set<string>();
    for (const [name, fleet] of new Map([...places.get(key) ?? [], ...now])) {
      const membership = now.has(name) ? membershipOn(key, fleet) : undefined;
      const plans = fleetPlans.get(name) ?? createFleetPlans();
      for (const other of plans.set(key, membership)) affected.add(other);
      if (plans.keys.size === 0) fleetPlans.delete(name);
      else fleetPlans.set(name, plans);
    }
    if (now.size === 0) places.delete(key);
    else places.set(key, now);
    if (entries.has(key)) admissions.set(key, admissionOf(key));
    else admissions.delete(key);
    tell(key);
    for (const other of affected) if (other !== key) tell(other);
  }

  /** The fleets that a key is on: by what it says, by what stays in force of it, and by the objects it still has. */
  function placesOf(key: string): Map<string, FleetRef> {
    const entry = entries.get(key);
    const last = accepted.get(key)?.plan;
    const isLastHeld = entry !== undefined && isHeld(entry);
    const fleets = [entry?.fleet, isLastHeld ? last?.fleet : undefined, leaving.get(key)];
    // Without a place on the fleet nothing of it stands in the way of others.
    const admitting = fleets.filter((fleet) => fleet !== undefined).filter((fleet) => isAdmitted(key, fleet));
    return new Map(admitting.map((fleet) => [qualifiedName(fleet), fleet]));
  }

  function membershipOn(key: string, fleet: FleetRef): Membership {
    const name = qualifiedName(fleet);
    const entry = entries.get(key);
    const last = accepted.get(key)?.plan;
    if (entry === undefined) return { key, age: "", plans: [], held: undefined };
    const wanted = entry.judgement.kind === "deployable" ? entry.judgement.plan : undefined;
    const plans = [wanted, last].filter((plan) => plan !== undefined)
      .filter((plan) => qualifiedName(plan.fleet) === name);
    const held = isHeld(entry) && last !== undefined && qualifiedName(last.fleet) === name ? last : undefined;
    return { key, age: entry.age, plans, held };
  }

  /** Keeps nothing for a fleet that nothing is on: the objects that a webhook reviews may name any. */
  function plansOn(fleet: FleetRef): Omit<FleetPlans, "set"> {
    return fleetPlans.get(qualifiedName(fleet)) ?? NOTHING;
  }

  function fleetOf(object: ApiObject | StaticRouteObject): FleetRef {
    return fleetReferred(object, defaultFleet());
  }
}

/** Whether what was accepted before goes on being in force, because what was written since is refused. */
function isHeld({ object, judgement }: Entry): boolean {
  return judgement.kind === "refused" || acceptanceOf(object) === "refused";
}

function isRouted(object: KubernetesObject): object is ApiObject | StaticRouteObject {
  return isApiObject(object) || isStaticRouteObject(object);
}

function keyOf(object: KubernetesObject): string {
  const { namespace = "", name } = object.metadata;
  return keyOfOwner({ kind: isApiObject(object) ? "API" : "StaticRoute", namespace, name });
}

function keyOfPlan({ kind, namespace, name }: RoutePlan): string {
  return keyOfOwner({ kind: kind === "api" ? "API" : "StaticRoute", namespace, name });
}

function isSameState(before: Entry, { metadata }: KubernetesObject, fleet: FleetRef): boolean {
  const { uid, generation } = before.object.metadata;
  return metadata.uid === uid && metadata.generation === generation &&
    qualifiedName(before.fleet) === qualifiedName(fleet);
}
