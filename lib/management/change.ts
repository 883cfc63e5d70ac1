import { messageOf } from "../http/message.ts";
import type { Gateway } from "./options.ts";
import { refusal } from "./refusal.ts";
import type { AnyResource } from "../gateway/resource.ts";
import type { Change, Store, StoredResource } from "./store.ts";

/** Makes changes to what is deployed. */
export interface Changer {
  /** Runs what decides on changes and makes them; one such run at a time, so that what it has seen stays true. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Makes changes: all of them, or none. Resolves when the store has them and requests to the gateway see them.
   *
   * @throws {Refusal} When the gateway can't follow; it says whether the store is as it was then.
   */
  make(changes: readonly Change[], dryRun: boolean): Promise<StoredResource[]>;
}

/** Makes what changes a store and a gateway together. */
export function createChanger(store: Store, gateway: Gateway): Changer {
  let last: Promise<unknown> = Promise.resolve();
  return { inTurn, make };

  function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = last.then(work, work);
    last = turn;
    return turn;
  }

  async function make(changes: readonly Change[], dryRun: boolean): Promise<StoredResource[]> {
    if (dryRun) return await store.apply(changes, { dryRun });
    const before = await Promise.all(changes.map(({ resource }) => find(resource)));
    const changed = await store.apply(changes);
    try {
      await gateway.apply();
    } catch (error) {
      const outcome = await undo(changes.map((change, index) => inverseOf(change, before[index])).toReversed());
      throw refusal(503, `The gateway can't do this: ${sentenceOf(error)} ${outcome}`, [["retry-after", "5"]]);
    }
    return changed;
  }

  /** Takes changes back, and says what came of it. */
  async function undo(inverses: readonly Change[]): Promise<string> {
    try {
      await store.apply(inverses);
    } catch (error) {
      return "The change is stored all the same, and can't be taken back: " +
        `${sentenceOf(error)} It comes into force with the next change, or the next start.`;
    }
    try {
      await gateway.apply();
      return "Nothing was changed.";
    } catch {
      return "The store is as it was; the gateway comes to it with the next change, or the next start.";
    }
  }

  function find({ kind, namespace, name }: Change["resource"]): Promise<StoredResource | undefined> {
    switch (kind) {
      case "api":
        return store.get(kind, namespace, name);
      case "fleet":
        return store.get(kind, namespace, name);
      case "staticroute":
        return store.get(kind, namespace, name);
    }
  }
}

function inverseOf({ kind, resource }: Change, before: StoredResource | undefined): Change {
  if (before === undefined) return { kind: "delete", resource };
  return { kind: kind === "delete" ? "create" : "update", resource: withoutVersion(before) };
}

/** A reason as a sentence. */
function sentenceOf(error: unknown): string {
  const message = messageOf(error);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function withoutVersion({ version: _version, created: _created, ...resource }: StoredResource): AnyResource {
  return resource;
}
