import type { RequestParts } from "../../wire/parameter_reader.ts";
import { fulfillingTexts, type MatchCondition, scalarPartOf } from "../condition/match_condition.ts";

/** An index of rules by a scalar value that they demand of a part of the request, as in `query.status: "sold"`. */
export interface RuleIndex {
  /** The positions of the rules that may apply to a request, in ascending order. */
  find(parts: RequestParts, body: unknown): readonly number[];
}

/** The rules with a condition on one part of a request, by the text of the demanded value. */
interface Part {
  /** A condition on this part. All conditions on the part read it in the same way. */
  readonly condition: MatchCondition;
  readonly positions: Map<string, number[]>;
}

/**
 * Indexes an operation's rules, each by its first condition with a scalar value. Rules without such a condition are
 * candidates for every request. `undefined` if no rule has one.
 */
export function createRuleIndex(
  rules: readonly { readonly conditions: readonly MatchCondition[] }[],
): RuleIndex | undefined {
  const parts = new Map<string, Part>();
  const always: number[] = [];
  for (const [position, { conditions }] of rules.entries()) {
    const condition = conditions.find((condition) => scalarPartOf(condition) !== undefined);
    const name = condition && scalarPartOf(condition);
    if (condition === undefined || name === undefined) {
      always.push(position);
      continue;
    }
    const part = parts.get(name) ?? { condition, positions: new Map<string, number[]>() };
    parts.set(name, part);
    const text = String(condition.want);
    const positions = part.positions.get(text);
    if (positions === undefined) part.positions.set(text, [position]);
    else positions.push(position);
  }
  if (parts.size === 0) return undefined;
  const all = [...parts.values()];
  return {
    find(request, body) {
      const found = all.flatMap(({ condition, positions }) =>
        [...fulfillingTexts(condition, request, body)].flatMap((text) => positions.get(text) ?? [])
      );
      return found.length === 0 ? always : [...always, ...found].sort((a, b) => a - b);
    },
  };
}
