import { suggest } from "../../http/message.ts";
import { isObject, type JsonObject, type Node, rootOf } from "../../schema/json/node.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import { type Check, createDocumentValidator } from "../../schema/document_validator.ts";
import type { SchemaDocument } from "../../schema/dialect.ts";
import type { Source } from "../../schema/json/source.ts";
import { list, quote } from "../../schema/wording.ts";
import type { Rule } from "../../openapi/extension/rule.ts";
import { parseMatchKey } from "../condition/match_condition.ts";
import { EFFECTS, RULE_SCHEMA } from "./rule_schema.ts";
import { writeJson } from "../../schema/json/json.ts";

export interface RuleProblem {
  /** JSON Pointer of the invalid part of the rule: `/body/0/name`. */
  readonly pointer: string;
  /** Why the part is invalid, as a sentence. */
  readonly message: string;
}

/** A rule, or why its text or JSON is invalid. */
export type ReadRule =
  | { readonly kind: "rule"; readonly rule: Rule }
  | { readonly kind: "refused"; readonly problems: readonly RuleProblem[] };

export interface RuleReader {
  read(value: unknown): ReadRule;
}

/** Makes a reader of rules, which validates them by their JSON Schema. */
export async function createRuleReader(): Promise<RuleReader> {
  const source: Source = {
    uri: "rule.json",
    value: RULE_SCHEMA,
    isJson: true,
    isShared: true,
    text: () => writeJson(RULE_SCHEMA),
    locate: (places) => places.map(() => 0),
  };
  const root: Node = rootOf(source);
  const document: SchemaDocument = {
    version: "3.1",
    root: { value: {}, source, pointer: "" },
    sources: new Map([[source.uri, source]]),
    named: new Map(),
  };
  const check = (await createDocumentValidator(document)).checkOf(root, "request");
  return { read: (value) => readRule(value, check) };
}

function readRule(value: unknown, check: Check): ReadRule {
  const named = badConditions(value);
  const shape = named.length > 0 ? named : [...unknownKeys(value), ...shapeProblems(value, check)];
  const problems = shape.length > 0 ? shape : [...missingEffect(value), ...reversedDelays(value)];
  // The cast is safe: the schema of rules describes the type `Rule`.
  return problems.length === 0 ? { kind: "rule", rule: value as Rule } : { kind: "refused", problems };
}

/** Reports unknown members of a rule, each with the most similar known name. */
function unknownKeys(value: unknown): RuleProblem[] {
  const known = Object.keys(RULE_SCHEMA.properties);
  return unknownIn(value, known).map((key) => {
    const [nearest] = suggest(key, known);
    const advice = nearest === undefined ? `A rule has ${list(known)}.` : `Did you mean ${quote(nearest)}?`;
    return { pointer: formatPointer([key]), message: `A rule has no ${quote(key)}. ${advice}` };
  });
}

function unknownIn(value: unknown, known: readonly string[]): string[] {
  return isObject(value) ? Object.keys(value).filter((key) => !known.includes(key)) : [];
}

function shapeProblems(value: unknown, check: Check): RuleProblem[] {
  const unknown = new Set(unknownIn(value, Object.keys(RULE_SCHEMA.properties)));
  return check(value)
    .filter(({ path: [first], keyword }) => keyword !== "additionalProperties" && !unknown.has(first ?? ""))
    // `propertyNames` also reports its `pattern` or `maxLength`, whose message is more specific.
    .filter(({ keyword }) => keyword !== "propertyNames")
    .map(({ path, message }) => ({
      pointer: formatPointer(path),
      message: `${path.length === 0 ? "The rule" : quote(path.join("."))} ${message}.`,
    }));
}

/** Reports conditions with an invalid key. A key names a part of the request, such as `query.status`. */
function badConditions(value: unknown): RuleProblem[] {
  if (!isObject(value) || !isObject(value.match)) return [];
  return Object.keys(value.match).filter((key) => parseMatchKey(key) === undefined).map((key) => ({
    pointer: formatPointer(["match", key]),
    message: `${quote(key)} is no part of a request: write path.NAME, query.NAME, header.NAME, cookie.NAME, body or ` +
      "body./POINTER.",
  }));
}

function missingEffect(value: unknown): RuleProblem[] {
  if (!isObject(value) || hasEffect(value)) return [];
  return [{ pointer: "", message: `The rule doesn't say what happens: it has none of ${list(EFFECTS)}.` }];
}

function hasEffect(value: JsonObject): boolean {
  return EFFECTS.some((name) => value[name] !== undefined);
}

/** Reports uniform delays whose `max` is less than their `min`. */
function reversedDelays(value: unknown, path: readonly string[] = []): RuleProblem[] {
  if (!isObject(value)) return [];
  const { delay, sequence } = value;
  const isReversed = isObject(delay) && Number(delay.min) > Number(delay.max);
  const message = "A delay needs a `max` that isn't less than its `min`.";
  return [
    ...isReversed ? [{ pointer: formatPointer([...path, "delay"]), message }] : [],
    ...Array.isArray(sequence) ? sequence.flatMap((step, at) => reversedDelays(step, ["sequence", String(at)])) : [],
  ];
}
