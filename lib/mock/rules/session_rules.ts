import type { Operation } from "../../openapi/operation.ts";
import { type RequestParts, type RequestTarget, splitRequest } from "../../wire/parameter_reader.ts";
import type { Random } from "../generate/random.ts";
import { isMet } from "../match_condition.ts";
import {
  type CompiledRule,
  type CompiledRules,
  compileRules,
  type HeldRule,
  holdRule,
  joinRules,
} from "./compiled_rule.ts";
import { drawDelay } from "./delay.ts";
import { decidesAnswer, type Delay, faultOf, type Outcome, type Rule } from "./rule.ts";
import type { RuleBase } from "./rule_base.ts";
import type { Chosen, ListedRule, RuledOperation, RuleList } from "./rule_list.ts";
import { RulesFullError } from "./rules_full_error.ts";

/** A rule that a session has added. */
interface OwnRule {
  readonly held: HeldRule;
  /** Length of the rule's JSON, in characters. */
  readonly bytes: number;
}

/**
 * Makes the list of a session's rules.
 *
 * @param base The rules that all sessions share.
 * @param random Draws shares and delays.
 */
export function createRuleList(base: RuleBase, random: Random): RuleList {
  return new SessionRules(base, random);
}

/** The rules of one session. Its own rules take precedence over those of the {@linkcode RuleBase}. */
class SessionRules implements RuleList {
  readonly #base: RuleBase;
  readonly #random: Random;
  /** The session's own rules by name, the oldest first. */
  readonly #own = new Map<string, OwnRule>();
  #lastName = 0;
  /** Whether the session has ended. */
  #isReleased = false;
  /**
   * The rules of each operation, in order of precedence. Emptied when a rule is added or removed; absent while the
   * session has no own rules.
   */
  #joined: WeakMap<Operation, CompiledRules> | undefined;
  /** The session's own rules, prepared for each operation. Adding or removing a rule leaves the others prepared. */
  readonly #compiled = new WeakMap<Operation, WeakMap<HeldRule, CompiledRule | undefined>>();
  /** How often each rule has applied. The map is weak, so that a definition's rules are freed with the definition. */
  #applied = new WeakMap<HeldRule, number>();

  constructor(base: RuleBase, random: Random) {
    this.#base = base;
    this.#random = random;
  }

  get size(): number {
    return this.#own.size + this.#base.held.length;
  }

  add(rule: Rule): ListedRule {
    const { session } = this.#base.limits;
    if (this.#own.size >= session) throw new RulesFullError("rules of a session", session);
    const bytes = JSON.stringify(rule).length;
    // In a session that has ended, no memory is reserved: nothing would release it.
    if (!this.#isReleased) this.#base.take(bytes);
    const held = holdRule(rule, `r${++this.#lastName}`, "session");
    if (this.#isReleased) return this.#listed(held);
    this.#own.set(held.id, { held, bytes });
    this.#joined = new WeakMap();
    return this.#listed(held);
  }

  replace(id: string, rule: Rule): ListedRule | undefined {
    const own = this.#own.get(id);
    if (own === undefined) return undefined;
    const bytes = JSON.stringify(rule).length;
    this.#base.exchange(own.bytes, bytes);
    const held = holdRule(rule, id, "session");
    // `Map.set` keeps the position of a name that is there already.
    this.#own.set(id, { held, bytes });
    this.#joined = new WeakMap();
    return this.#listed(held);
  }

  remove(id: string): boolean {
    const own = this.#own.get(id);
    if (own === undefined) return false;
    this.#own.delete(id);
    this.#base.giveBack(1, own.bytes);
    this.#joined = this.#own.size === 0 ? undefined : new WeakMap();
    return true;
  }

  reset(): void {
    for (const id of [...this.#own.keys()]) this.remove(id);
    this.#applied = new WeakMap();
  }

  release(): void {
    this.#isReleased = true;
    this.reset();
  }

  list(): readonly ListedRule[] {
    return [...this.#newestFirst(), ...this.#base.held].map((held) => this.#listed(held));
  }

  usesBody(ruled: RuledOperation): boolean {
    return this.#rulesOf(ruled).usesBody;
  }

  choose(
    ruled: RuledOperation,
    { headers }: { readonly headers: Pick<Headers, "get"> },
    target: RequestTarget,
    body?: unknown,
  ): Chosen | undefined {
    const { rules, index, locations } = this.#rulesOf(ruled);
    if (rules.length === 0) return undefined;
    let parts = index && splitRequest(headers, target, locations);
    const asked = parts && index ? rulesAt(rules, index.find(parts, body)) : rules;
    let answer: Outcome | undefined;
    let delay: Delay | undefined;
    const ids: string[] = [];
    for (const { held, conditions } of asked) {
      const applied = this.#applied.get(held) ?? 0;
      if (applied >= held.most) continue;
      const outcome = outcomeAt(held, applied);
      const decides = answer === undefined && (decidesAnswer(outcome) || isStep(held));
      const delays = delay === undefined && outcome.delay !== undefined;
      if (!decides && !delays) continue;
      if (conditions.length > 0) {
        parts ??= splitRequest(headers, target, locations);
        if (!areMet(conditions, parts, body)) continue;
      }
      if (held.rule.share !== undefined && this.#random() >= held.rule.share) continue;
      this.#applied.set(held, applied + 1);
      ids.push(held.id);
      if (decides) answer = outcome;
      if (delays) delay = outcome.delay;
      if (answer !== undefined && delay !== undefined) break;
    }
    return ids.length === 0 ? undefined : this.#chosen(ids, answer, delay);
  }

  #chosen(ids: readonly string[], answer: Outcome | undefined, delay: Delay | undefined): Chosen {
    return {
      ids,
      outcome: answer !== undefined && decidesAnswer(answer) ? answer : undefined,
      delay: delay === undefined ? 0 : drawDelay(delay, this.#random),
      fault: answer && faultOf(answer),
    };
  }

  #rulesOf(ruled: RuledOperation): CompiledRules {
    if (this.#joined === undefined) return this.#base.joinedOf(ruled);
    const { operation } = ruled;
    const known = this.#joined.get(operation);
    if (known !== undefined) return known;
    const memo = this.#compiled.get(operation) ?? new WeakMap<HeldRule, CompiledRule | undefined>();
    this.#compiled.set(operation, memo);
    const own = compileRules(this.#newestFirst(), operation, this.#base.formats, memo);
    const joined = joinRules([...own, ...this.#base.compiledOf(ruled)]);
    this.#joined.set(operation, joined);
    return joined;
  }

  #newestFirst(): HeldRule[] {
    return [...this.#own.values()].map(({ held }) => held).reverse();
  }

  #listed(held: HeldRule): ListedRule {
    const { id, rule, source } = held;
    return { id, rule, source, applied: this.#applied.get(held) ?? 0 };
  }
}

function rulesAt(rules: readonly CompiledRule[], positions: readonly number[]): CompiledRule[] {
  return positions.flatMap((position) => rules[position] ?? []);
}

/** The outcome of a rule at its next application. */
function outcomeAt({ outcomes }: HeldRule, applied: number): Outcome {
  return outcomes[applied % outcomes.length] ?? {};
}

/** Whether the rule has a sequence. An empty step of a sequence decides for the operation's own answer. */
function isStep({ rule }: HeldRule): boolean {
  return rule.sequence !== undefined;
}

function areMet(conditions: CompiledRule["conditions"], parts: RequestParts, body: unknown): boolean {
  return conditions.every((condition) => isMet(condition, parts, body));
}
