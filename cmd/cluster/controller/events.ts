import type { Condition, KubernetesObject } from "../../../lib/cluster/object.ts";
import { GROUP } from "../../../lib/cluster/names.ts";
import type { KubeClient } from "../client.ts";
import { EVENT } from "./kinds.ts";

/** The longest note of an Event, in bytes of UTF-8. */
const MOST_BYTES = 1024;
const ELLIPSIS = "...";

/** Reasons of what needs nobody's attention, only its time. */
const PASSING: ReadonlySet<string> = new Set(["Pending", "WaitingForProtection"]);

/** What writing Events needs. */
export interface EventsOptions {
  client: Pick<KubeClient, "create">;
  /** Who this replica is. */
  identity: string;
  now: () => number;
  onError: (error: unknown) => void;
}

/**
 * Makes what writes an Event for each condition that has changed, after those before. Nobody waits for it, and what can't
 * be written isn't tried again.
 */
export function createEvents(
  { client, identity, now, onError }: EventsOptions,
): (object: KubernetesObject, before: readonly Condition[], after: readonly Condition[]) => void {
  let written = Promise.resolve();
  return (object, before, after) => {
    const news = after.filter((condition) => isNews(condition, before.find(({ type }) => type === condition.type)));
    // That it is on the air says that it is accepted.
    const isOnAir = news.some(({ type, status }) => type === "Programmed" && status === "True");
    for (const condition of news) {
      if (isOnAir && condition.type === "Accepted") continue;
      const event = eventOf(object, condition, identity, now());
      written = written.then(() => client.create(EVENT, event)).then(() => {}, onError);
    }
  };
}

/** Reasons of what somebody has said just so. */
const INTENDED: ReadonlySet<string> = new Set(["AllNamespaces"]);

/** Whether a condition says something that one wants to be told; not that something has begun, or hasn't been wrong. */
function isNews({ type, status, reason }: Condition, before: Condition | undefined): boolean {
  if (status === "Unknown" || reason === "Pending" || INTENDED.has(reason)) return false;
  if (before?.status === status && before.reason === reason) return false;
  return type !== "ResolvedRefs" || status === "False" || before?.status === "False";
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
    note: noteOf(message),
    type: status === "True" || PASSING.has(reason) ? "Normal" : "Warning",
    regarding: { apiVersion, kind, namespace, name, uid, resourceVersion },
  };
}

/** A message as a note: the API server refuses one of more bytes. */
function noteOf(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MOST_BYTES) return message;
  const decoder = new TextDecoder();
  // With `stream`, the decoder keeps the first bytes of a character that was cut to itself.
  return decoder.decode(bytes.subarray(0, MOST_BYTES - ELLIPSIS.length), { stream: true }) + ELLIPSIS;
}
