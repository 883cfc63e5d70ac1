import type { Hints } from "../../../schema/hints.ts";
import { exactInteger } from "../../../schema/json/json.ts";
import { isNumber } from "../../../schema/json/value.ts";
import { hashWith } from "../../generate/random.ts";
import type { BindingPlan } from "../binding_plan.ts";
import type { ScopePattern } from "./item.ts";
import { idScope } from "./item_place.ts";
import { valueAt } from "../../../schema/json/pointer.ts";
import type { StateContext } from "../state_context.ts";
import type { State } from "../store/store.ts";
import { writeJson } from "../../../schema/json/json.ts";

/** Limit of the generated ids that are tried. Further ids are hashes. */
const MOST_TRIED = 8;
/** In the search for a free numeric id, after this many taken numbers the step to the next number doubles each time. */
const MOST_NUMBERS = 10_000;
/**
 * Limit of the scopes of a resource whose last number is remembered. In further scopes, numbering starts at the number
 * of items.
 */
const MOST_SCOPES = 1_000;

/**
 * An id that no other item has: the next number or, for texts, a generated id.
 *
 * @param generated The id in the generated item.
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
  const within = idScope(resource, scope);
  const made = state.madeItems(resource.name);
  const isFree = (id: string | number): boolean => state.get(resource.name, within, String(id)) === undefined;
  const isNumeric = isNumber(generated) || (hints.types.has("integer") && !hints.types.has("string"));
  if (isNumeric) return freeNumber(hints, state, resource.name, within, isFree);
  if (typeof generated === "string" && generated !== "" && isFree(generated)) return generated;
  for (let attempt = 1; attempt <= MOST_TRIED; attempt++) {
    const seed = hashWith(hashWith(context.seed, resource.name), `${made} ${attempt}`);
    const id = valueAt(item.fresh(seed), resource.id);
    if (typeof id === "string" && id !== "" && isFree(id)) return id;
  }
  for (let attempt = 0;; attempt++) {
    const hash = hashWith(hashWith(context.seed, resource.name), made + attempt);
    const id = (hash >>> 0).toString(16).padStart(8, "0");
    if (isFree(id)) return id;
  }
}

function freeNumber(
  hints: Hints,
  state: State,
  name: string,
  scope: ScopePattern,
  isFree: (id: number) => boolean,
): number {
  const lastNumbers = state.lastNumbers(name);
  const key = writeJson(scope);
  const least = Math.max(1, ...hints.schemas.map(({ minimum = 1 }) => Math.ceil(Number(minimum))));
  let next = Math.max(least, (lastNumbers.get(key) ?? state.list(name, scope).size) + 1);
  for (let tried = 1, step = 1; !isFree(next); tried++, next += step) if (tried >= MOST_NUMBERS) step *= 2;
  lastNumbers.delete(key);
  lastNumbers.set(key, next);
  const [oldest] = lastNumbers.keys();
  if (lastNumbers.size > MOST_SCOPES && oldest !== undefined) lastNumbers.delete(oldest);
  return next;
}

/** The id in a path, converted to the type that the schema declares. */
export function typedId({ types }: Hints, text: string): string | number | bigint {
  const exact = types.has("string") ? undefined : exactInteger(text);
  if (exact !== undefined && (types.has("integer") || types.has("number"))) return exact;
  const number = types.has("string") || text.trim() !== text || text === "" ? NaN : Number(text);
  const isNumber = (types.has("integer") || types.has("number")) && Number.isSafeInteger(number);
  return isNumber && String(number) === text ? number : text;
}
