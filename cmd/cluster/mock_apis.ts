import { createDeploymentCheck } from "../../lib/gateway/check_deployment.ts";
import { createFleetChecks, type FleetCheck } from "../../lib/cluster/check_service.ts";
import { type MockedApi, MOCKS_PLATFORM, planMocks } from "../../lib/cluster/mock_service.ts";
import { createGateways, type Gateway } from "../../lib/gateway/embedded/gateway.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import type { FleetRef, RoutePlan } from "../../lib/gateway/route.ts";
import { isApiObject } from "../../lib/cluster/convert.ts";
import type { ApiObject } from "../../lib/cluster/custom_resource.ts";
import type { Log } from "../io/log.ts";
import { messageOf } from "../../lib/http/message.ts";
import { createDefaultFleet } from "./default_fleet.ts";
import type { Informer } from "./informer.ts";
import { acceptanceOf } from "./acceptance.ts";
import type { AcceptedStates } from "./accepted_states.ts";
import { ageOf, fleetOf, keyOf } from "./mock_objects.ts";
import { planApi } from "./mock_plan.ts";

/** What the mocks need of a cluster. */
export interface MockApisOptions {
  apis: Informer;
  /** They tell which fleet is meant by APIs that name none. */
  fleets: Informer;
  /** Finds what stays in force of an API of which an edit is refused. Default: only what was answered here before. */
  acceptedStateOf?: AcceptedStates;
  /** Told of what changes, and of what is wrong with an API; the others are answered all the same. */
  log: Pick<Log, "note" | "complain">;
  /** How long an operation that got an upstream goes on being mocked, in milliseconds. Default: 30 seconds. */
  overlap?: number;
}

/** The APIs of a cluster, planned. */
export interface MockApis {
  /** Finds what answers for an API; waits for one that is being read for the first time. */
  find(api: string): MockedApi | Promise<MockedApi>;
  /** Finds what checks the requests to a fleet; `undefined` where nothing is deployed to it. */
  checkOf(fleet: FleetRef): FleetCheck | undefined;
  /** How many APIs are answered. */
  readonly size: number;
  /** Whether all APIs that there were at the start are planned. */
  readonly isReady: boolean;
  /** Resolves when they are. */
  readonly ready: Promise<void>;
  stop(): void;
}

/** An API that is answered. */
interface Served {
  /** What its plan was made of: another `spec`, or another fleet, has another version. */
  readonly version: string;
  /** Sorts by age. */
  readonly age: string;
  readonly plan: RoutePlan;
  /** What of it is answered, and what is answered still. */
  mocked: RoutePlan;
  gateway: Gateway;
  /** What was answered before, for as long as it may be needed. */
  before: Served | undefined;
}

/** Longest that requests may come by a route from before a change, in milliseconds. */
const OVERLAP = 30_000;

/** When it is looked again for what stays in force, after that has failed, in milliseconds. */
const LOOK_AGAIN = 5_000;

/**
 * Plans the APIs of a cluster, one after the other, and again whenever one changes. What is answered stays as it is until
 * the new plan is there, and where a change is refused. What the controller refuses is answered as it was accepted last,
 * whoever has seen that or not.
 */
export function createMockApis(options: MockApisOptions): MockApis {
  const { apis, fleets, acceptedStateOf = () => Promise.resolve(undefined), log, overlap = OVERLAP } = options;
  const served = new Map<string, Served>();
  /** The versions that are refused. */
  const refused = new Map<string, string>();
  /** The versions that the controller refuses, where it has been looked for what was accepted before. */
  const lookedUp = new Map<string, string>();
  /** APIs that are to be planned, and who waits for that. */
  const queue = new Map<string, PromiseWithResolvers<void>>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const defaultFleet = createDefaultFleet(fleets);
  const createGateway = createGateways(MOCKS_PLATFORM);
  const createChecks = createFleetChecks();
  const checkDeployment = createDeploymentCheck();
  /** What checks requests, by fleet: made when somebody asks for the first time after a change. */
  const checks = new Map<string, FleetCheck>();
  const { promise: ready, resolve: becomeReady } = Promise.withResolvers<void>();
  let working: Promise<void> | undefined;
  let isReady = false;
  let isStopped = false;
  const unsubscribe = [
    apis.onChange((object, kind) => kind === "deleted" ? remove(keyOf(object)) : take(object)),
    fleets.onChange(takeAll),
  ];
  void start();

  return {
    find(api) {
      const known = served.get(api);
      if (known !== undefined) return known.gateway;
      if (!isReady) return "starting";
      return queue.get(api)?.promise.then(() => served.get(api)?.gateway ?? "unknown") ?? "unknown";
    },
    checkOf,
    get size() {
      return served.size;
    },
    get isReady() {
      return isReady;
    },
    ready,
    stop() {
      isStopped = true;
      for (const end of unsubscribe) end();
      for (const timer of timers) clearTimeout(timer);
    },
  };

  async function start(): Promise<void> {
    await Promise.all([apis.synced, fleets.synced]);
    takeAll();
    while (working !== undefined) await working;
    isReady = true;
    becomeReady();
  }

  function takeAll(): void {
    for (const object of apis.list()) take(object);
  }

  /** Puts an API on the list of what is to be planned, if anything has changed that its plan is made of. */
  function take(object: KubernetesObject): void {
    // Which fleet is the default one is known when all fleets are.
    if (!fleets.isSynced || isStopped) return;
    const key = keyOf(object);
    const version = versionOf(object);
    const acceptance = acceptanceOf(object);
    const current = served.get(key);
    if (acceptance === "accepted") lookedUp.delete(key);
    if (current?.version === version && acceptance === "refused" && current.before !== undefined) {
      putBack(key, current, current.before);
    }
    const isPlanned = current?.version === version || (refused.get(key) === version && acceptance !== "accepted");
    const isLookedUp = acceptance !== "refused" || lookedUp.get(key) === version;
    if (queue.has(key) || (isPlanned && isLookedUp)) return;
    queue.set(key, Promise.withResolvers());
    working ??= work();
  }

  async function work(): Promise<void> {
    try {
      for (let [next] = queue; next !== undefined && !isStopped; [next] = queue) {
        const [key, { resolve }] = next;
        const [namespace = "", name = ""] = key.split("/");
        const object = apis.get(namespace, name);
        if (object !== undefined) await plan(key, object);
        queue.delete(key);
        const newest = apis.get(namespace, name);
        if (newest === undefined) remove(key);
        else if (newest !== object) take(newest);
        resolve();
        // Requests that came in meanwhile go first.
        await new Promise((resolve) => setTimeout(resolve));
      }
    } finally {
      // At once: what is put on the list from now on begins anew.
      working = undefined;
    }
  }

  async function plan(key: string, object: KubernetesObject): Promise<void> {
    const version = versionOf(object);
    const isRefused = acceptanceOf(object) === "refused";
    if (isRefused && isApiObject(object) && await planAccepted(key, object, version)) return;
    if (isRefused && (served.get(key)?.version === version || refused.get(key) === version)) return;
    await planAs(key, object, version);
  }

  /**
   * The controller refuses an API as it is: what it was before is answered.
   *
   * @returns Whether that is known.
   */
  async function planAccepted(key: string, object: ApiObject, version: string): Promise<boolean> {
    lookedUp.set(key, version);
    try {
      const state = await acceptedStateOf(object);
      if (state === undefined) return false;
      refused.set(key, version);
      const stays = versionOf(state);
      if (served.get(key)?.version !== stays) await planAs(key, state, stays);
      return served.get(key)?.version === stays;
    } catch (error) {
      log.complain(`What was accepted of the API ${key} can't be read: ${messageOf(error)}`, { api: key });
      lookedUp.delete(key);
      later(() => lookAgain(object), LOOK_AGAIN);
      return false;
    }
  }

  function lookAgain({ metadata: { namespace = "", name } }: KubernetesObject): void {
    const object = apis.get(namespace, name);
    if (object !== undefined) take(object);
  }

  async function planAs(key: string, object: KubernetesObject, version: string): Promise<void> {
    const before = served.get(key);
    const fleet = fleetOf(object, defaultFleet());
    const planned = await planApi(object, fleet, before === undefined ? undefined : checkDeployment);
    if (planned.kind === "refused") {
      refused.set(key, version);
      const goesOn = before === undefined ? "" : " What was answered before is answered still.";
      return log.complain(`The API ${key} can't be answered: ${planned.reason}${goesOn}`, { api: key });
    }
    refused.delete(key);
    const { plan } = planned;
    const mocked = planMocks(plan, before?.mocked);
    put(key, { version, age: ageOf(object), plan, mocked, gateway: createGateway([mocked]), before });
    if (before !== undefined) later(() => forgetBefore(key, version), overlap);
    if (isReady) log.note(`The API ${key} is answered${before === undefined ? "" : " anew"}.`, { api: key });
  }

  /** The routes stay as they were where the controller refuses a change; so does what they lead to. */
  function putBack(key: string, { version }: Served, before: Served): void {
    refused.set(key, version);
    put(key, before);
    const message = `The API ${key} has been refused since; what was answered before is answered again.`;
    log.complain(message, { api: key });
  }

  /** By now no route leads here any more that the last change has turned elsewhere. */
  function forgetBefore(key: string, version: string): void {
    const current = served.get(key);
    if (current?.version !== version) return;
    current.mocked = planMocks(current.plan);
    current.gateway = createGateway([current.mocked]);
    current.before = undefined;
  }

  function put(key: string, entry: Served): void {
    // A chain of all that ever was would fill the memory.
    if (entry.before !== undefined) entry.before.before = undefined;
    served.set(key, entry);
    checks.clear();
  }

  function remove(key: string): void {
    refused.delete(key);
    lookedUp.delete(key);
    if (served.delete(key)) {
      checks.clear();
      log.note(`The API ${key} is gone.`, { api: key });
    }
  }

  function checkOf({ namespace, name }: FleetRef): FleetCheck | undefined {
    const key = `${namespace}/${name}`;
    const check = checks.get(key) ?? makeCheck(namespace, name);
    // Clients may name any fleet: only those that something is on are kept.
    if (check !== undefined) checks.set(key, check);
    return check;
  }

  function makeCheck(namespace: string, name: string): FleetCheck | undefined {
    const ofFleet = [...served.values()].filter(({ plan: { fleet } }) =>
      fleet.namespace === namespace && fleet.name === name
    );
    // Of two with the same route the older has it.
    return ofFleet.length === 0
      ? undefined
      : createChecks(ofFleet.sort((a, b) => a.age < b.age ? -1 : 1).map(({ plan }) => plan));
  }

  function versionOf(object: KubernetesObject): string {
    const { namespace, name } = fleetOf(object, defaultFleet());
    return `${object.metadata.uid} ${object.metadata.generation} ${namespace}/${name}`;
  }

  function later(work: () => void, wait: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      work();
    }, wait);
    timers.add(timer);
  }
}
