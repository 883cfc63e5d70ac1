/** A bound on rules that an addition would exceed. */
export type RuleBound = "rules of a session" | "rules of all sessions" | "bytes of rules";

/** Thrown when there is no room for a rule; the control API answers 507. */
export class RulesFullError extends Error {
  override readonly name = "RulesFullError";
  /** The bound that the rule would exceed. */
  readonly bound: RuleBound;
  /** The value of the bound. */
  readonly limit: number;

  constructor(bound: RuleBound, limit: number) {
    super(`There is no room for the rule: the most ${bound} are ${limit}. Remove some, or reset sessions.`);
    this.bound = bound;
    this.limit = limit;
  }
}
