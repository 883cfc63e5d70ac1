import type { KubernetesObject, StatusCondition } from "../../../lib/cluster/object.ts";
import { GROUP } from "../../../lib/cluster/names.ts";
import type { KubeClient } from "../client.ts";
import { EVENT } from "./kinds.ts";

/** The longest `note` of an Event that the API server accepts, in bytes of UTF-8. */
const MAX_BYTES = 1024;
const ELLIPSIS = "...";

/** Reasons of conditions that end by themselves. Their Events have the type `Normal`, not `Warning`. */
const TRANSIENT_REASONS: ReadonlySet<string> = new Set(["Pending", "WaitingForProtection"]);

/** Reasons of conditions that only report a user's choice. They cause no Event. */
const INTENDED_REASONS: ReadonlySet<string> = new Set(["AllNamespaces"]);

/** Options of {@linkcode Events}. */
export interface EventsOptions {
  client: Pick<KubeClient, "create">;
  /** The name of this replica, for `reportingInstance`. */
  identity: string;
  /** Returns the time in milliseconds since 1970. */
  now: () => number;
  onError: (error: unknown) => void;
}

/** Writes Events about changes of conditions, in the background. An Event that can't be written is not tried again. */
export class Events {
  readonly #options: EventsOptions;
  #written = Promise.resolve();

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  /** Writes an Event for each condition that has changed, one after the other. Resolves when all are written. */
  write(
    object: KubernetesObject,
    before: readonly StatusCondition[],
    after: readonly StatusCondition[],
  ): Promise<void> {
    const { client, identity, now, onError } = this.#options;
    const news = after.filter((condition) => isNews(condition, before.find(({ type }) => type === condition.type)));
    // `Programmed` implies `Accepted`, so one Event is enough.
    const isProgrammed = news.some(({ type, status }) => type === "Programmed" && status === "True");
    for (const condition of news) {
      if (isProgrammed && condition.type === "Accepted") continue;
      const event = eventOf(object, condition, identity, now());
      this.#written = this.#written.then(() => client.create(EVENT, event)).then(() => {}, onError);
    }
    return this.#written;
  }
}

/**
 * Tells whether a change of a condition causes an Event. It doesn't if the condition is pending, unchanged or a user's
 * choice, or is a `ResolvedRefs` that has no problem and had none before.
 */
function isNews({ type, status, reason }: StatusCondition, before: StatusCondition | undefined): boolean {
  if (status === "Unknown" || reason === "Pending" || INTENDED_REASONS.has(reason)) return false;
  if (before?.status === status && before.reason === reason) return false;
  return type !== "ResolvedRefs" || status === "False" || before?.status === "False";
}

function eventOf(
  { apiVersion, kind, metadata }: KubernetesObject,
  { status, reason, message }: StatusCondition,
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
    type: status === "True" || TRANSIENT_REASONS.has(reason) ? "Normal" : "Warning",
    regarding: { apiVersion, kind, namespace, name, uid, resourceVersion },
  };
}

/** Cuts a message to the longest `note` that the API server accepts. */
function noteOf(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MAX_BYTES) return message;
  const decoder = new TextDecoder();
  // With `stream`, the decoder leaves out the bytes of an incomplete character at the end.
  return decoder.decode(bytes.subarray(0, MAX_BYTES - ELLIPSIS.length), { stream: true }) + ELLIPSIS;
}
