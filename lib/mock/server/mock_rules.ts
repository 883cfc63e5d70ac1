import { oneLine } from "../../http/one_line.ts";
import type { LocalMock } from "../local_mock.ts";
import { checkRule } from "../operation/check_rule.ts";
import { parseRule } from "../rules/parse_rule.ts";
import { createRuleReader, type ReadRule, type RuleProblem } from "../rules/read_rule.ts";
import type { Rule } from "../../openapi/extension/rule.ts";
import type { ListedRule, RuleList } from "../rules/rule_list.ts";

/** The rules of a session, which replace, change, delay or break the answers of operations. */
export class MockRules {
  readonly #rules: RuleList;
  readonly #engine: Pick<LocalMock, "operations" | "handlers">;

  /** Called by `createMockServer`. */
  constructor(rules: RuleList, engine: Pick<LocalMock, "operations" | "handlers">) {
    this.#rules = rules;
    this.#engine = engine;
  }

  /**
   * Adds a rule, which takes precedence over the existing ones.
   *
   * @param rule The rule, or its text: `GET /pets: 503 10%`.
   * @returns The name of the rule, for `remove`.
   * @throws {RangeError} If the rule can't be read, or doesn't agree with the definition and has no `force`.
   * @throws {StateFullError} If the rule would exceed a limit.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { parseDocument } from "../../openapi/document.ts";
   * import { createMockServer } from "./create_mock_server.ts";
   *
   * const paths = { "/pets": { get: { responses: { "204": { description: "No pets." } } } } };
   * const document = await parseDocument({ openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths });
   * const { fetch, rules } = await createMockServer(document);
   * const id = await rules.add({ operation: "GET /pets", status: 503 });
   * assert.equal((await fetch(new Request("http://localhost/pets"))).status, 503);
   * rules.remove(id);
   * assert.equal((await fetch(new Request("http://localhost/pets"))).status, 204);
   * ```
   */
  async add(rule: Rule | string): Promise<string> {
    const read = await readRule(rule);
    if (read.kind === "refused") throw new RangeError(sentencesOf(read.problems));
    const { operations, handlers } = this.#engine;
    const problems = await checkRule(read.rule, operations.map(({ operation }) => operation), handlers);
    if (problems.length > 0) throw new RangeError(sentencesOf(problems));
    return this.#rules.add(read.rule).id;
  }

  /** The rules in order of precedence, each with the number of its applications. */
  list(): readonly ListedRule[] {
    return this.#rules.list();
  }

  /** Removes a rule that was added. Returns whether a rule with this name existed. */
  remove(id: string): boolean {
    return this.#rules.remove(id);
  }

  /** Removes the rules that were added, and resets the number of applications of all other rules to 0. */
  reset(): void {
    this.#rules.reset();
  }
}

async function readRule(rule: Rule | string): Promise<ReadRule> {
  const reader = await createRuleReader();
  const parsed = typeof rule === "string" ? parseRule(rule) : undefined;
  return parsed?.kind === "refused" ? parsed : reader.read(parsed?.rule ?? rule);
}

function sentencesOf(problems: readonly RuleProblem[]): string {
  return problems.map(({ pointer, message }) => oneLine(pointer === "" ? message : `${pointer}: ${message}`)).join(
    "\n",
  );
}
