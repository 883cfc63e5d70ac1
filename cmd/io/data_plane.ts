import { waitAfter } from "../../lib/http/backoff.ts";
import { refusalOfNamespace } from "../../lib/gateway/allowed_namespaces.ts";
import { ClaimIndex } from "../../lib/gateway/conflicts/claim_index.ts";
import {
  type Api,
  type FleetRef,
  planRoutes,
  planStaticRoute,
  qualifiedName,
  type RoutePlan,
} from "../../lib/gateway/route.ts";
import { parseStaticRoute } from "../../lib/gateway/static_route.ts";
import type { Store, Stored } from "../../lib/management/store.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { listen, type Server } from "./listener.ts";
import { messageOf } from "../../lib/http/message.ts";

/** What carries the traffic of a fleet: answers each of its requests. */
export type FleetHandler = Deno.ServeHandler<Deno.NetAddr>;

/** What a data plane needs. */
export interface DataPlaneOptions {
  store: Pick<Store, "list">;
  /** Address that fleets listen on. */
  host: string;
  /** Makes what answers the requests of a fleet by these plans. */
  createHandler: (fleet: FleetRef, plans: readonly RoutePlan[]) => FleetHandler;
  /** Told what is wrong without anybody having asked. */
  complain: (message: string) => void;
  /** Told of each swap of a fleet's routes. */
  onSwap?: () => void;
  /** Told when a port that couldn't be had is listened on after all. */
  onListen?: (fleet: FleetRef, url: string) => void;
  /** How long to wait before a port that couldn't be had is tried again, in milliseconds. Default: one second. */
  patience?: number;
}

/** The listeners of all fleets, and the routes behind them. */
export interface DataPlane {
  /** Brings listeners and routes to what the store holds. A request sees the routes from before or those from after. */
  apply(): Promise<void>;
  /** Hands over a plan that was made for a check, so that it isn't made again. */
  expect(plan: RoutePlan): void;
  /**
   * Takes the ports of a fleet before it is stored.
   *
   * @returns Why they can't be had; nothing is taken then.
   */
  reserve(fleet: FleetRef, ports: readonly number[]): string | undefined;
  /** Gives the ports of a fleet back that were reserved and didn't come to be stored. */
  release(fleet: FleetRef): void;
  /** The plans of a fleet, of what is stored now. */
  plansOf(fleet: FleetRef): readonly RoutePlan[];
  /** The plans of a plan's fleet that may exclude it, found by an index. */
  rivalsOf(plan: RoutePlan): readonly RoutePlan[];
  /** Where fleets listen. */
  readonly addresses: readonly { fleet: FleetRef; url: string; port: number }[];
  /** Whether every port of every fleet is listened on. */
  readonly isReady: boolean;
  /** All listeners as one server. */
  readonly server: Server;
}

/** What to do about a fleet's port that another program has. */
const ADVICE = "Stop that program, or give the fleet another port.";

/** How long to wait before a port that couldn't be had is tried again: at first, and at most, in milliseconds. */
const PATIENCE = { first: 1_000, most: 60_000 } as const;

/** A fleet that has listeners. */
interface OpenFleet {
  readonly ref: FleetRef;
  readonly listeners: Map<number, { server: Server; url: string; port: number }>;
  /** What answers at the moment; listeners ask for it anew with each request. */
  handler: FleetHandler;
  plans: readonly RoutePlan[];
  /** The claims of these plans. */
  readonly claims: ClaimIndex;
  /** The ports that are stored; absent where the fleet is only reserved. */
  stored: ReadonlySet<number> | undefined;
}

interface Planned {
  readonly version: string;
  /** Absent where the definition can't be served. */
  readonly plan: RoutePlan | undefined;
}

/** Makes the embedded gateway's listeners. */
export function createDataPlane(
  { store, host, createHandler, complain, onSwap, onListen, patience = PATIENCE.first }: DataPlaneOptions,
): DataPlane {
  const fleets = new Map<string, OpenFleet>();
  const planned = new Map<string, Planned>();
  const expected = new Map<string, RoutePlan>();
  const closing = new Set<Promise<void>>();
  const finished = Promise.withResolvers<void>();
  /** Why resources aren't served that their fleets don't admit, by kind and name. */
  let notAdmitted: ReadonlyMap<string, string> = new Map();
  /** Ports of fleets that couldn't be had. */
  let missing: { fleet: OpenFleet; port: number }[] = [];
  let retry: ReturnType<typeof setTimeout> | undefined;
  let applying = Promise.resolve();
  let isStopping = false;

  return {
    apply: () => applying = applying.catch(() => {}).then(apply),
    expect: (plan) => void expected.set(keyOf(plan), plan),
    reserve,
    release,
    plansOf: (fleet) => fleets.get(qualifiedName(fleet))?.plans ?? [],
    rivalsOf(plan) {
      const fleet = fleets.get(qualifiedName(plan.fleet));
      return fleet === undefined ? [] : [...fleet.claims.rivalsOf(plan)].flatMap((key) => planned.get(key)?.plan ?? []);
    },
    get addresses() {
      return [...fleets.values()].flatMap(({ ref, listeners }) =>
        [...listeners.values()].map(({ url, port }) => ({ fleet: ref, url, port }))
      );
    },
    get isReady() {
      return missing.length === 0 && !isStopping;
    },
    server: { shutdown, finished: finished.promise },
  };

  async function apply(): Promise<void> {
    if (isStopping) return;
    const [stored, apis, routes] = await Promise.all([
      store.list("fleet"),
      store.list("api"),
      store.list("staticroute"),
    ]);
    const plans = await planAll(admittedOf([...apis.items, ...routes.items], stored.items));
    closeOthers(new Set(stored.items.map(qualifiedName)));
    const before = missing;
    missing = [];
    for (const { namespace, name, spec } of stored.items) {
      const fleet = fleetOf({ namespace, name });
      const ports = new Set(spec.ports.map(({ port }) => port));
      fleet.stored = ports;
      for (const port of ports) {
        const refusal = fleet.listeners.has(port) ? undefined : listenOn(fleet, port);
        if (refusal === undefined) continue;
        missing.push({ fleet, port });
        const isKnown = before.some((one) => one.fleet === fleet && one.port === port);
        if (!isKnown) {
          complain(`Fleet ${qualifiedName(fleet.ref)} is not served on port ${port}: ${refusal} It is tried again.`);
        }
      }
      closePorts(fleet, ports);
      swap(fleet, plans.get(qualifiedName(fleet.ref)) ?? []);
    }
    if (retry === undefined) tryAgain(1);
  }

  /** The resources that their fleets admit. Complains once of each other one: a fleet may come to admit less than before. */
  function admittedOf(
    resources: readonly (Stored<"api"> | Stored<"staticroute">)[],
    stored: readonly Stored<"fleet">[],
  ): (Stored<"api"> | Stored<"staticroute">)[] {
    const admitting = new Map(stored.map((fleet) => [qualifiedName(fleet), fleet]));
    const refusals = new Map<string, string>();
    const admitted = resources.filter(({ kind, namespace, name, spec }) => {
      const { allowedNamespaces } = admitting.get(qualifiedName(spec.fleet))?.spec ?? {};
      const refused = refusalOfNamespace(spec.fleet, allowedNamespaces, { name: namespace, labels: {} });
      if (refused !== undefined) refusals.set(`${kind} ${namespace}/${name}`, refused);
      return refused === undefined;
    });
    for (const [key, refused] of refusals) {
      if (notAdmitted.get(key) !== refused) complain(`The ${key} isn't served. ${refused}`);
    }
    notAdmitted = refusals;
    return admitted;
  }

  /** Tries the ports that couldn't be had again, less and less often. */
  function tryAgain(failures: number): void {
    if (missing.length === 0 || isStopping) return;
    retry = setTimeout(() => {
      retry = undefined;
      const tried = missing;
      missing = tried.filter(({ fleet, port }) => {
        if (fleets.get(qualifiedName(fleet.ref)) !== fleet) return false;
        if (!fleet.listeners.has(port) && listenOn(fleet, port) !== undefined) return true;
        const url = fleet.listeners.get(port)?.url;
        if (url !== undefined) onListen?.(fleet.ref, url);
        return false;
      });
      tryAgain(failures + 1);
    }, waitAfter(failures, { ...PATIENCE, first: patience }));
  }

  /** Plans what has changed; a definition that can't be planned stops no other. */
  async function planAll(
    resources: readonly (Stored<"api"> | Stored<"staticroute">)[],
  ): Promise<Map<string, RoutePlan[]>> {
    const byFleet = new Map<string, RoutePlan[]>();
    const kept = new Set<string>();
    for (const resource of resources) {
      const key = keyOf({ ...resource, kind: resource.kind === "api" ? "api" : "static-route" });
      kept.add(key);
      const known = planned.get(key);
      const { plan } = known?.version === resource.version ? known : await planAnew(key, resource);
      if (plan === undefined) continue;
      const fleet = qualifiedName(resource.spec.fleet);
      const plans = byFleet.get(fleet);
      if (plans === undefined) byFleet.set(fleet, [plan]);
      else plans.push(plan);
    }
    for (const key of planned.keys()) if (!kept.has(key)) planned.delete(key);
    expected.clear();
    return byFleet;
  }

  async function planAnew(key: string, resource: Stored<"api"> | Stored<"staticroute">): Promise<Planned> {
    const entry = { version: resource.version, plan: await tryPlan(expected.get(key), resource) };
    planned.set(key, entry);
    return entry;
  }

  async function tryPlan(
    known: RoutePlan | undefined,
    { kind, namespace, name, spec }: Stored<"api"> | Stored<"staticroute">,
  ): Promise<RoutePlan | undefined> {
    if (known !== undefined && textOf(known) === spec.openapi) return known;
    try {
      const parse = kind === "api" ? parseDocument : parseStaticRoute;
      const document = await parse(spec.openapi, { uri: `${namespace}/${name}` });
      const api: Api = { namespace, name, fleet: spec.fleet, document };
      return kind === "api" ? planRoutes(api) : planStaticRoute(api);
    } catch (error) {
      complain(`The ${kind} ${namespace}/${name} can't be served, the others are: ${messageOf(error)}`);
      return undefined;
    }
  }

  function fleetOf(ref: FleetRef): OpenFleet {
    const known = fleets.get(qualifiedName(ref));
    if (known !== undefined) return known;
    const handler = createHandler(ref, []);
    const fleet: OpenFleet = {
      ref,
      listeners: new Map(),
      handler,
      plans: [],
      claims: new ClaimIndex(),
      stored: undefined,
    };
    fleets.set(qualifiedName(ref), fleet);
    return fleet;
  }

  function swap(fleet: OpenFleet, plans: readonly RoutePlan[]): void {
    if (plans.length === fleet.plans.length && plans.every((plan, index) => plan === fleet.plans[index])) return;
    fleet.handler = createHandler(fleet.ref, plans);
    const [before, now] = [new Set(fleet.plans), new Set(plans)];
    // A plan that goes may have the key of one that comes.
    for (const plan of before) if (!now.has(plan)) fleet.claims.set(keyOf(plan), []);
    for (const plan of now) if (!before.has(plan)) fleet.claims.set(keyOf(plan), [plan]);
    fleet.plans = plans;
    onSwap?.();
  }

  function listenOn(fleet: OpenFleet, port: number): string | undefined {
    const other = [...fleets.values()].find(({ ref, listeners }) => ref !== fleet.ref && listeners.has(port));
    if (other !== undefined) return `The fleet ${qualifiedName(other.ref)} has it.`;
    const listening = listen((request, info) => fleet.handler(request, info), { host, port, advice: ADVICE }, complain);
    if (listening.kind === "refused") return listening.message;
    fleet.listeners.set(port, listening);
    return undefined;
  }

  function reserve(ref: FleetRef, ports: readonly number[]): string | undefined {
    const isNew = !fleets.has(qualifiedName(ref));
    const fleet = fleetOf(ref);
    const taken: number[] = [];
    for (const port of ports) {
      if (fleet.listeners.has(port)) continue;
      const refusal = listenOn(fleet, port);
      if (refusal === undefined) {
        taken.push(port);
        continue;
      }
      for (const port of taken) closePort(fleet, port);
      if (isNew) fleets.delete(qualifiedName(ref));
      return `Port ${port} can't be had: ${refusal}`;
    }
    return undefined;
  }

  function release(ref: FleetRef): void {
    const fleet = fleets.get(qualifiedName(ref));
    if (fleet === undefined) return;
    closePorts(fleet, fleet.stored ?? new Set());
    if (fleet.stored === undefined) fleets.delete(qualifiedName(ref));
  }

  function closeOthers(stored: ReadonlySet<string>): void {
    for (const [name, fleet] of fleets) {
      // One that was only reserved is about to be stored.
      if (stored.has(name) || fleet.stored === undefined) continue;
      closePorts(fleet, new Set());
      fleets.delete(name);
    }
  }

  function closePorts(fleet: OpenFleet, wanted: ReadonlySet<number>): void {
    for (const port of [...fleet.listeners.keys()]) if (!wanted.has(port)) closePort(fleet, port);
  }

  function closePort(fleet: OpenFleet, port: number): void {
    const listener = fleet.listeners.get(port);
    if (listener === undefined) return;
    fleet.listeners.delete(port);
    listener.server.shutdown();
    const done = listener.server.finished.finally(() => closing.delete(done));
    closing.add(done);
  }

  function shutdown(): void {
    if (isStopping) return;
    isStopping = true;
    clearTimeout(retry);
    for (const fleet of fleets.values()) closePorts(fleet, new Set());
    void Promise.allSettled(closing).then(() => finished.resolve());
  }
}

function keyOf({ kind, namespace, name }: Pick<RoutePlan, "kind" | "namespace" | "name">): string {
  return `${kind} ${namespace}/${name}`;
}

/** The text that a plan was made of. */
function textOf({ document }: RoutePlan): string | undefined {
  return document.written.source.text();
}
