import type { FleetSpec } from "../../lib/gateway/resource.ts";
import { type FleetRef, qualifiedName } from "../../lib/gateway/route.ts";
import type { Store } from "../../lib/management/store.ts";
import type { DataPlane } from "../io/gateway/data_plane.ts";
import { DEFAULT_PORT } from "../io/listener.ts";
import { Unavailable } from "./backend.ts";

/** The fleet of a new store, and the fleet of `--fleet-port`. */
export const DEFAULT_FLEET: FleetRef = { namespace: "default", name: "default" };
/** The ports to try for the fleet of a new store. */
const FIRST_PORTS = Array.from({ length: 100 }, (_, index) => DEFAULT_PORT + index);

/** What became of the default fleet's port at the start. */
export type DefaultPort =
  | { kind: "unchanged" }
  /** The fleet was created on `port`, as another program has `wanted`. */
  | { kind: "next"; port: number; wanted: number }
  /** The stored fleet has another port than `usual`, and `--fleet-port` names none. */
  | { kind: "kept"; usual: number }
  /** `--fleet-port` has moved the fleet from the port `before`. */
  | { kind: "moved"; port: number; before: number }
  /** `--fleet-port` has no effect: somebody has deleted the fleet. */
  | { kind: "no-fleet"; wanted: number };

/** Dependencies of {@linkcode provideDefaultFleet}. */
export interface DefaultFleetOptions {
  store: Store;
  dataPlane: Pick<DataPlane, "reserve">;
  /** The port of `--fleet-port`; 0 for any. Default: that of the stored fleet, else the first free one from 8080. */
  wanted: number | undefined;
  /** Finds a free port. A fleet keeps its port over restarts, so the port is chosen before the fleet is stored. */
  freePort: () => number;
}

/**
 * Creates the default fleet in an empty store. In any other store, moves the default fleet to the port of
 * `--fleet-port`.
 *
 * @throws {Unavailable} If the port isn't available, or the fleet has several ports and `--fleet-port` isn't one of them.
 */
export async function provideDefaultFleet(options: DefaultFleetOptions): Promise<DefaultPort> {
  const { store, wanted } = options;
  if (store.revision === 0) return await createFleet(options);
  return wanted === undefined ? await keepFleet(store) : await moveFleet({ ...options, wanted });
}

async function createFleet({ store, dataPlane, wanted, freePort }: DefaultFleetOptions): Promise<DefaultPort> {
  const ports = wanted === undefined ? FIRST_PORTS : [wanted === 0 ? freePort() : wanted];
  let reason = "";
  for (const port of ports) {
    reason = dataPlane.reserve(DEFAULT_FLEET, [port]) ?? "";
    if (reason !== "") continue;
    const item = { name: "http", nodePort: 0, port, protocol: "TCP", targetPort: 0 };
    const spec: FleetSpec = { serviceType: "ClusterIP", ports: [item] };
    await store.apply([{ kind: "create", resource: { kind: "fleet", ...DEFAULT_FLEET, spec } }]);
    return wanted === undefined && port !== DEFAULT_PORT
      ? { kind: "next", port, wanted: DEFAULT_PORT }
      : { kind: "unchanged" };
  }
  throw new Unavailable(`The fleet ${qualifiedName(DEFAULT_FLEET)} finds no free port: ${reason}`);
}

async function keepFleet(store: Store): Promise<DefaultPort> {
  const fleet = await store.get("fleet", DEFAULT_FLEET.namespace, DEFAULT_FLEET.name);
  const [only, ...others] = fleet?.spec.ports ?? [];
  const isUnusual = only !== undefined && others.length === 0 && only.port !== DEFAULT_PORT;
  return isUnusual ? { kind: "kept", usual: DEFAULT_PORT } : { kind: "unchanged" };
}

async function moveFleet(
  { store, dataPlane, wanted }: DefaultFleetOptions & { wanted: number },
): Promise<DefaultPort> {
  if (wanted === 0) return { kind: "unchanged" };
  const fleet = await store.get("fleet", DEFAULT_FLEET.namespace, DEFAULT_FLEET.name);
  if (fleet === undefined) return { kind: "no-fleet", wanted };
  const { ports } = fleet.spec;
  if (ports.some(({ port }) => port === wanted)) return { kind: "unchanged" };
  const [only, ...others] = ports;
  if (only === undefined || others.length > 0) {
    throw new Unavailable(severalPorts(ports.map(({ port }) => port), wanted));
  }
  // No fleet listens yet, so `reserve` knows no ports of the others.
  const rival = (await store.list("fleet")).items.find(({ spec }) => spec.ports.some(({ port }) => port === wanted));
  const reason = rival === undefined
    ? dataPlane.reserve(DEFAULT_FLEET, [wanted])
    : `The fleet ${qualifiedName(rival)} has port ${wanted}.`;
  if (reason !== undefined) {
    throw new Unavailable(`The fleet ${qualifiedName(DEFAULT_FLEET)} stays on port ${only.port}. ${reason}`);
  }
  const spec: FleetSpec = { ...fleet.spec, ports: [{ ...only, port: wanted }] };
  const resource = { kind: "fleet" as const, ...DEFAULT_FLEET, spec };
  await store.apply([{ kind: "update", resource, ifVersion: fleet.version }]);
  return { kind: "moved", port: wanted, before: only.port };
}

function severalPorts(ports: readonly number[], wanted: number): string {
  const { namespace, name } = DEFAULT_FLEET;
  return `--fleet-port ${wanted}: the fleet ${namespace}/${name} has ${ports.length} ports, ${ports.join(", ")}. ` +
    "Start without --fleet-port, and replace the fleet's ports with the management API: " +
    `PUT /fleets/${namespace}/${name}.`;
}
