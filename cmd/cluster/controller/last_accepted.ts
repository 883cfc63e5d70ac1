import type { AcceptedPlan } from "../../../lib/cluster/accepted_revision.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { acceptanceOf } from "../acceptance.ts";
import type { AcceptedStates } from "../accepted_states.ts";
import type { Judgement } from "./judge.ts";

/** What was accepted last of each object, until what has been written since is accepted. */
export interface LastAccepted {
  get(key: string): AcceptedPlan | undefined;
  /** What was accepted of an object before it was changed stays in force until the change is accepted, too. */
  remember(key: string, before: JudgedObject, object: ApiObject | StaticRouteObject): void;
  /** Looks in the cluster for what was accepted last, where that was before anybody here looked. */
  lookUp(key: string, object: ApiObject | StaticRouteObject): Promise<void>;
  /** Forgets what was accepted, and gives it. */
  drop(key: string): AcceptedPlan | undefined;
  stop(): void;
}

/** An object that was looked at. */
export interface JudgedObject {
  readonly object: ApiObject | StaticRouteObject;
  /** Whether its definition can be deployed, and if not, why not. */
  readonly judgement: Judgement;
}

/** What remembering needs. */
export interface LastAcceptedOptions {
  /** Finds what stays in force of an object whose present state is refused. */
  acceptedStateOf: AcceptedStates;
  judge: (object: ApiObject | StaticRouteObject) => Promise<Judgement>;
  /** Told of what can't be found. */
  onError: (key: string, error: unknown) => void;
  /** It is time to look again, after looking has failed. */
  onRetry: (key: string) => void;
}

/** When it is looked again, after that has failed, in milliseconds. */
const LOOK_AGAIN = 5_000;

/** Makes what remembers. */
export function createLastAccepted(
  { acceptedStateOf, judge, onError, onRetry }: LastAcceptedOptions,
): LastAccepted {
  const accepted = new Map<string, AcceptedPlan>();
  /** For which states of objects it has been looked in the cluster. */
  const lookedUp = new Map<string, string>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  return {
    get: (key) => accepted.get(key),
    remember,
    lookUp,
    drop(key) {
      const last = accepted.get(key);
      accepted.delete(key);
      lookedUp.delete(key);
      return last;
    },
    stop() {
      for (const timer of timers) clearTimeout(timer);
    },
  };

  function remember(
    key: string,
    { object: before, judgement }: JudgedObject,
    object: ApiObject | StaticRouteObject,
  ): void {
    const { uid, generation = 0 } = before.metadata;
    const isChanged = uid === object.metadata.uid && generation !== object.metadata.generation;
    if (!isChanged || judgement.kind === "refused") return;
    // The change may have come before anybody here has seen that what was there is accepted.
    const states = [before, { ...object, metadata: before.metadata }];
    if (states.some((state) => acceptanceOf(state) === "accepted")) {
      accepted.set(key, { plan: judgement.plan, generation });
    }
  }

  async function lookUp(key: string, object: ApiObject | StaticRouteObject): Promise<void> {
    const acceptance = acceptanceOf(object);
    const isNew = object.status?.conditions === undefined;
    if (isNew || acceptance === "accepted" || accepted.has(key)) return;
    const state = `${object.metadata.uid} ${object.metadata.generation} ${acceptance}`;
    if (lookedUp.get(key) === state) return;
    lookedUp.set(key, state);
    try {
      const last = await acceptedStateOf(object);
      if (last === undefined) return;
      const judgement = await judge(last);
      if (judgement.kind === "refused") {
        const reason = `What was accepted of it before is refused by now: ${judgement.errors.join(" ")}`;
        return onError(key, new Error(reason));
      }
      accepted.set(key, { plan: judgement.plan, generation: last.metadata.generation ?? 0 });
    } catch (error) {
      onError(key, error);
      lookedUp.delete(key);
      retry(key);
    }
  }

  function retry(key: string): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      onRetry(key);
    }, LOOK_AGAIN);
    timers.add(timer);
  }
}
