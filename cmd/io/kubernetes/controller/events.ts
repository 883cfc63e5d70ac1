import type { Condition, KubernetesObject } from "../../../../lib/gateway/kubernetes/object.ts";
import { GROUP } from "../../../../lib/gateway/kubernetes/names.ts";
import type { KubeClient } from "../client.ts";
import { EVENT } from "./kinds.ts";

/** The longest note of an Event. */
const MOST_CHARACTERS = 1024;

/** Conditions that don't need anybody's attention while they are false: they only take their time. */
const PASSING: ReadonlySet<string> = new Set(["Pending", "WaitingForProtection"]);

/** What writing Events needs. */
export interface EventsOptions {
  client: Pick<KubeClient, "create">;
  /** Who this replica is. */
  identity: string;
  now: () => number;
  onError: (error: unknown) => void;
}

/** Makes what writes an Event for each condition that has changed. What can't be written isn't tried again. */
export function createEvents(
  { client, identity, now, onError }: EventsOptions,
): (object: KubernetesObject, before: readonly Condition[], after: readonly Condition[]) => Promise<void> {
  return async (object, before, after) => {
    const changed = after.filter(({ type, status, reason }) => {
      const known = before.find((condition) => condition.type === type);
      return status !== "Unknown" && (known?.status !== status || known.reason !== reason);
    });
    for (const condition of changed) {
      await client.create(EVENT, eventOf(object, condition, identity, now())).catch(onError);
    }
  };
}

function eventOf(
  { apiVersion, kind, metadata }: KubernetesObject,
  { status, reason, message }: Condition,
  identity: string,
  now: number,
): KubernetesObject {
  const { namespace = "default", name, uid, resourceVersion } = metadata;
  return {
    apiVersion: EVENT.apiVersion,
    kind: EVENT.kind,
    metadata: { namespace, name: `${name}.${crypto.randomUUID().replaceAll("-", "").slice(0, 16)}` },
    eventTime: new Date(now).toISOString().replace("Z", "000Z"),
    reportingController: `${GROUP}/gw`,
    reportingInstance: identity,
    action: "Reconcile",
    reason,
    note: message.length > MOST_CHARACTERS ? `${message.slice(0, MOST_CHARACTERS - 3)}...` : message,
    type: status === "True" || PASSING.has(reason) ? "Normal" : "Warning",
    regarding: { apiVersion, kind, namespace, name, uid, resourceVersion },
  };
}
