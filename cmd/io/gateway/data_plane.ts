import { refusalOfNamespace } from "../../../lib/gateway/allowed_namespaces.ts";
import { ConflictResolver } from "../../../lib/gateway/conflicts/resolve_conflicts.ts";
import { conflictOf } from "../../../lib/management/deployment.ts";
import type { AnyResource } from "../../../lib/gateway/resource.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../../lib/gateway/route.ts";
import type { Store, Stored } from "../../../lib/management/store.ts";
import { type FleetHandler, FleetListeners, type FleetListenersOptions } from "./fleet_listeners.ts";
import type { Server } from "../listener.ts";
import { PlanCache, type PlannedDefinition, type StoredDefinition } from "./plan_cache.ts";

export interface DataPlaneOptions extends Omit<FleetListenersOptions, "handlerOf"> {
  store: Pick<Store, "list">;
  /** Makes the handler of a fleet from the plans of its APIs and static routes. */
  createHandler: (fleet: FleetRef, plans: readonly RoutePlan[]) => FleetHandler;
  /** Called whenever the routes of a fleet are replaced. */
  onSwap?: () => void;
}

interface FleetRoutes {
  readonly ref: FleetRef;
  /** The current handler. Listeners read this property at each request, so that new routes are in force at once. */
  handler: FleetHandler;
  plans: readonly RoutePlan[];
  /** The plans, by the keys of their resources. */
  byKey: ReadonlyMap<string, RoutePlan>;
  readonly resolver: ConflictResolver;
}

/** A plan with the time when its resource was created. */
interface Aged {
  readonly plan: RoutePlan;
  readonly created: string;
}

type StoredRoutes = Stored<"api"> | Stored<"staticroute">;

/** The embedded gateway: the listeners of all fleets, and the routes behind them. */
export class DataPlane {
  readonly #options: DataPlaneOptions;
  readonly #listeners: FleetListeners;
  readonly #planCache = new PlanCache();
  readonly #fleets = new Map<string, FleetRoutes>();
  /**
   * Definitions that can't be planned, and whose error was logged. An edit makes a new object, whose error is logged
   * again.
   */
  readonly #broken = new WeakSet<PlannedDefinition>();
  /** Why each resource that isn't served isn't, by kind and name. A reason is logged only once. */
  #refusals: ReadonlyMap<string, string> = new Map();
  #applying = Promise.resolve();

  constructor(options: DataPlaneOptions) {
    this.#options = options;
    this.#listeners = new FleetListeners({
      ...options,
      handlerOf: (ref) => {
        const fleet = this.#routesOf(ref);
        return (request, info) => fleet.handler(request, info);
      },
    });
  }

  /**
   * Updates listeners and routes to the resources in the store. A request is answered by the old routes or by the new
   * ones, never by a mixture.
   */
  apply(): Promise<void> {
    return this.#applying = this.#applying.catch(() => {}).then(() => this.#apply());
  }

  /**
   * Takes the plan of a definition that is about to be stored. Otherwise the plan would be made again from the stored
   * text.
   */
  expect(plan: RoutePlan): void {
    this.#planCache.expect(plan);
  }

  /**
   * Reserves the ports of a fleet before it is stored.
   *
   * @returns Why a port isn't available. Then no port is reserved.
   */
  reserve(fleet: FleetRef, ports: readonly number[]): string | undefined {
    const refusal = this.#listeners.reserve(fleet, ports);
    this.#forgetClosed();
    return refusal;
  }

  /** Releases the reserved ports of a fleet that wasn't stored. */
  release(fleet: FleetRef): void {
    this.#listeners.release(fleet);
    this.#forgetClosed();
  }

  /** Tells why a stored API or static route isn't served; `undefined` if it is, or isn't stored. */
  refusalOf({ kind, namespace, name }: Pick<AnyResource, "kind" | "namespace" | "name">): string | undefined {
    return this.#refusals.get(keyOfResource({ kind, namespace, name }));
  }

  /** The plans of a fleet's stored resources, apart from those that conflict with older ones. */
  plansOf(fleet: FleetRef): readonly RoutePlan[] {
    return this.#fleets.get(qualifiedName(fleet))?.plans ?? [];
  }

  /** The plans of the fleet that may conflict with a plan, found by an index of claims. */
  rivalsOf(plan: RoutePlan): readonly RoutePlan[] {
    const fleet = this.#fleets.get(qualifiedName(plan.fleet));
    return fleet === undefined ? [] : fleet.resolver.rivalsOf(plan).flatMap((key) => fleet.byKey.get(key) ?? []);
  }

  /** The address of each listener. */
  get addresses(): readonly { fleet: FleetRef; url: string; port: number }[] {
    return this.#listeners.addresses;
  }

  /** The URLs at which a fleet listens. */
  urlsOf(fleet: FleetRef): readonly string[] {
    const name = qualifiedName(fleet);
    return this.addresses.filter(({ fleet }) => qualifiedName(fleet) === name).map(({ url }) => url);
  }

  /** Whether each port of each fleet is listened on. */
  get isReady(): boolean {
    return this.#listeners.isReady;
  }

  /** All listeners as one server. */
  get server(): Server {
    return this.#listeners.server;
  }

  async #apply(): Promise<void> {
    if (this.#listeners.isStopping) return;
    const { store } = this.#options;
    const [fleets, apis, routes] = await Promise.all([
      store.list("fleet"),
      store.list("api"),
      store.list("staticroute"),
    ]);
    const refusals = new Map<string, string>();
    const plans = await this.#planAll(
      this.#admittedOf([...apis.items, ...routes.items], fleets.items, refusals),
      refusals,
    );
    this.#listeners.listen(fleets.items.map(({ namespace, name, spec }) => (
      { fleet: { namespace, name }, ports: new Set(spec.ports.map(({ port }) => port)) }
    )));
    this.#forgetClosed();
    for (const { namespace, name } of fleets.items) {
      const ref = { namespace, name };
      const fleet = this.#routesOf(ref);
      this.#swap(fleet, this.#resolve(fleet, plans.get(qualifiedName(ref)) ?? [], refusals));
    }
    this.#refusals = refusals;
  }

  /**
   * Filters out resources that their fleets don't allow, and logs each with the reason, once. An edit of a fleet may
   * exclude resources that it allowed before.
   */
  #admittedOf(
    resources: readonly StoredRoutes[],
    fleets: readonly Stored<"fleet">[],
    refusals: Map<string, string>,
  ): StoredRoutes[] {
    const byName = new Map(fleets.map((fleet) => [qualifiedName(fleet), fleet]));
    const admitted = resources.filter(({ kind, namespace, name, spec }) => {
      const { allowedNamespaces } = byName.get(qualifiedName(spec.fleet))?.spec ?? {};
      const refused = refusalOfNamespace(spec.fleet, allowedNamespaces, { name: namespace, labels: {} });
      if (refused !== undefined) refusals.set(keyOfResource({ kind, namespace, name }), refused);
      return refused === undefined;
    });
    for (const [key, refused] of refusals) this.#complainOnce(key, refused);
    return admitted;
  }

  #complainOnce(key: string, refused: string): void {
    if (this.#refusals.get(key) !== refused) this.#options.complain(`The ${key} isn't served. ${refused}`);
  }

  /** The plans of each fleet. A definition that can't be planned is left out. */
  async #planAll(
    resources: readonly StoredRoutes[],
    refusals: Map<string, string>,
  ): Promise<Map<string, Aged[]>> {
    const byFleet = new Map<string, Aged[]>();
    const definitions: StoredDefinition[] = [];
    for (const resource of resources) {
      const definition = definitionOf(resource);
      definitions.push(definition);
      const plan = await this.#plan(definition);
      if (plan === undefined) {
        refusals.set(keyOfResource(resource), "Its definition can't be served; the log says why.");
        continue;
      }
      const fleet = qualifiedName(definition.fleet);
      const aged = { plan, created: resource.created };
      const plans = byFleet.get(fleet);
      if (plans === undefined) byFleet.set(fleet, [aged]);
      else plans.push(aged);
    }
    this.#planCache.retain(definitions);
    this.#planCache.expectNothing();
    return byFleet;
  }

  async #plan(definition: StoredDefinition): Promise<RoutePlan | undefined> {
    const planned = this.#planCache.get(definition);
    const parsed = await planned.parse();
    if (parsed.kind === "deployable") return parsed.plan;
    if (this.#broken.has(planned)) return undefined;
    this.#broken.add(planned);
    const { kind, namespace, name } = definition;
    const what = `${kind === "api" ? "api" : "staticroute"} ${namespace}/${name}`;
    const errors = parsed.errors.map((error) => error.replace(/\.?$/, ".")).join(" ");
    this.#options.complain(`The ${what} can't be served, the others are. Deploy a corrected definition. ${errors}`);
    return undefined;
  }

  #routesOf(ref: FleetRef): FleetRoutes {
    const known = this.#fleets.get(qualifiedName(ref));
    if (known !== undefined) return known;
    const handler = this.#options.createHandler(ref, []);
    const fleet: FleetRoutes = { ref, handler, plans: [], byKey: new Map(), resolver: new ConflictResolver() };
    this.#fleets.set(qualifiedName(ref), fleet);
    return fleet;
  }

  /**
   * Resolves conflicts: of two plans with a claim in common, the one of the older resource is served (Gateway API, GEP-1364
   * "Conflicts"). There are such plans after a fleet was narrowed and widened again.
   */
  #resolve({ resolver }: FleetRoutes, plans: readonly Aged[], refusals: Map<string, string>): RoutePlan[] {
    const keys = new Set(plans.map(({ plan }) => keyOf(plan)));
    for (const key of [...resolver.keys()]) if (!keys.has(key)) resolver.set({ key, age: "", plans: [] });
    for (const { plan, created } of plans) {
      const key = keyOf(plan);
      resolver.set({ key, age: `${created} ${key}`, plans: [plan] });
    }
    return plans.flatMap(({ plan }) => {
      const { plan: served, conflict } = resolver.get(keyOf(plan)) ?? {};
      if (served !== undefined || conflict === undefined) return served ?? [];
      const reason = `${conflictOf(plan, [conflict]) ?? "It conflicts with another one."} That one is older.`;
      const key = keyOfPlan(plan);
      this.#complainOnce(key, reason);
      refusals.set(key, reason);
      return [];
    });
  }

  #forgetClosed(): void {
    for (const [name, { ref }] of this.#fleets) if (!this.#listeners.has(ref)) this.#fleets.delete(name);
  }

  #swap(fleet: FleetRoutes, plans: readonly RoutePlan[]): void {
    if (plans.length === fleet.plans.length && plans.every((plan, index) => plan === fleet.plans[index])) return;
    fleet.handler = this.#options.createHandler(fleet.ref, plans);
    fleet.plans = plans;
    fleet.byKey = new Map(plans.map((plan) => [keyOf(plan), plan]));
    this.#options.onSwap?.();
  }
}

function definitionOf({ kind, namespace, name, version, spec: { fleet, openapi } }: StoredRoutes): StoredDefinition {
  return {
    kind: kind === "api" ? "api" : "static-route",
    namespace,
    name,
    fleet,
    version,
    readText: () => openapi,
  };
}

function keyOfResource({ kind, namespace, name }: Pick<AnyResource, "kind" | "namespace" | "name">): string {
  return `${kind} ${namespace}/${name}`;
}

function keyOfPlan({ kind, namespace, name }: RoutePlan): string {
  return keyOfResource({ kind: kind === "api" ? "api" : "staticroute", namespace, name });
}

function keyOf({ kind, namespace, name }: RoutePlan): string {
  return `${kind} ${namespace}/${name}`;
}
