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
import type { Rule } from "../../openapi/extension/rule.ts";
import type { RuledOperation } from "./rule_list.ts";
import { DEFAULT_LIMITS, type RuleLimits, StateFullError } from "../state/store/limits.ts";

export interface RuleBaseOptions {
  /** The formats of query parameters that deviate from the definition. */
  readonly formats?: ValueFormats;
  /** The limits of the rules that sessions add. Default: `DEFAULT_LIMITS`. */
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
    this.limits = { ...DEFAULT_LIMITS, ...limits };
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
   * @throws {StateFullError} If a limit would be exceeded.
   */
  reserve(bytes: number): void {
    const { allRules, allRuleBytes } = this.limits;
    if (this.#added >= allRules) throw new StateFullError("allRules", allRules);
    if (this.#bytes + bytes > allRuleBytes) throw new StateFullError("allRuleBytes", allRuleBytes);
    this.#added++;
    this.#bytes += bytes;
  }

  /**
   * Changes the reserved memory when a rule is replaced.
   *
   * @param before The bytes of the old rule.
   * @param after The bytes of the new rule.
   * @throws {StateFullError} If a limit would be exceeded. The reservation then stays as it was.
   */
  resize(before: number, after: number): void {
    const { allRuleBytes } = this.limits;
    if (this.#bytes - before + after > allRuleBytes) throw new StateFullError("allRuleBytes", allRuleBytes);
    this.#bytes += after - before;
  }

  /** Releases the memory of rules that were removed. */
  release(rules: number, bytes: number): void {
    this.#added -= rules;
    this.#bytes -= bytes;
  }
}
