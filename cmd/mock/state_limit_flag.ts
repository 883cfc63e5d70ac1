import { suggest } from "../../lib/http/message.ts";
import { DEFAULT_LIMITS, type StateLimits } from "../../lib/mock/state/store/limits.ts";
import { integer } from "../line/flag.ts";

/** A limit on what sessions store, as one use of the flag sets it. */
export interface StateLimit {
  readonly limit: keyof StateLimits;
  readonly most: number;
}

const NAMES = Object.keys(DEFAULT_LIMITS);

export const STATE_LIMIT_FLAG = {
  value: "LIMIT=N",
  read: readLimit,
  many: true,
  description: `Set a limit of what sessions store: ${NAMES.join(", ")}. Beyond it, the answer is 507.`,
} as const;

/** Reads `items=1000`. */
function readLimit(written: string): StateLimit {
  const [name = "", value = ""] = written.split("=", 2);
  if (!isLimit(name)) {
    const [nearest] = suggest(name, NAMES);
    throw new RangeError(
      `a limit is meant here: ${NAMES.join(", ")}.${nearest === undefined ? "" : ` Did you mean ${nearest}?`}`,
    );
  }
  return { limit: name, most: integer(1, Number.MAX_SAFE_INTEGER)(value) };
}

function isLimit(name: string): name is keyof StateLimits {
  return Object.hasOwn(DEFAULT_LIMITS, name);
}

/** Combines the limits of several flags. The last value of a limit counts. */
export function limitsOf(limits: readonly StateLimit[]): Partial<StateLimits> {
  return Object.fromEntries(limits.map(({ limit, most }) => [limit, most]));
}
