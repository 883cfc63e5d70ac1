/**
 * The context of answers from state: the objects of the server, and those of the session.
 *
 * @module
 */
import type { Binding, Resources } from "../infer/resource.ts";
import type { CacheUse } from "./answer_cache.ts";
import type { BindingPlan, StateHandlers } from "./binding_plan.ts";
import { References } from "./item/references.ts";
import type { State } from "./store/store.ts";

/** The objects of a server that all answers from state share. Made anew when the definitions are reloaded. */
export interface StateAnswers {
  readonly resources: Resources;
  readonly handlers: StateHandlers;
  /** The plan of each binding, made at its first request. */
  readonly plans: Map<Binding, BindingPlan | Promise<BindingPlan>>;
  readonly references: References;
  /** Estimated memory of the cached answers. */
  readonly cached: CacheUse;
}

/** The parts of a session that answers from state need. */
export interface StateContext {
  readonly answers: StateAnswers;
  readonly state: State;
  /** The time of the session's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  /** The session's seed for generated values. */
  readonly seed: number;
}

export function createStateAnswers(
  resources: Resources,
  handlers: StateHandlers,
): StateAnswers {
  return {
    resources,
    handlers,
    references: new References(resources),
    plans: new Map(),
    cached: { bytes: 0, caches: new Set() },
  };
}
