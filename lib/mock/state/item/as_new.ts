import type { Hints } from "../../../schema/hints.ts";
import type { JsonObject } from "../../../schema/json/node.ts";
import { phraseOf } from "../../../names/words.ts";
import { firstState } from "../store/first_state.ts";
import { isStateName } from "../perform_action.ts";
import { stampOf } from "./stamps.ts";

/** Fields, split into words, with the time or the author of a past event: `cancelled at`, `closed by`. */
const DONE = /[a-z]{2,}(?:ed|id|nt|wn|ne|en) (?:at|on|date|time|by)$/;
/** Fields, split into words, with the time or the author of an event that happens at creation: `created by`. */
const KNOWN = /^(?:created|updated|modified|owned|opened|submitted|requested|issued|provided) /;

/**
 * Turns a generated item into a newly created one. Its `status` is its first state.
 * Times of later events, such as `cancelledAt`, become `null` or are left out.
 */
export function asNew(value: JsonObject, hints: Hints): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
      const field = hints.property(name);
      const plain = phraseOf(name);
      if (isStateName(plain)) return [[name, firstState(field) ?? part]];
      if (!DONE.test(plain) || KNOWN.test(plain) || stampOf(name) !== undefined) return [[name, part]];
      if (field.types.has("null")) return [[name, null]];
      return hints.required.has(name) ? [[name, part]] : [];
    }),
  );
}
