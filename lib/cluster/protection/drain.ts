import { isObject } from "../../schema/node.ts";
import type { KubernetesObject } from "../object.ts";

/** Times that the protection of a route waits for, in milliseconds. */
export interface ProtectionTimes {
  /** The time from the gateway's status about a configuration until all proxies have that configuration. */
  readonly settle: number;
  /** The time after `settle` until connections that were opened before are drained (closed by the proxies). */
  readonly drain: number;
}

/** The drain time of Envoy Gateway's proxies without `shutdown.drainTimeout`, in milliseconds. */
const DEFAULT_DRAIN = 60_000;

const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * The drain time of an EnvoyProxy, in milliseconds. For that time, existing connections have the earlier configuration.
 */
export function drainTimeOf(envoyProxy: KubernetesObject | undefined): number {
  const spec = isObject(envoyProxy?.spec) ? envoyProxy.spec : {};
  const shutdown = isObject(spec["shutdown"]) ? spec["shutdown"] : {};
  const { drainTimeout } = shutdown;
  return typeof drainTimeout === "string" ? durationOf(drainTimeout) ?? DEFAULT_DRAIN : DEFAULT_DRAIN;
}

/** The name and namespace of the EnvoyProxy that a Gateway or a GatewayClass refers to. */
export function envoyProxyOf(
  { metadata: { namespace = "" }, spec }: KubernetesObject,
): { namespace: string; name: string } | undefined {
  const holder = isObject(spec) && isObject(spec["infrastructure"]) ? spec["infrastructure"] : spec;
  const reference = isObject(holder) ? holder["parametersRef"] : undefined;
  if (!isObject(reference) || reference["kind"] !== "EnvoyProxy") return undefined;
  const { name, namespace: where } = reference;
  return typeof name === "string" ? { name, namespace: typeof where === "string" ? where : namespace } : undefined;
}

/** A duration of the Gateway API (GEP-2257): `1m30s`. */
function durationOf(text: string): number | undefined {
  if (!/^(\d+(h|ms|m|s))+$/.test(text)) return undefined;
  let milliseconds = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d+)(h|ms|m|s)/g)) {
    milliseconds += Number(count) * (UNITS[unit] ?? 0);
  }
  return milliseconds;
}
