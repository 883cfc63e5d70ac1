import type { Hints } from "../../schema/hints.ts";
import { hashWith } from "../generate/random.ts";
import type { BindingPlan } from "./binding_plan.ts";
import { valueAt } from "./parts.ts";
import type { StateContext } from "./state_context.ts";
import type { State } from "./store.ts";

/** The most generated ids that are tried before one is made of a hash. */
const MOST_TRIED = 8;
/** The most numbers in a row that are tried. */
const MOST_NUMBERS = 10_000;

/** The number that each resource of a state gave last. Only a start for the search of a free number. */
const LAST_NUMBERS = new WeakMap<State, Map<string, number>>();

/**
 * An id that no item of the collection has: the next number, or a generated text.
 *
 * @param generated The id that the generated item has.
 */
export function freeId(
  plan: BindingPlan,
  context: StateContext,
  scope: readonly string[],
  generated: unknown,
): string | number {
  const { binding: { resource }, item } = plan;
  const { state } = context;
  const hints = resource.id.reduce((at, name) => at.property(name), item.hints);
  const isFree = (id: string | number): boolean => state.get(resource.name, scope, String(id)) === undefined;
  const isNumber = typeof generated === "number" || (hints.types.has("integer") && !hints.types.has("string"));
  if (isNumber) return freeNumber(hints, state, resource.name, scope, isFree);
  if (typeof generated === "string" && generated !== "" && isFree(generated)) return generated;
  for (let attempt = 1; attempt <= MOST_TRIED; attempt++) {
    const seed = hashWith(hashWith(context.seed, resource.name), `${state.revision} ${attempt}`);
    const id = valueAt(item.fresh(seed), resource.id);
    if (typeof id === "string" && id !== "" && isFree(id)) return id;
  }
  const hash = hashWith(hashWith(context.seed, resource.name), state.revision);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

function freeNumber(
  hints: Hints,
  state: State,
  name: string,
  scope: readonly string[],
  isFree: (id: number) => boolean,
): number {
  let last = LAST_NUMBERS.get(state);
  if (last === undefined) LAST_NUMBERS.set(state, last = new Map());
  const key = JSON.stringify([name, scope]);
  const least = Math.max(1, ...hints.schemas.map(({ minimum = 1 }) => Math.ceil(minimum)));
  let next = Math.max(least, (last.get(key) ?? state.list(name, scope).size) + 1);
  for (let tried = 0; tried < MOST_NUMBERS && !isFree(next); tried++) next++;
  last.set(key, next);
  return next;
}

/** An id that a path has as text, as the type that the schema has for it. */
export function typedId({ types }: Hints, text: string): string | number {
  const number = types.has("string") || text.trim() !== text || text === "" ? NaN : Number(text);
  const isNumber = (types.has("integer") || types.has("number")) && Number.isSafeInteger(number);
  return isNumber && String(number) === text ? number : text;
}
