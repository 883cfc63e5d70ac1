import { formatPointer } from "../../schema/json/pointer.ts";
import type { RequestParts } from "../../wire/parameter_reader.ts";
import { isMet, type MatchCondition } from "./match_condition.ts";

/** A condition as it is written, and whether a request meets it. */
export interface LookedCondition {
  /** The part of the request: `query.status`, `body./name`. */
  readonly part: string;
  readonly wanted: unknown;
  readonly isMet: boolean;
}

/** Compares a request with each of the conditions, for an explanation. */
export function lookAt(
  conditions: readonly MatchCondition[],
  parts: RequestParts,
  body: unknown,
): LookedCondition[] {
  return conditions.map((condition) => {
    const part = condition.kind === "body"
      ? `body${formatPointer(condition.tokens).replace(/^(?=.)/su, ".")}`
      : `${condition.in}.${condition.name}`;
    return { part, wanted: condition.want, isMet: isMet(condition, parts, body) };
  });
}
