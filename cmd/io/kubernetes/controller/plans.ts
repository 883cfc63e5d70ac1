import { createDeploymentCheck } from "../../../../lib/gateway/check_deployment.ts";
import { createNeighbourIndex, type NeighbourIndex } from "../../../../lib/gateway/kubernetes/neighbours.ts";
import type { KubernetesObject } from "../../../../lib/gateway/kubernetes/object.ts";
import { keyOfOwner, ownerOfKey } from "../../../../lib/gateway/kubernetes/owner.ts";
import { settle, type Settled } from "../../../../lib/gateway/kubernetes/settle.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../../../lib/gateway/route.ts";
import { conflictOf } from "../../../../lib/management/deployment.ts";
import { fleetReferred, isApiObject, isStaticRouteObject } from "../../../../lib/management/kubernetes/convert.ts";
import type { AcceptedPlan } from "../../../../lib/management/kubernetes/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../../../lib/management/kubernetes/custom_resource.ts";
import { acceptedWarnings } from "../../../../lib/management/kubernetes/route_status.ts";
import { acceptanceOf } from "../acceptance.ts";
import type { AcceptedStates } from "../accepted_states.ts";
import { createDefaultFleet } from "../default_fleet.ts";
import type { ControllerOptions } from "./contract.ts";
import { createExpectations } from "./expectations.ts";
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
  /** The keys of what is on a fleet, and of what would be. */
  keysOn(fleet: FleetRef): readonly string[];
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

/** Plans all APIs and static routes, and again when they change: each when its generation does. */
export function createPlans(
  { resources, check = createDeploymentCheck(), acceptedStateOf, admission, onChange, onError }: PlansOptions,
): Plans {
  const defaultFleet = createDefaultFleet(resources.fleet);
  const entries = new Map<string, Entry>();
  const settledFleets = new Map<string, ReadonlyMap<string, Settled>>();
  const neighbours = new Map<string, NeighbourIndex>();
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
  let working: Promise<void> | undefined;
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
      const settled = settledOn(fleet).get(key);
      const wanted = judgement.kind === "deployable" ? judgement.plan : undefined;
      const conflict = wanted === undefined || settled?.conflict === undefined
        ? undefined
        : conflictOf(wanted, [settled.conflict]);
      const last = accepted.get(key);
      const isOusted = last !== undefined && (!isAdmitted(key, last.plan.fleet) ||
        (isHeld(entry) && settledOn(last.plan.fleet).get(key)?.plan === undefined));
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
    plansOf(fleet) {
      return [...settledOn(fleet)].flatMap(([key, { plan }]) => {
        const held = heldOn(key, fleet);
        if (plan === undefined) return [];
        return held === undefined || held === plan ? [plan] : [plan, held];
      });
    },
    neighboursOf(key, fleet) {
      const settled = settledOn(fleet);
      return neighboursOn(fleet).of(key).flatMap((other) => settled.get(other)?.plan ?? []);
    },
    keysOn(fleet) {
      const name = qualifiedName(fleet);
      const there = [...entries].filter(([key, entry]) =>
        qualifiedName(entry.fleet) === name || heldOn(key, fleet) !== undefined
      );
      return [...there, ...[...leaving].filter(([, fleet]) => qualifiedName(fleet) === name)].map(([key]) => key);
    },
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
    await work();
    isReady = true;
    for (const key of entries.keys()) tell(key);
  }

  function see(object: KubernetesObject): void {
    dirty.add(keyOf(object));
    void work();
  }

  /** Which fleet is the default one may have changed. */
  function seeFleet(): void {
    for (const [key, { object, fleet }] of entries) {
      if (object.spec.fleet === undefined && qualifiedName(fleet) !== qualifiedName(fleetOf(object))) dirty.add(key);
    }
    void work();
  }

  /** Fleets may admit other namespaces than before. */
  function seeAdmission(): void {
    mayAdmitOthers = true;
    void work();
  }

  /** Settles the fleets anew that admit others, and tells whom that concerns. */
  function readmit(): void {
    mayAdmitOthers = false;
    for (const [key, { fleet }] of entries) {
      const before = admissions.get(key);
      if (noteAdmission(key) === before) continue;
      for (const one of [fleet, accepted.get(key)?.plan.fleet]) if (one !== undefined) unsettle(key, one);
      tell(key);
    }
  }

  function noteAdmission(key: string): string {
    const fleets = [entries.get(key)?.fleet, accepted.get(key)?.plan.fleet];
    const said = fleets.map((fleet) => fleet === undefined || isAdmitted(key, fleet)).join();
    admissions.set(key, said);
    return said;
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
      if ((dirty.size > 0 || mayAdmitOthers) && !isStopped) void work();
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
      admissions.delete(key);
      forget(key);
      if (before !== undefined) unsettle(key, before.fleet);
      return tell(key);
    }
    const fleet = fleetOf(object);
    if (before !== undefined && before.object.metadata.uid !== object.metadata.uid) forget(key);
    if (before !== undefined && isSameState(before, object, fleet)) {
      // Labels, annotations and status may be others; its definition isn't.
      entries.set(key, { ...before, object });
      if (acceptanceOf(before.object) !== acceptanceOf(object)) await takeAcceptance(key, before, object);
      return tell(key);
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
    noteAdmission(key);
    for (const other of [before?.fleet, accepted.get(key)?.plan.fleet]) {
      if (other !== undefined && qualifiedName(other) !== qualifiedName(fleet)) unsettle(key, other);
    }
    unsettle(key, fleet);
    tell(key);
  }

  /** The leader has looked at what an object says now. */
  async function takeAcceptance(key: string, before: Entry, object: ApiObject | StaticRouteObject): Promise<void> {
    if (acceptanceOf(object) === "accepted") {
      if (isHeld(before)) forget(key);
      else accepted.drop(key);
      return;
    }
    await accepted.lookUp(key, object);
    const last = accepted.get(key);
    if (last !== undefined) unsettle(key, last.plan.fleet);
  }

  function forget(key: string): void {
    const last = accepted.drop(key);
    if (last !== undefined) unsettle(key, last.plan.fleet);
  }

  async function lookUpAgain(key: string): Promise<void> {
    const object = observed(key);
    if (object === undefined || isStopped) return;
    await accepted.lookUp(key, object);
    const last = accepted.get(key);
    if (last === undefined) return;
    unsettle(key, last.plan.fleet);
    tell(key);
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

  /** Has what is in force on a fleet found anew, when somebody asks next. */
  function unsettle(key: string, fleet: FleetRef): void {
    const name = qualifiedName(fleet);
    const before = settledFleets.get(name);
    const affected = new Set(neighboursOn(fleet).of(key));
    settledFleets.delete(name);
    if (!isReady || before === undefined) return;
    const after = settledOn(fleet);
    for (const [other, { plan, conflict }] of after) {
      const known = before.get(other);
      if (known?.plan !== plan || known?.conflict !== conflict) affected.add(other);
    }
    for (const other of neighboursOn(fleet).of(key)) affected.add(other);
    affected.delete(key);
    for (const other of affected) tell(other);
  }

  function settledOn(fleet: FleetRef): ReadonlyMap<string, Settled> {
    const name = qualifiedName(fleet);
    const known = settledFleets.get(name);
    if (known !== undefined) return known;
    const candidates = [...entries].flatMap(([key, entry]) => {
      const isOn = qualifiedName(entry.fleet) === name;
      const last = accepted.get(key)?.plan;
      const isLastOn = last !== undefined && qualifiedName(last.fleet) === name && (isOn || isHeld(entry));
      // Without a place on the fleet nothing of it stands in the way of others.
      if ((!isOn && !isLastOn) || !isAdmitted(key, fleet)) return [];
      const plans = [
        ...(isOn && entry.judgement.kind === "deployable" ? [entry.judgement.plan] : []),
        ...(isLastOn ? [last] : []),
      ];
      return [{ key, age: entry.age, plans }];
    });
    const settled = settle(candidates);
    const index = neighboursOn(fleet);
    for (const key of index.keys()) if (!settled.has(key)) index.set(key, undefined);
    for (const [key, { plan }] of settled) index.set(key, plan);
    settledFleets.set(name, settled);
    return settled;
  }

  /** The plan of what was accepted of a key before, where that is in force on a fleet still. */
  function heldOn(key: string, fleet: FleetRef): RoutePlan | undefined {
    const plan = accepted.get(key)?.plan;
    const entry = entries.get(key);
    if (plan === undefined || entry === undefined || !isHeld(entry)) return undefined;
    return qualifiedName(plan.fleet) === qualifiedName(fleet) ? plan : undefined;
  }

  function neighboursOn(fleet: FleetRef): NeighbourIndex {
    const name = qualifiedName(fleet);
    const known = neighbours.get(name) ?? createNeighbourIndex();
    neighbours.set(name, known);
    return known;
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
