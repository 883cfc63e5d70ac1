/** The names of the limits of rules, for messages. */
export type RuleBound = "rules of a session" | "rules of all sessions" | "bytes of rules";

/** Thrown when a new rule would exceed a limit. The control API then answers 507. */
export class RulesFullError extends Error {
  override readonly name = "RulesFullError";
  readonly bound: RuleBound;
  readonly limit: number;

  constructor(bound: RuleBound, limit: number) {
    super(`There is no room for the rule: the most ${bound} are ${limit}. Remove some, or reset sessions.`);
    this.bound = bound;
    this.limit = limit;
  }
}
