import { isToken } from "../../http/token.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import type { JsonObject } from "../../schema/json/node.ts";
import type { Leftover } from "../conversion.ts";
import type { MockoonRule, RouteResponse } from "./environment.ts";

/**
 * The conditions of a response (`x-svc.mocking.match`). They are met if all conditions of at least one of the objects
 * are met.
 */
export type Matches = readonly JsonObject[];

/**
 * Converts the rules of a response to conditions of an example (`x-svc.mocking.match`).
 *
 * @param method The method of the operation: a rule may be about it.
 * @returns `undefined` where a rule has no equal: then the response isn't chosen by gw.
 */
export function convertRules(response: RouteResponse, method: string, leftovers: Leftover[]): Matches | undefined {
  const read = response.rules.map((rule) => ({ rule, condition: conditionOf(rule, method) }));
  for (const { rule, condition } of read) {
    if (typeof condition === "string") leftovers.push({ pointer: rule.pointer, message: condition });
  }
  const conditions = read.flatMap(({ condition }) => typeof condition === "string" ? [] : [condition]);
  if (!response.needsAllRules) {
    return conditions.length === 0 ? undefined : conditions.filter((found) => found !== false).map(asObject);
  }
  if (conditions.length < read.length) return undefined;
  if (conditions.includes(false)) return [];
  const pairs = conditions.flatMap((found) => Object.entries(asObject(found)));
  const wanted = new Map(pairs);
  const contradicts = pairs.some(([key, value]) => wanted.get(key) !== value);
  return contradicts ? [] : [Object.fromEntries(wanted)];
}

/**
 * A converted rule: a condition; `true` if the rule always holds; `false` if it never holds; a message if gw has no
 * such condition.
 */
type Condition = JsonObject | boolean | string;

function asObject(condition: Condition): JsonObject {
  return typeof condition === "object" ? condition : {};
}

function conditionOf(rule: MockoonRule, method: string): Condition {
  const { target, operator, isInverted, modifier } = rule;
  const value = operator === "regex" ? literalOf(rule.value) : rule.value;
  if (operator === "null" && !isInverted && ["query", "header", "cookie", "body"].includes(target)) {
    return "gw has no condition for a missing value. Declare it as required, and start gw mock with --validate error: " +
      "then its absence is answered with the definition's 400 or 422.";
  }
  if (target === "method" && operator === "equals") return (value?.toLowerCase() === method) !== isInverted;
  if (isInverted) return "gw has no inverted conditions. Write examples for the other values.";
  if (value === undefined || operator !== "equals" && operator !== "regex") {
    return `gw compares values for equality only, not by ${operator}. Write an example for each value, or a rule (documentation, page rules).`;
  }
  if (`${modifier}${value}`.includes("{{")) return "A template can't be a condition in gw. Write the value itself.";
  const key = keyOf(target, modifier);
  return key === undefined
    ? `gw has no conditions on ${[target, modifier].filter(Boolean).join(" ")}.`
    : { [key]: value };
}

/** Returns the key of a condition in `x-svc.mocking.match`, such as `query.name` or `body./pet/name`. */
function keyOf(target: string, modifier: string): string | undefined {
  switch (target) {
    case "params":
      return modifier === "" ? undefined : `path.${modifier}`;
    case "query": {
      const [first = "", ...inner] = tokensOf(modifier) ?? [];
      return first === "" ? undefined : `query.${first}${inner.map((token) => `[${token}]`).join("")}`;
    }
    case "header":
      return isToken(modifier) ? `header.${modifier}` : undefined;
    case "cookie":
      return modifier === "" ? undefined : `cookie.${modifier}`;
    case "body": {
      const tokens = modifier === "" ? undefined : tokensOf(modifier);
      return tokens === undefined ? undefined : `body.${formatPointer(tokens)}`;
    }
    default:
      return undefined;
  }
}

/**
 * Parses a path into an object, such as `a.b.0` or `$.a.b[0]`. Returns its keys; `undefined` for any other JSONPath
 * query.
 */
function tokensOf(path: string): string[] | undefined {
  const dotted = path.replaceAll(/\[(?:'([^']*)'|(\d+))\]/g, ".$1$2");
  const plain = dotted.startsWith("$.") ? dotted.slice(2) : dotted;
  return /^[^.*?()[\]\\@$]+(\.[^.*?()[\]\\@$]+)*$/.test(plain) ? plain.split(".") : undefined;
}

/** Returns the text that a regular expression such as `^abc$` matches; `undefined` if it may match several texts. */
function literalOf(pattern: string): string | undefined {
  return /^\^([\w -]+)\$$/.exec(pattern)?.[1];
}
