import type { jsonpath, JSONPathQuery } from "json-p3";
import type { Pattern, ReadPattern } from "../../regexp/pattern.ts";
import type { JsonPathLibrary } from "./json_path.ts";
import type { Found } from "./found.ts";
import type { Work } from "./work.ts";
import { isNumber } from "../../schema/json/value.ts";

/**
 * The value `Nothing` of RFC 9535 (section 2.4.1): the result of a query that finds nothing, or of a function without a
 * result.
 */
const NOTHING = Symbol("Nothing");

type Expression = jsonpath.expressions.FilterExpression;

export interface FilterOptions {
  expressions: JsonPathLibrary["expressions"];
  readPattern: ReadPattern;
  work: Work;
  /** Evaluates a nested query, relative to a node or to the root. */
  follow: (query: JSONPathQuery, from: Found | "root") => Found[];
}

/** Steps for compiling a regular expression, for each of its characters. */
const PATTERN_STEPS = 20;

/** Evaluates filter expressions (RFC 9535, section 2.3.5). */
export class OverlayFilter {
  readonly #is: JsonPathLibrary["expressions"];
  readonly #work: Work;
  readonly #readPattern: ReadPattern;
  readonly #follow: FilterOptions["follow"];
  readonly #patterns = new Map<string, Pattern | undefined>();

  constructor({ expressions, readPattern, work, follow }: FilterOptions) {
    this.#is = expressions;
    this.#work = work;
    this.#readPattern = readPattern;
    this.#follow = follow;
  }

  /** Tells whether a logical expression is true for a node. */
  accepts(expression: Expression, node: Found): boolean {
    this.#work.take();
    if (expression instanceof this.#is.LogicalExpression) return this.accepts(expression.expression, node);
    if (expression instanceof this.#is.PrefixExpression) return !this.accepts(expression.right, node);
    if (expression instanceof this.#is.InfixExpression) return this.#acceptsInfix(expression, node);
    if (expression instanceof this.#is.FilterQuery) return this.#nodesOf(expression, node).length > 0;
    return this.#valueOf(expression, node) === true;
  }

  #acceptsInfix({ left, operator, right }: jsonpath.expressions.InfixExpression, node: Found): boolean {
    if (operator === "&&") return this.accepts(left, node) && this.accepts(right, node);
    if (operator === "||") return this.accepts(left, node) || this.accepts(right, node);
    return this.#compare(this.#valueOf(left, node), operator, this.#valueOf(right, node));
  }

  #valueOf(expression: Expression, node: Found): unknown {
    this.#work.take();
    if (expression instanceof this.#is.NullLiteral) return null;
    if (
      expression instanceof this.#is.StringLiteral || expression instanceof this.#is.NumberLiteral ||
      expression instanceof this.#is.BooleanLiteral
    ) return expression.value;
    if (expression instanceof this.#is.FilterQuery) {
      const [found] = this.#nodesOf(expression, node);
      return found === undefined ? NOTHING : found.value;
    }
    if (expression instanceof this.#is.FunctionExtension) return this.#call(expression, node);
    return this.accepts(expression, node);
  }

  #nodesOf(query: jsonpath.expressions.FilterQuery, node: Found): Found[] {
    return this.#follow(query.path, query instanceof this.#is.RootQuery ? "root" : node);
  }

  /** Calls a function of RFC 9535, section 2.4. The parser has already checked the name and the arguments. */
  #call({ name, args: [first, second] }: jsonpath.expressions.FunctionExtension, node: Found): unknown {
    if (first === undefined) return NOTHING;
    switch (name) {
      case "count":
        return first instanceof this.#is.FilterQuery ? this.#nodesOf(first, node).length : NOTHING;
      case "value": {
        const found = first instanceof this.#is.FilterQuery ? this.#nodesOf(first, node) : [];
        return found.length === 1 ? found[0]?.value : NOTHING;
      }
      case "length":
        return lengthOf(this.#valueOf(first, node));
      case "match":
      case "search":
        if (second === undefined) return NOTHING;
        return this.#matches(name, this.#valueOf(first, node), this.#valueOf(second, node));
      default:
        return NOTHING;
    }
  }

  #matches(name: "match" | "search", text: unknown, written: unknown): boolean {
    if (typeof text !== "string" || typeof written !== "string") return false;
    this.#work.take(text.length);
    const key = `${name} ${written}`;
    if (!this.#patterns.has(key)) {
      this.#work.take(written.length * PATTERN_STEPS);
      const pattern = toEcmaScript(written);
      this.#patterns.set(key, this.#readPattern(name === "match" ? `^(?:${pattern})$` : pattern));
    }
    return this.#patterns.get(key)?.test(text) ?? false;
  }

  #compare(left: unknown, operator: string, right: unknown): boolean {
    switch (operator) {
      case "==":
        return this.#equals(left, right);
      case "!=":
        return !this.#equals(left, right);
      case "<":
        return isLess(left, right);
      case ">":
        return isLess(right, left);
      case "<=":
        return isLess(left, right) || this.#equals(left, right);
      case ">=":
        return isLess(right, left) || this.#equals(left, right);
      default:
        return false;
    }
  }

  #equals(left: unknown, right: unknown): boolean {
    this.#work.take();
    if (left === right) return true;
    if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
    if (Array.isArray(left) !== Array.isArray(right)) return false;
    const [a, b] = [left as Record<string, unknown>, right as Record<string, unknown>];
    const keys = Object.keys(a);
    this.#work.take(keys.length);
    return keys.length === Object.keys(b).length &&
      keys.every((key) => Object.hasOwn(b, key) && this.#equals(a[key], b[key]));
  }
}

function isLess(left: unknown, right: unknown): boolean {
  if (isNumber(left) && isNumber(right)) return left < right;
  return typeof left === "string" && typeof right === "string" && left < right;
}

/** The function `length` of RFC 9535: counts characters, items or members. */
function lengthOf(value: unknown): unknown {
  if (typeof value === "string") return [...value].length;
  if (Array.isArray(value)) return value.length;
  return typeof value === "object" && value !== null ? Object.keys(value).length : NOTHING;
}

/**
 * Rewrites an I-Regexp as an ECMAScript pattern (RFC 9485, section 5.3). A dot in ECMAScript doesn't match U+2028 and
 * U+2029, a dot in an I-Regexp does.
 */
function toEcmaScript(pattern: string): string {
  return pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (token) => token === "." ? String.raw`[^\n\r]` : token);
}
