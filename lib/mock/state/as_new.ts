import type { Hints } from "../../schema/hints.ts";
import type { JsonObject } from "../../schema/node.ts";
import { wordsOf } from "../infer/words.ts";
import { isStateName } from "./perform_action.ts";
import { stampOf } from "./stamps.ts";

/** Names of when something was done to an item, and by whom: `cancelled at`, `closed by`. */
const DONE = /[a-z]{2,}(?:ed|id|nt|wn|ne|en) (?:at|on|date|time|by)$/;
/** Names of what is known of a new item, too: `created by`. */
const KNOWN = /^(?:created|updated|modified|owned|opened|submitted|requested|issued|provided) /;

/**
 * A generated item in the state of a new one: nothing was done to it yet. A state such as `status` has its default or
 * the first value that its schema lists, and times such as `cancelledAt` are `null` or left out.
 */
export function asNew(value: JsonObject, hints: Hints): JsonObject {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]): [string, unknown][] => {
      const field = hints.property(name);
      const plain = wordsOf(name).join(" ");
      if (isStateName(plain)) {
        const initial = field.schemas.find((schema) => schema.default !== undefined)?.default?.value ??
          field.schemas.find((schema) => schema.enum !== undefined)?.enum?.[0];
        return [[name, initial ?? part]];
      }
      if (!DONE.test(plain) || KNOWN.test(plain) || stampOf(name) !== undefined) return [[name, part]];
      if (field.types.has("null")) return [[name, null]];
      return hints.required.has(name) ? [[name, part]] : [];
    }),
  );
}
