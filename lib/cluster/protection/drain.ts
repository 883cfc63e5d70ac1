import { isObject } from "../../schema/json/node.ts";
import type { KubernetesObject } from "../object.ts";

/** The times that a group (an HTTPRoute and its policies) waits before it opens, in milliseconds. */
export interface ProtectionTimes {
  /** The time from a status of the gateway that accepts an object until all proxies have the object's configuration. */
  readonly settle: number;
  /** The time after `settle` until the proxies have closed all connections that were opened before (drained them). */
  readonly drain: number;
}

/** The drain time of a proxy whose EnvoyProxy has no `shutdown.drainTimeout`, in milliseconds. */
const DEFAULT_DRAIN = 60_000;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * Returns the drain time of an EnvoyProxy, in milliseconds. For so long its proxies serve existing connections with the
 * old configuration.
 */
export function drainTimeOf(envoyProxy: KubernetesObject | undefined): number {
  const spec = isObject(envoyProxy?.spec) ? envoyProxy.spec : {};
  const shutdown = isObject(spec["shutdown"]) ? spec["shutdown"] : {};
  const { drainTimeout } = shutdown;
  return typeof drainTimeout === "string" ? durationOf(drainTimeout) ?? DEFAULT_DRAIN : DEFAULT_DRAIN;
}

/** Returns the EnvoyProxy that a Gateway or GatewayClass refers to. */
export function envoyProxyOf(
  { metadata: { namespace = "" }, spec }: KubernetesObject,
): { namespace: string; name: string } | undefined {
  const holder = isObject(spec) && isObject(spec["infrastructure"]) ? spec["infrastructure"] : spec;
  const reference = isObject(holder) ? holder["parametersRef"] : undefined;
  if (!isObject(reference) || reference["kind"] !== "EnvoyProxy") return undefined;
  const { name, namespace: where } = reference;
  return typeof name === "string" ? { name, namespace: typeof where === "string" ? where : namespace } : undefined;
}

/** Parses a duration of the Gateway API (GEP-2257), such as `1m30s`, to milliseconds. */
function durationOf(text: string): number | undefined {
  if (!/^(\d+(h|ms|m|s))+$/.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)(h|ms|m|s)/g)) {
    milliseconds += Number(count) * (UNITS[unit] ?? 0);
  }
  return milliseconds;
}
