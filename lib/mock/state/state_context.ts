/**
 * The objects that answers from state are made with: those of a server, and of a session.
 *
 * @module
 */
import type { Binding, Resources } from "../infer/resource.ts";
import type { CacheUse } from "./answer_cache.ts";
import type { BindingPlan, StateHandlers } from "./binding_plan.ts";
import { References } from "./references.ts";
import type { State } from "./store.ts";

/** What the answers of a server share: made once for its definitions, and again when they are reloaded. */
export interface StateAnswers {
  readonly resources: Resources;
  readonly handlers: StateHandlers;
  /** The plan of each binding, made at its first request. */
  readonly plans: Map<Binding, BindingPlan | Promise<BindingPlan>>;
  /** The references between items. */
  readonly references: References;
  /** The memory that cached answers take. */
  readonly cached: CacheUse;
}

/** A session, as answers see it. */
export interface StateContext {
  readonly answers: StateAnswers;
  readonly state: State;
  /** The time of the session's clock, in milliseconds since 1970. */
  readonly now: () => number;
  /** Seed of generated values. */
  readonly seed: number;
}

/** Makes what the answers of a server share. */
export function createStateAnswers(
  resources: Resources,
  handlers: StateHandlers,
): StateAnswers {
  return {
    resources,
    handlers,
    references: new References(resources),
    plans: new Map(),
    cached: { bytes: 0, generation: 0 },
  };
}
