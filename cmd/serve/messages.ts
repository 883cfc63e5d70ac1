/**
 * The messages of `gw serve`.
 *
 * @module
 */
import type { FleetRef } from "../../lib/gateway/route.ts";
import type { DefaultPort } from "./default_fleet.ts";

const API = "gateway-management-api 1.0.0";

/** `gateway-management-api 1.0.0 on http://127.0.0.1:8090 (store: ~/.local/state/gw/gw.db)` */
export function managementAt(url: string, store: string): string {
  return `${API} on ${url} (store: ${store})`;
}

/**
 * `fleet default/default on http://127.0.0.1:8080`
 *
 * @param remark A remark on the address.
 */
export function fleetAt({ namespace, name }: FleetRef, url: string, remark = ""): string {
  return `fleet ${namespace}/${name} on ${url}${remark && ` (${remark})`}`;
}

/** The remark on the port that the default fleet got at the start; empty for a port that needs none. */
export function remarkOn(fleetPort: DefaultPort): string {
  switch (fleetPort.kind) {
    case "unchanged":
    case "no-fleet":
      return "";
    case "next":
      return `another program has port ${fleetPort.wanted}; later starts take ${fleetPort.port} too, unless ` +
        "--fleet-port names another";
    case "kept":
      return `as before; --fleet-port ${fleetPort.usual} moves it`;
    case "moved":
      return `before: port ${fleetPort.before}`;
  }
}

/** `--fleet-port 9000 has no effect: …` */
export function noDefaultFleet({ namespace, name }: FleetRef, wanted: number): string {
  return `--fleet-port ${wanted} has no effect: the store has no fleet ${namespace}/${name}. ` +
    `Create it: gw create fleet ${name} -n ${namespace} --port ${wanted}`;
}

/** The most services that a message names. */
const MOST_SERVICES = 10;

/**
 * `no URL for service default/todo, whose requests are answered 503: --service default/todo=http://127.0.0.1:3000`
 *
 * @param names The services without a URL, as `namespace/name`.
 */
export function unknownServices(names: readonly string[]): string[] {
  const [first] = names;
  if (first === undefined) return [];
  const more = names.length - MOST_SERVICES;
  const shown = `${names.slice(0, MOST_SERVICES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  const subject = names.length === 1 ? "service" : "services";
  return [
    `no URL for ${subject} ${shown}, whose requests are answered 503: --service ${first}=http://127.0.0.1:3000 names one`,
  ];
}

/** `api default/todo on fleet default/default` */
export function deployed(kind: string, { namespace, name }: FleetRef, fleet: FleetRef): string {
  return `${kind} ${namespace}/${name} on fleet ${fleet.namespace}/${fleet.name}`;
}
