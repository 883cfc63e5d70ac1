/**
 * The messages of `gw serve`.
 *
 * @module
 */
import type { FleetRef } from "../lib/gateway/route.ts";

const API = "gateway-management-api 1.0.0";

/** `gateway-management-api 1.0.0 on http://127.0.0.1:8090 (store: ~/.local/state/gw/gw.db)` */
export function managementAt(url: string, store: string): string {
  return `${API} on ${url} (store: ${store})`;
}

/** `fleet default/default on http://127.0.0.1:8080` */
export function fleetAt({ namespace, name }: FleetRef, url: string): string {
  return `fleet ${namespace}/${name} on ${url}`;
}

/** `api default/todo on fleet default/default` */
export function deployed(kind: string, { namespace, name }: FleetRef, fleet: FleetRef): string {
  return `${kind} ${namespace}/${name} on fleet ${fleet.namespace}/${fleet.name}`;
}
