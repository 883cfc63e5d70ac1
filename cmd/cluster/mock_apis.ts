import { createFleetChecks, type FleetCheck } from "../../lib/cluster/check_service.ts";
import { fleetReferred, isApiObject } from "../../lib/cluster/convert.ts";
import type { ApiObject } from "../../lib/cluster/custom_resource.ts";
import { type DeployedMock, MOCKS_PLATFORM, planMocks } from "../../lib/cluster/mock_service.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { acceptanceOfSpec } from "../../lib/cluster/status/route_status.ts";
import { createDeploymentCheck } from "../../lib/gateway/check_deployment.ts";
import { createGateways, type EmbeddedGateway } from "../../lib/gateway/embedded/gateway.ts";
import { StateBudget } from "../../lib/mock/state/store/limits.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../lib/gateway/route.ts";
import { messageOf } from "../../lib/http/message.ts";
import { BODIES } from "../io/bodies.ts";
import type { Log } from "../io/terminal/log.ts";
import { PlanCache, type StoredDefinition } from "../io/gateway/plan_cache.ts";
import { sleep } from "../io/sleep.ts";
import { AcceptedStates, type FindAcceptedState } from "./accepted_states.ts";
import { createDefaultFleet } from "./default_fleet.ts";
import type { Informer } from "./informer.ts";
import { definitionNameOf, storedDefinitionOf } from "./stored_definition.ts";

/** Options of {@linkcode MockApis}. */
export interface MockApisOptions {
  apis: Informer;
  /** The informer of fleets, for the default fleet of APIs that name none. */
  fleets: Informer;
  /**
   * Finds the last accepted `spec` of an API whose edit is refused. Default: this process has only those that it has
   * served.
   */
  findAcceptedState?: FindAcceptedState;
  /** Logs each change, and each API that can't be mocked. */
  log: Pick<Log, "note" | "complain">;
  /**
   * The time for which an operation is still mocked after it got an upstream, in milliseconds. Until the proxies have
   * the new route, they send its requests here. Default: 30 seconds.
   */
  overlap?: number;
}

/** An API that this process answers for. */
interface Served {
  /** Identifies the `spec` and the fleet of the plan. */
  readonly version: string;
  /** A sort key by age. Of two APIs with a conflicting route, the older one gets it. */
  readonly age: string;
  readonly plan: RoutePlan;
  /**
   * The plan with the mocked operations. For {@linkcode OVERLAP} after a change, these include operations that were
   * mocked before and now have an upstream.
   */
  mocked: RoutePlan;
  /** Makes the next gateway of the API. It takes over the sessions of the previous one. */
  readonly createGateway: ReturnType<typeof createGateways>;
  gateway: EmbeddedGateway;
  /** The state before the last change; `undefined` once no route leads to the operations of that state. */
  before: Served | undefined;
}

/** The platform of the mocks, with real time and random numbers for stateful operations and rules. */
const PLATFORM = { ...MOCKS_PLATFORM, bodies: BODIES, now: () => Date.now(), random: () => Math.random() };

/** The longest time after a change for which proxies may still use routes from before the change, in milliseconds. */
const OVERLAP = 30_000;

/**
 * Mocks the APIs of a cluster. Plans them one after the other, and plans each again when it changes. The earlier plan
 * answers until the new one is ready, and as long as the new definition is refused. For an API whose edit the
 * controller refuses, the last accepted `spec` answers.
 */
export class MockApis {
  readonly #apis: Informer;
  readonly #fleets: Informer;
  readonly #log: Pick<Log, "note" | "complain">;
  readonly #overlap: number;
  readonly #defaultFleet: () => FleetRef;
  readonly #planCache = new PlanCache({ check: createDeploymentCheck() });
  readonly #accepted: AcceptedStates;
  readonly #stateBudget = new StateBudget();
  readonly #createChecks = createFleetChecks(BODIES);
  readonly #served = new Map<string, Served>();
  /** The versions of APIs that can't be planned, or that the controller refuses, by API. */
  readonly #refused = new Map<string, string>();
  /** The APIs that are to be planned. Each promise resolves when its API is planned. */
  readonly #queue = new Map<string, PromiseWithResolvers<void>>();
  /** The request validation of each fleet. It is made at the first request after a change. */
  readonly #checks = new Map<string, FleetCheck>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #unsubscribe: readonly (() => void)[];
  #working: Promise<void> | undefined;
  #isReady = false;
  #isStopped = false;
  /** Resolves when all APIs that existed at the start are planned. */
  readonly ready: Promise<void>;

  constructor({ apis, fleets, findAcceptedState, log, overlap = OVERLAP }: MockApisOptions) {
    this.#apis = apis;
    this.#fleets = fleets;
    this.#log = log;
    this.#overlap = overlap;
    this.#defaultFleet = createDefaultFleet(fleets);
    this.#accepted = new AcceptedStates({
      find: findAcceptedState ?? (() => Promise.resolve(undefined)),
      onError: (key, error) =>
        log.complain(`What was accepted of the API ${key} can't be read: ${messageOf(error)}`, { api: key }),
      onRetry: (key) => this.#takeKey(key),
    });
    this.#unsubscribe = [
      apis.onChange((object, kind) => kind === "deleted" ? this.#remove(object) : this.#take(object)),
      fleets.onChange(() => this.#takeAll()),
    ];
    this.ready = this.#start();
  }

  /** Finds the handler of an API. Waits if the API is being planned for the first time. */
  find(api: string): DeployedMock | Promise<DeployedMock> {
    const known = this.#served.get(api);
    if (known !== undefined) return known.gateway;
    if (!this.#isReady) return "starting";
    return this.#queue.get(api)?.promise.then(() => this.#served.get(api)?.gateway ?? "unknown") ?? "unknown";
  }

  /** Finds the request validation of a fleet; `undefined` if no API is on the fleet. */
  checkOf(fleet: FleetRef): FleetCheck | undefined {
    const name = qualifiedName(fleet);
    const check = this.#checks.get(name) ?? this.#makeCheck(name);
    // A request may name any fleet. Only fleets with APIs are cached, so that requests can't fill the cache.
    if (check !== undefined) this.#checks.set(name, check);
    return check;
  }

  /** The number of APIs that this process answers for. */
  get size(): number {
    return this.#served.size;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  stop(): void {
    this.#isStopped = true;
    for (const end of this.#unsubscribe) end();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#accepted.stop();
  }

  async #start(): Promise<void> {
    await Promise.all([this.#apis.synced, this.#fleets.synced]);
    this.#takeAll();
    while (this.#working !== undefined) await this.#working;
    this.#isReady = true;
  }

  #takeAll(): void {
    for (const object of this.#apis.list()) this.#take(object);
  }

  #takeKey(key: string): void {
    const object = this.#objectOf(key);
    if (object !== undefined) this.#take(object);
  }

  /** Queues an API for planning, if its `spec`, its acceptance or its fleet has changed. */
  #take(object: KubernetesObject): void {
    // The default fleet is known only when all fleets have been listed.
    if (!this.#fleets.isSynced || this.#isStopped || !isApiObject(object)) return;
    const key = keyOf(object);
    const { version } = this.#definitionOf(object);
    const acceptance = acceptanceOfSpec(object);
    const current = this.#served.get(key);
    if (acceptance === "accepted") this.#accepted.forget(key);
    if (current?.version === version && acceptance === "refused" && current.before !== undefined) {
      this.#restorePlan(key, current, current.before);
    }
    const isPlanned = current?.version === version || (this.#refused.get(key) === version && acceptance !== "accepted");
    const isLookedUp = acceptance !== "refused" || this.#accepted.isLookedUp(key, object);
    if (this.#queue.has(key) || (isPlanned && isLookedUp)) return;
    this.#queue.set(key, Promise.withResolvers());
    this.#working ??= this.#work();
  }

  async #work(): Promise<void> {
    try {
      for (let [next] = this.#queue; next !== undefined && !this.#isStopped; [next] = this.#queue) {
        const [key, { resolve }] = next;
        const object = this.#objectOf(key);
        if (object !== undefined) await this.#plan(key, object);
        this.#queue.delete(key);
        const newest = this.#objectOf(key);
        if (newest === undefined) this.#forget(key);
        else if (newest !== object) this.#take(newest);
        resolve();
        // Waiting requests take precedence over the next API.
        await sleep();
      }
    } finally {
      // This must not await anything after the loop. Otherwise an API that is queued in between would not be planned.
      this.#working = undefined;
    }
  }

  async #plan(key: string, object: ApiObject): Promise<void> {
    const definition = this.#definitionOf(object);
    const { version } = definition;
    const isRefused = acceptanceOfSpec(object) === "refused";
    if (isRefused && await this.#planAccepted(key, object, version)) return;
    if (isRefused && (this.#served.get(key)?.version === version || this.#refused.get(key) === version)) return;
    await this.#serve(key, object, definition);
  }

  /**
   * Plans the last accepted `spec` of an API whose present `spec` the controller refuses.
   *
   * @returns Whether the cluster has such a `spec`, and it answers requests now.
   */
  async #planAccepted(key: string, object: ApiObject, version: string): Promise<boolean> {
    const state = await this.#accepted.lookUp(key, object);
    if (state === undefined || !isApiObject(state)) return false;
    this.#refused.set(key, version);
    const definition = this.#definitionOf(state);
    if (this.#served.get(key)?.version !== definition.version) await this.#serve(key, state, definition);
    return this.#served.get(key)?.version === definition.version;
  }

  async #serve(key: string, object: ApiObject, definition: StoredDefinition): Promise<void> {
    const before = this.#served.get(key);
    const planned = this.#planCache.get(definition);
    // The controller makes no routes for a refused definition, and leaves those of the accepted one as they are, so the
    // accepted one must answer. A change that the controller hasn't accepted yet is checked here first, because it may
    // be refused.
    const isChecked = before !== undefined && acceptanceOfSpec(object) !== "accepted";
    const checked = isChecked ? await planned.check() : await planned.parse();
    const { version } = definition;
    if (checked.kind === "refused") {
      this.#refused.set(key, version);
      const goesOn = before === undefined ? "" : " What was answered before is answered still.";
      const message = `The API ${key} can't be answered: ${checked.errors.join(" ")}${goesOn}`;
      return this.#log.complain(message, { api: key });
    }
    this.#refused.delete(key);
    const { plan } = checked;
    const mocked = planMocks(plan, before?.mocked);
    const age = `${object.metadata.creationTimestamp ?? ""} ${key}`;
    const createGateway = before?.createGateway ?? createGateways(PLATFORM, this.#stateBudget);
    this.#put(key, { version, age, plan, mocked, createGateway, gateway: createGateway([mocked]), before });
    if (before !== undefined) this.#later(() => this.#forgetBefore(key, version), this.#overlap);
    if (this.#isReady) {
      this.#log.note(`The API ${key} is answered${before === undefined ? "" : " anew"}.`, { api: key });
    }
  }

  /**
   * Restores the plan before a change that the controller refuses, because the gateway still has the routes of that
   * plan.
   */
  #restorePlan(key: string, { version }: Served, before: Served): void {
    this.#refused.set(key, version);
    this.#put(key, before);
    const message = `The API ${key} has been refused since; what was answered before is answered again.`;
    this.#log.complain(message, { api: key });
  }

  /**
   * Stops mocking the operations that got an upstream by the last change, because the gateway now has the new routes.
   */
  #forgetBefore(key: string, version: string): void {
    const current = this.#served.get(key);
    if (current?.version !== version) return;
    current.mocked = planMocks(current.plan);
    current.gateway = current.createGateway([current.mocked]);
    current.before = undefined;
  }

  #put(key: string, entry: Served): void {
    // Otherwise each state would refer to the one before it, and the memory of all of them could never be freed.
    if (entry.before !== undefined) entry.before.before = undefined;
    this.#served.set(key, entry);
    this.#checks.clear();
  }

  #remove(object: KubernetesObject): void {
    this.#planCache.delete(definitionNameOf(object));
    this.#forget(keyOf(object));
  }

  #forget(key: string): void {
    this.#refused.delete(key);
    this.#accepted.forget(key);
    // This frees the memory of the API's sessions.
    this.#served.get(key)?.createGateway([]);
    if (this.#served.delete(key)) {
      this.#checks.clear();
      this.#log.note(`The API ${key} is gone.`, { api: key });
    }
  }

  #makeCheck(fleet: string): FleetCheck | undefined {
    const onFleet = [...this.#served.values()].filter(({ plan }) => qualifiedName(plan.fleet) === fleet);
    if (onFleet.length === 0) return undefined;
    // Sorted by age, because of two APIs with a conflicting route the older one gets it.
    return this.#createChecks(onFleet.sort((a, b) => a.age < b.age ? -1 : 1).map(({ plan }) => plan));
  }

  #objectOf(key: string): ApiObject | undefined {
    const [namespace = "", name = ""] = key.split("/");
    const object = this.#apis.get(namespace, name);
    return object !== undefined && isApiObject(object) ? object : undefined;
  }

  #definitionOf(object: ApiObject): StoredDefinition {
    return storedDefinitionOf(object, fleetReferred(object, this.#defaultFleet()));
  }

  #later(work: () => void, wait: number): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, wait);
    this.#timers.add(timer);
  }
}

/** Returns namespace and name of an API, such as `shop/todo`. */
function keyOf({ metadata: { namespace = "", name } }: KubernetesObject): string {
  return `${namespace}/${name}`;
}
