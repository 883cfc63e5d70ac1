import { createDeploymentCheck } from "../../lib/gateway/check_deployment.ts";
import { createGateways } from "../../lib/gateway/embedded/gateway.ts";
import { namedHosts, reachesUpstream } from "../../lib/gateway/embedded/reached_hosts.ts";
import { type FleetRef, qualifiedName, type RoutePlan } from "../../lib/gateway/route.ts";
import type { UpstreamPort } from "../../lib/gateway/resource.ts";
import { createMemoryStore } from "../../lib/management/memory_store.ts";
import type { ServiceProbe } from "../../lib/management/options.ts";
import type { Store } from "../../lib/management/store.ts";
import { defaultFolder, IN_MEMORY, prepareFolder, tilde } from "../io/files/data_folder.ts";
import { DataPlane } from "../io/gateway/data_plane.ts";
import { createFleetHandler } from "../io/gateway/fleet_handler.ts";
import { createGatewayPlatform } from "../io/gateway/gateway_platform.ts";
import { createHostGuard, type HostGuard, NO_GUARD } from "../io/host_guard.ts";
import { isLocal } from "../io/listener.ts";
import { createProber, type Prober } from "../io/gateway/service_probe.ts";
import { type Answering, type Backend, orUnavailable, Unavailable } from "./backend.ts";
import { DEFAULT_FLEET, type DefaultPort, provideDefaultFleet } from "./default_fleet.ts";
import * as say from "./messages.ts";
import type { ServeSettings } from "./settings.ts";
import { warmUp } from "../mock/warm_up.ts";
import { StateBudget } from "../../lib/mock/state/store/limits.ts";
import type { Platform } from "../line/platform.ts";
import type { GatewayPlatform } from "../../lib/gateway/embedded/platform.ts";
import { endpointOf } from "../io/files/location.ts";

interface Opened {
  store: Store;
  path: string;
  close: () => void;
  warning?: string;
}

/** Opens a store in an SQLite file, with the embedded gateway. */
export async function openStandalone(
  settings: ServeSettings,
  platform: Platform,
  answering: Answering,
): Promise<Backend> {
  const { store, path, close, warning } = await openStore(settings.data ?? defaultFolder(platform.env));
  const { log, metrics } = answering;
  if (warning !== undefined) log.complain(warning);
  const gatewayPlatform = createGatewayPlatform(settings.service, settings["trusted-proxy"], platform.env);
  const budget = new StateBudget();
  const gateways = new Map<string, ReturnType<typeof createGateways>>();
  const dataPlane = new DataPlane({
    store,
    host: settings.host,
    createHandler: (fleet, plans) => {
      const name = qualifiedName(fleet);
      // A reload replaces the gateway of a fleet. The new gateway takes over the sessions of the old one.
      const createGateway = gateways.get(name) ?? createGateways(gatewayPlatform, budget);
      gateways.set(name, createGateway);
      const guard = isLocal(settings.host) ? createFleetGuard(plans, settings, gatewayPlatform) : NO_GUARD;
      const documents = plans.map(({ document }) => document);
      return createFleetHandler({
        fleet: name,
        gateway: createGateway(plans, guard.refusalOf),
        documents: () => documents,
        ...answering,
      });
    },
    complain: log.complain,
    onSwap: metrics.reloaded,
    onListen: (fleet, url) => log.say(say.fleetAt(fleet, url), { fleet: qualifiedName(fleet), url }),
  });
  let fleetPort: DefaultPort = { kind: "unchanged" };
  const prober = createProber();
  const services = createServiceProbe(prober, gatewayPlatform.resolveService, dataPlane);
  return {
    store,
    path: tilde(path, platform.env),
    management: {
      gateway: dataPlane,
      check: createDeploymentCheck(),
      services,
      ready: () => dataPlane.isReady ? { kind: "ready" } : { kind: "not-ready", reason: "A fleet has no listener." },
    },
    get addresses() {
      return dataPlane.addresses.map(({ fleet, url }) => {
        const isDefault = qualifiedName(fleet) === qualifiedName(DEFAULT_FLEET);
        return { fleet, url, remark: isDefault ? say.remarkOn(fleetPort) : "" };
      });
    },
    remarks: async () => {
      const unknown = (await upstreamsIn(store)).filter(({ namespace, name, port }) =>
        services.resolves?.(namespace, name, port) === false
      );
      return say.unknownServices([...new Set(unknown.map(qualifiedName))]);
    },
    async start() {
      fleetPort = await provideDefaultFleet({
        store,
        dataPlane,
        wanted: settings["fleet-port"],
        freePort: () => freePort(settings.host),
      });
      if (fleetPort.kind === "no-fleet") log.complain(say.noDefaultFleet(DEFAULT_FLEET, fleetPort.wanted));
      await dataPlane.apply();
      await tryServices(store, services);
    },
    readable: Promise.resolve(),
    warmUp: (api) => warmUp({ api, createGateway: createGateways(gatewayPlatform) }),
    drain: () => Promise.resolve(),
    server: dataPlane.server,
    close() {
      dataPlane.server.shutdown();
      prober.close();
      gatewayPlatform[Symbol.dispose]();
      close();
    },
  };
}

async function openStore(folder: string): Promise<Opened> {
  const now = (): number => Date.now();
  if (folder === IN_MEMORY) return { store: createMemoryStore(now), path: IN_MEMORY, close: () => {} };
  const path = await orUnavailable(() => prepareFolder(folder));
  const { openSqliteStore } = await import("../io/gateway/sqlite_store.ts");
  const opened = openSqliteStore({ path, now });
  if (opened.kind === "refused") throw new Unavailable(opened.message);
  const { store, close, warning } = opened;
  return { store, path, close, ...(warning === undefined ? {} : { warning }) };
}

/** Finds a free port. The stored fleet names its port, since a fleet keeps its port over restarts. */
function freePort(hostname: string): number {
  // Don't write `using`: the minifier of `deno bundle` inlines the variable and drops its declaration, so that the port
  // would never be closed.
  const listener = Deno.listen({ hostname, port: 0 });
  const { port } = listener.addr;
  listener.close();
  return port;
}

/** Creates the guard of a fleet on loopback, whose definitions name the hosts that it answers. */
function createFleetGuard(
  plans: readonly RoutePlan[],
  { "allow-host": allowed }: ServeSettings,
  platform: GatewayPlatform,
): HostGuard {
  return createHostGuard({
    sources: new Set(reachesUpstream(plans) ? ["upstream"] : []),
    hosts: () => [...allowed, ...namedHosts(plans, platform)],
  });
}

/** Starts a probe of each stored service, so that the management API can soon tell which services are available. */
async function tryServices(store: Store, { status }: ServiceProbe): Promise<void> {
  for (const { namespace, name, spec } of (await store.list("fleet")).items) {
    for (const { port } of spec.ports) status(namespace, name, port);
  }
  for (const { namespace, name, port } of await upstreamsIn(store)) status(namespace, name, port);
}

/** The ports of services to which stored APIs and static routes send requests. */
async function upstreamsIn(store: Store): Promise<UpstreamPort[]> {
  const [apis, routes] = await Promise.all([store.list("api"), store.list("staticroute")]);
  return [...apis.items, ...routes.items].flatMap(({ spec }) => spec.summary.upstreams);
}

/**
 * Creates the probe that tells which services are available. An address of `--service` is probed in the background at
 * its first look-up. A fleet's own service is available while this process listens on its ports.
 */
function createServiceProbe(
  prober: Prober,
  resolve: GatewayPlatform["resolveService"],
  dataPlane: Pick<DataPlane, "addresses">,
): ServiceProbe {
  return {
    advice: ["Start gw serve with --service NAMESPACE/NAME=URL."],
    status(namespace, name, port) {
      const url = resolve(namespace, name, port);
      const isAvailable = url === undefined
        ? isListenedOn({ namespace, name }, port)
        : prober.isAvailable(endpointOf(url)) === true;
      return isAvailable ? "available" : "unavailable";
    },
    urlOf(namespace, name, port) {
      const url = resolve(namespace, name, port);
      if (url !== undefined) return url.href.replace(/\/$/, "");
      return dataPlane.addresses.find(({ fleet, port: own }) =>
        own === port && fleet.namespace === namespace && fleet.name === name
      )?.url;
    },
    resolves(namespace, name, port) {
      const url = resolve(namespace, name, port);
      if (url !== undefined) prober.isAvailable(endpointOf(url));
      return url !== undefined || isListenedOn({ namespace, name }, port);
    },
  };

  function isListenedOn({ namespace, name }: FleetRef, port: number): boolean {
    return dataPlane.addresses.some(({ fleet, port: own }) =>
      own === port && fleet.namespace === namespace && fleet.name === name
    );
  }
}
