import type { Operation } from "../../openapi/operation.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import {
  type CompiledRule,
  type CompiledRules,
  compileRules,
  joinRules,
  type PreparedRule,
  prepareRule,
} from "./compiled_rule.ts";
import type { Rule } from "./rule.ts";
import type { RuledOperation } from "./rule_list.ts";
import { type RuleBound, RulesFullError } from "./rules_full_error.ts";

/** Limits of the rules that sessions add. */
export interface RuleLimits {
  /** The most rules that one session adds. Default: 1,000. */
  readonly session: number;
  /** The most rules that all sessions add together. Default: 20,000. */
  readonly all: number;
  /** The most bytes of the rules of all sessions, as JSON. Default: 64 MiB. */
  readonly bytes: number;
}

const LIMITS: RuleLimits = { session: 1_000, all: 20_000, bytes: 64 * 1024 * 1024 };

export interface RuleBaseOptions {
  /** The formats of query parameters that deviate from the definition. */
  readonly formats?: ValueFormats;
  readonly limits?: Partial<RuleLimits>;
}

/**
 * The rules that all sessions share: those of the command line and of the definition. Each session counts their
 * applications separately.
 */
export class RuleBase {
  readonly prepared: readonly PreparedRule[];
  readonly formats: ValueFormats;
  readonly limits: RuleLimits;
  readonly #compiled = new WeakMap<Operation, readonly CompiledRule[]>();
  readonly #joined = new WeakMap<Operation, CompiledRules>();
  #added = 0;
  #bytes = 0;

  /** @param rules The rules of the command line, in order of precedence. */
  constructor(rules: readonly Rule[] = [], { formats = {}, limits = {} }: RuleBaseOptions = {}) {
    this.prepared = rules.map((rule, index) => prepareRule(rule, `rule-${index + 1}`, "command-line"));
    this.formats = formats;
    this.limits = { ...LIMITS, ...limits };
  }

  /** The shared rules of an operation, prepared at the first call. */
  compiledOf({ operation, declaredRules }: RuledOperation): readonly CompiledRule[] {
    const known = this.#compiled.get(operation);
    if (known !== undefined) return known;
    const declared = declaredRules.map((rule, index) => prepareRule(rule, `x-svc-${index + 1}`, "definition"));
    const compiled = compileRules([...this.prepared, ...declared], operation, this.formats);
    this.#compiled.set(operation, compiled);
    return compiled;
  }

  /** The shared rules of an operation with their index, for sessions without rules of their own. */
  joinedOf(ruled: RuledOperation): CompiledRules {
    const known = this.#joined.get(ruled.operation);
    if (known !== undefined) return known;
    const joined = joinRules(this.compiledOf(ruled));
    this.#joined.set(ruled.operation, joined);
    return joined;
  }

  /**
   * Reserves memory for a rule that a session adds.
   *
   * @throws {RulesFullError} If a bound would be exceeded.
   */
  reserve(bytes: number): void {
    const { all, bytes: most } = this.limits;
    if (this.#added >= all) throw full("rules of all sessions", all);
    if (this.#bytes + bytes > most) throw full("bytes of rules", most);
    this.#added++;
    this.#bytes += bytes;
  }

  /**
   * Changes the reserved memory when a rule is replaced.
   *
   * @param before The bytes of the old rule.
   * @param after The bytes of the new rule.
   * @throws {RulesFullError} If a bound would be exceeded. The reservation then stays as it was.
   */
  resize(before: number, after: number): void {
    const { bytes: most } = this.limits;
    if (this.#bytes - before + after > most) throw full("bytes of rules", most);
    this.#bytes += after - before;
  }

  /** Releases the memory of rules that were removed. */
  release(rules: number, bytes: number): void {
    this.#added -= rules;
    this.#bytes -= bytes;
  }
}

function full(bound: RuleBound, limit: number): RulesFullError {
  return new RulesFullError(bound, limit);
}
