import { messageOf } from "../http/message.ts";
import type { Gateway } from "./options.ts";
import { errorResponse } from "../api/error_response.ts";
import type { AnyResource } from "../gateway/resource.ts";
import type { Change, Store, StoredResource } from "./store.ts";

/** Applies changes to the store, and then to the gateway. */
export class Changer {
  readonly #store: Store;
  readonly #gateway: Gateway;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store, gateway: Gateway) {
    this.#store = store;
    this.#gateway = gateway;
  }

  /**
   * Runs a function that decides on changes and applies them. Only one such function runs at a time, so that no other
   * change invalidates its decision.
   */
  exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(work, work);
    this.#last = result;
    return result;
  }

  /**
   * Applies changes: all of them, or none. Resolves when the store has the changes and the gateway serves them.
   *
   * @throws {ErrorResponse} If the gateway fails; its problem tells whether the store is as before.
   */
  async apply(changes: readonly Change[], dryRun: boolean): Promise<StoredResource[]> {
    if (dryRun) return await this.#store.apply(changes, { dryRun });
    const before = await Promise.all(changes.map(({ resource }) => this.#find(resource)));
    const changed = await this.#store.apply(changes);
    try {
      await this.#gateway.apply();
    } catch (error) {
      const outcome = await this.#rollBack(
        changes.map((change, index) => inverseOf(change, before[index])).toReversed(),
      );
      throw errorResponse(503, `The gateway can't do this: ${sentenceOf(error)} ${outcome}`, [["retry-after", "5"]]);
    }
    return changed;
  }

  /**
   * Undoes changes of the store, after the gateway has failed to apply them.
   *
   * @returns The outcome, as a sentence.
   */
  async #rollBack(inverses: readonly Change[]): Promise<string> {
    try {
      await this.#store.apply(inverses);
    } catch (error) {
      return "The change is stored all the same, and can't be taken back: " +
        `${sentenceOf(error)} It comes into force with the next change, or the next start.`;
    }
    try {
      await this.#gateway.apply();
      return "Nothing was changed.";
    } catch {
      return "The store is as it was; the gateway comes to it with the next change, or the next start.";
    }
  }

  #find({ kind, namespace, name }: Change["resource"]): Promise<StoredResource | undefined> {
    switch (kind) {
      case "api":
        return this.#store.get(kind, namespace, name);
      case "fleet":
        return this.#store.get(kind, namespace, name);
      case "staticroute":
        return this.#store.get(kind, namespace, name);
    }
  }
}

function inverseOf({ kind, resource }: Change, before: StoredResource | undefined): Change {
  if (before === undefined) return { kind: "delete", resource };
  return { kind: kind === "delete" ? "create" : "update", resource: withoutVersion(before) };
}

/** Returns the message of an error, with a full stop at its end. */
function sentenceOf(error: unknown): string {
  const message = messageOf(error);
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

function withoutVersion({ version: _version, created: _created, ...resource }: StoredResource): AnyResource {
  return resource;
}
