import type { Gateway } from "./options.ts";
import { refusal } from "./refusal.ts";
import type { AnyResource, Change, Store, StoredResource } from "./store.ts";

/** Makes changes to what is deployed. */
export interface Changer {
  /** Runs what decides on changes and makes them; one such run at a time, so that what it has seen stays true. */
  inTurn<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Makes changes: all of them, or none. Resolves when the store has them and requests to the gateway see them.
   *
   * @throws {Refusal} When the gateway can't follow; the store is as it was then.
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
      await store.apply(changes.map((change, index) => inverseOf(change, before[index])).toReversed());
      await gateway.apply().catch(() => {});
      const reason = error instanceof Error ? error.message : String(error);
      throw refusal(503, `The gateway can't do this: ${reason} Nothing was changed.`, [["retry-after", "5"]]);
    }
    return changed;
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

function withoutVersion({ version: _version, created: _created, ...resource }: StoredResource): AnyResource {
  return resource;
}
