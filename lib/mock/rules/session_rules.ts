import type { Operation } from "../../openapi/operation.ts";
import { type RequestParts, type RequestTarget, splitRequest } from "../../wire/parameter_reader.ts";
import type { Random } from "../generate/random.ts";
import { lookAt } from "../condition/look_at.ts";
import { isMet } from "../condition/match_condition.ts";
import {
  type CompiledRule,
  type CompiledRules,
  compileRules,
  joinRules,
  type PreparedRule,
  prepareRule,
} from "./compiled_rule.ts";
import { drawDelay } from "./delay.ts";
import { decidesAnswer, type Delay, faultOf, type Outcome, type Rule } from "../../openapi/extension/rule.ts";
import type { RuleBase } from "./rule_base.ts";
import type { Chosen, ListedRule, LookedRule, RuledOperation, RuleList } from "./rule_list.ts";
import { StateFullError } from "../state/store/limits.ts";
import { writeJson } from "../../schema/json/json.ts";

/** A rule that the session has added. */
interface OwnRule {
  readonly prepared: PreparedRule;
  /** Length of the rule's JSON, in characters. */
  readonly bytes: number;
}

/**
 * Makes the rules of a session.
 *
 * @param base The rules that all sessions share.
 * @param random Returns random numbers, for shares and delays.
 */
export function createRuleList(base: RuleBase, random: Random): RuleList {
  return new SessionRules(base, random);
}

/**
 * The rules of one session. Rules that the session has added take precedence over those of the {@linkcode RuleBase}.
 */
class SessionRules implements RuleList {
  readonly #base: RuleBase;
  readonly #random: Random;
  /** Random numbers that explanations have drawn, for the next requests. */
  readonly #drawn: number[] = [];
  readonly #draw = (): number => this.#drawn.shift() ?? this.#random();
  /** The rules that the session has added, by name, the oldest first. */
  readonly #own = new Map<string, OwnRule>();
  #lastName = 0;
  #isReleased = false;
  /**
   * The rules of each operation, in order of precedence. Cleared when a rule is added or removed; absent if the session
   * has added no rule.
   */
  #joined: WeakMap<Operation, CompiledRules> | undefined;
  /** The session's rules, prepared for each operation. Adding or removing a rule leaves the other rules prepared. */
  readonly #compiled = new WeakMap<Operation, WeakMap<PreparedRule, CompiledRule | undefined>>();
  /** How often each rule has applied. Weak keys let the rules of a definition be garbage-collected with it. */
  #applied = new WeakMap<PreparedRule, number>();

  constructor(base: RuleBase, random: Random) {
    this.#base = base;
    this.#random = random;
  }

  get size(): number {
    return this.#own.size + this.#base.prepared.length;
  }

  add(rule: Rule): ListedRule {
    const { rules } = this.#base.limits;
    if (this.#own.size >= rules) throw new StateFullError("rules", rules);
    const bytes = writeJson(rule).length;
    // After the session has ended, nothing would release the memory, so none is reserved.
    if (!this.#isReleased) this.#base.reserve(bytes);
    const prepared = prepareRule(rule, `r${++this.#lastName}`, "session");
    if (this.#isReleased) return this.#listed(prepared);
    this.#own.set(prepared.id, { prepared, bytes });
    this.#joined = new WeakMap();
    return this.#listed(prepared);
  }

  replace(id: string, rule: Rule): ListedRule | undefined {
    const own = this.#own.get(id);
    if (own === undefined) return undefined;
    const bytes = writeJson(rule).length;
    this.#base.resize(own.bytes, bytes);
    const prepared = prepareRule(rule, id, "session");
    // `Map.set` keeps the position of an existing name.
    this.#own.set(id, { prepared, bytes });
    this.#joined = new WeakMap();
    return this.#listed(prepared);
  }

  remove(id: string): boolean {
    const own = this.#own.get(id);
    if (own === undefined) return false;
    this.#own.delete(id);
    this.#base.release(1, own.bytes);
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
    return [...this.#newestFirst(), ...this.#base.prepared].map((prepared) => this.#listed(prepared));
  }

  usesBody(ruled: RuledOperation): boolean {
    return this.#rulesOf(ruled).usesBody;
  }

  choose(
    ruled: RuledOperation,
    { headers }: { readonly headers: Pick<Headers, "get"> },
    target: RequestTarget,
    body?: unknown,
    looked?: LookedRule[],
  ): Chosen | undefined {
    const { rules, index, locations } = this.#rulesOf(ruled);
    if (rules.length === 0) return undefined;
    const random = looked === undefined ? this.#draw : this.#drawAhead();
    let parts = index && splitRequest(headers, target, locations);
    // The index leaves out rules whose conditions the request doesn't meet. An explanation shows them.
    const asked = parts && index && looked === undefined ? rulesAt(rules, index.find(parts, body)) : rules;
    let answer: Outcome | undefined;
    let delay: Delay | undefined;
    const ids: string[] = [];
    for (const { prepared, conditions } of asked) {
      const applied = this.#applied.get(prepared) ?? 0;
      const outcome = outcomeAt(prepared, applied);
      const decides = answer === undefined && (decidesAnswer(outcome) || isStep(prepared));
      const delays = delay === undefined && outcome.delay !== undefined;
      const early = applied >= prepared.most ? "spent" : decides || delays ? undefined : "decided";
      if (early !== undefined && looked === undefined) continue;
      if (conditions.length > 0) parts ??= splitRequest(headers, target, locations);
      const verdict = early ??
        (parts !== undefined && !areMet(conditions, parts, body)
          ? "unmet"
          : prepared.rule.share !== undefined && random() >= prepared.rule.share
          ? "share"
          : "applies");
      if (looked !== undefined) {
        const compared = parts === undefined ? [] : lookAt(conditions, parts, body);
        looked.push({ ...this.#listed(prepared), verdict, conditions: compared });
      }
      if (verdict !== "applies") continue;
      if (looked === undefined) this.#applied.set(prepared, applied + 1);
      ids.push(prepared.id);
      if (decides) answer = outcome;
      if (delays) delay = outcome.delay;
      if (answer !== undefined && delay !== undefined && looked === undefined) break;
    }
    if (ids.length === 0) return undefined;
    return {
      ids,
      outcome: answer !== undefined && decidesAnswer(answer) ? answer : undefined,
      delay: delay === undefined ? 0 : drawDelay(delay, random),
      fault: answer && faultOf(answer),
    };
  }

  /** Draws the random numbers of the next requests, which they will get again. */
  #drawAhead(): Random {
    let next = 0;
    return () => this.#drawn[next++] ?? this.#drawn[this.#drawn.push(this.#random()) - 1] ?? 0;
  }

  #rulesOf(ruled: RuledOperation): CompiledRules {
    if (this.#joined === undefined) return this.#base.joinedOf(ruled);
    const { operation } = ruled;
    const known = this.#joined.get(operation);
    if (known !== undefined) return known;
    const memo = this.#compiled.get(operation) ?? new WeakMap<PreparedRule, CompiledRule | undefined>();
    this.#compiled.set(operation, memo);
    const own = compileRules(this.#newestFirst(), operation, this.#base.formats, memo);
    const joined = joinRules([...own, ...this.#base.compiledOf(ruled)]);
    this.#joined.set(operation, joined);
    return joined;
  }

  #newestFirst(): PreparedRule[] {
    return [...this.#own.values()].map(({ prepared }) => prepared).reverse();
  }

  #listed(prepared: PreparedRule): ListedRule {
    const { id, rule, source } = prepared;
    return { id, rule, source, applied: this.#applied.get(prepared) ?? 0 };
  }
}

function rulesAt(rules: readonly CompiledRule[], positions: readonly number[]): CompiledRule[] {
  return positions.flatMap((position) => rules[position] ?? []);
}

function outcomeAt({ outcomes }: PreparedRule, applied: number): Outcome {
  return outcomes[applied % outcomes.length] ?? {};
}

/**
 * Whether an outcome is a step of a sequence. An empty step (`ok`) takes precedence too: the operation then gives its
 * own answer.
 */
function isStep({ rule }: PreparedRule): boolean {
  return rule.sequence !== undefined;
}

function areMet(conditions: CompiledRule["conditions"], parts: RequestParts, body: unknown): boolean {
  return conditions.every((condition) => isMet(condition, parts, body));
}
