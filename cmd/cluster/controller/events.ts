import type { Condition, KubernetesObject } from "../../../lib/cluster/object.ts";
import { GROUP } from "../../../lib/cluster/names.ts";
import type { KubeClient } from "../client.ts";
import { EVENT } from "./kinds.ts";

/** The longest `note` of an Event that the API server accepts, in bytes of UTF-8. */
const MAX_BYTES = 1024;
const ELLIPSIS = "...";

/** Reasons of conditions that end without anybody's action: their Events are no warnings. */
const PASSING: ReadonlySet<string> = new Set(["Pending", "WaitingForProtection"]);

/** Reasons that only say what a user has chosen: conditions with them cause no Event. */
const INTENDED: ReadonlySet<string> = new Set(["AllNamespaces"]);

/** Dependencies of the writes of Events. */
export interface EventsOptions {
  client: Pick<KubeClient, "create">;
  /** The name of this replica. */
  identity: string;
  /** The time in milliseconds since 1970. */
  now: () => number;
  onError: (error: unknown) => void;
}

/** Writes Events about changes of conditions, in the background. An Event that can't be written isn't tried again. */
export class Events {
  readonly #options: EventsOptions;
  #written = Promise.resolve();

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  /** Writes an Event for each condition that has changed, one after the other. Resolves when all are written. */
  write(object: KubernetesObject, before: readonly Condition[], after: readonly Condition[]): Promise<void> {
    const { client, identity, now, onError } = this.#options;
    const news = after.filter((condition) => isNews(condition, before.find(({ type }) => type === condition.type)));
    // Programmed implies Accepted.
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
 * Whether a condition is worth an Event. These aren't: a pending or unchanged condition, a user's choice, and a
 * `ResolvedRefs` that reports no missing Service where the one before reported none either.
 */
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

/** The `note` of an Event: a message, cut to the length that the API server accepts. */
function noteOf(message: string): string {
  const bytes = new TextEncoder().encode(message);
  if (bytes.length <= MAX_BYTES) return message;
  const decoder = new TextDecoder();
  // With `stream`, the decoder drops the bytes of an incomplete character.
  return decoder.decode(bytes.subarray(0, MAX_BYTES - ELLIPSIS.length), { stream: true }) + ELLIPSIS;
}
