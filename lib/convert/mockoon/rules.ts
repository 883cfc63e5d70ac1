import { isToken } from "../../http/token.ts";
import { formatPointer } from "../../schema/pointer.ts";
import type { JsonObject } from "../../schema/node.ts";
import type { Leftover } from "../conversion.ts";
import type { RouteResponse, Rule } from "./environment.ts";

/** The conditions of a response. It is selected if all conditions of one of the objects are met. */
export type Matches = readonly JsonObject[];

/**
 * Converts the rules of a response to conditions of examples (`x-svc.mocking.match`).
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

/** A condition; `true` if it always holds, `false` if it never does, a text if gw can't express it. */
type Condition = JsonObject | boolean | string;

function asObject(condition: Condition): JsonObject {
  return typeof condition === "object" ? condition : {};
}

function conditionOf(rule: Rule, method: string): Condition {
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

/** The key of a condition: `query.name`, `body./pet/name`. */
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

/** The keys of a path in an object, `a.b.0` or `$.a.b[0]`; `undefined` for other JSONPath queries. */
function tokensOf(path: string): string[] | undefined {
  const dotted = path.replaceAll(/\[(?:'([^']*)'|(\d+))\]/g, ".$1$2");
  const plain = dotted.startsWith("$.") ? dotted.slice(2) : dotted;
  return /^[^.*?()[\]\\@$]+(\.[^.*?()[\]\\@$]+)*$/.test(plain) ? plain.split(".") : undefined;
}

/** The only text that a regular expression matches: `^abc$`. */
function literalOf(pattern: string): string | undefined {
  return /^\^([\w -]+)\$$/.exec(pattern)?.[1];
}
