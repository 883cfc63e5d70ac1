/**
 * Selects a named example by the contents of a request: by the conditions of the example (`x-svc.mocking.match`), or by
 * parameters that have an example of the same name.
 *
 * @module
 */
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { follow } from "../../schema/json/reference.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";
import { type ExampleChoice, exampleConditions, listExamples } from "../answer/example.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { isMet, locationsOf, type MatchCondition, parseMatchKey, readMatch } from "./match_condition.ts";
import { createParameterValueReader } from "../validation/parameter.ts";
import { type RequestParts, type RequestTarget, splitRequest } from "../../wire/parameter_reader.ts";

export interface ExampleMatcher {
  /** Whether conditions depend on the body of the request. */
  readonly usesBody: boolean;
  /**
   * Selects the example whose conditions the request meets. If there are several, examples with `x-svc.mocking.match`
   * come before those selected by parameters; then the example with the most conditions wins.
   *
   * @param body The decoded body, if `usesBody`.
   * @param looked Receives the examples with conditions, in order of precedence, for an explanation. Default: none does.
   */
  match(
    request: { readonly headers: Pick<Headers, "get"> },
    target: RequestTarget,
    body?: unknown,
    looked?: LookedExample[],
  ): ExampleChoice | undefined;
}

/** An example that was looked at for a request, with its conditions. */
export interface LookedExample {
  readonly choice: ExampleChoice;
  /** Whether it is the first whose conditions the request meets. */
  readonly isChosen: boolean;
  readonly conditions: readonly MatchCondition[];
  /** The parts of the request with which its conditions were compared. */
  readonly parts: RequestParts;
  readonly body: unknown;
}

/** An example, and the conditions that select it. */
interface Rule {
  readonly choice: ExampleChoice;
  readonly conditions: readonly MatchCondition[];
}

/** A named example of a response. */
interface NamedExample extends ExampleChoice {
  readonly node: Node<"Example">;
}

/**
 * Makes the example matcher of an operation.
 *
 * @param formats The formats of query parameters that deviate from the definition.
 * @param hasState Whether the operation is answered from state. Examples are then selected only by
 * `x-svc.mocking.match`. An example that a parameter selects, such as an id, would hide that a client has created,
 * changed or deleted this item.
 * @returns `undefined` if no example depends on the request.
 */
export function createExampleMatcher(
  operation: Operation,
  formats: ValueFormats = {},
  hasState = false,
): ExampleMatcher | undefined {
  const examples = examplesOf(operation);
  const byThemselves = examples.flatMap((example) => ownRule(operation, example, formats) ?? []);
  const byParameters = hasState ? [] : examples.flatMap((example) => parameterRule(operation, example, formats) ?? []);
  // The sort is stable: of examples with equally many conditions, those of 2xx responses stay first.
  const rules = [byThemselves, byParameters].flatMap((rules) =>
    rules.toSorted((a, b) => b.conditions.length - a.conditions.length)
  );
  if (rules.length === 0) return undefined;

  const conditions = rules.flatMap((rule) => rule.conditions);
  const locations = locationsOf(conditions);
  return {
    usesBody: conditions.some(({ kind }) => kind === "body"),
    match({ headers }, target, body, looked) {
      const parts = splitRequest(headers, target, locations);
      const chosen = rules.find((rule) => rule.conditions.every((condition) => isMet(condition, parts, body)));
      looked?.push(...rules.map((rule) => ({ ...rule, isChosen: rule === chosen, parts, body })));
      return chosen?.choice;
    },
  };
}

/** Reports conditions of examples with invalid syntax, which no request meets. */
export function checkMatches(operation: Operation): UnlocatedDiagnostic[] {
  return examplesOf(operation).flatMap(({ node }) => {
    const match = exampleConditions(node);
    if (match.value === undefined) return [];
    const wrong = isObject(match.value)
      ? entries(match).filter(([key]) => parseMatchKey(key) === undefined).map(([, node]) => node)
      : [match];
    return wrong.map(({ source, pointer }): UnlocatedDiagnostic => ({
      severity: "warning",
      code: "unknown-match",
      message: "A condition is written as path.NAME, query.NAME, header.NAME, cookie.NAME, body or body./POINTER, " +
        "with the value wanted there; this one is never met.",
      source,
      pointer,
      atKey: isObject(match.value),
    }));
  });
}

/** The named examples of all responses with an exact status code. 2xx responses come first. */
function examplesOf({ document, node }: Operation): NamedExample[] {
  const responses = entries(follow(document, child(node, "responses"))).filter(([code]) => /^[1-5]\d\d$/.test(code));
  const isSuccess = ([code]: [string, Node<"Response">]): boolean => code.startsWith("2");
  return [...responses.filter(isSuccess), ...responses.filter((response) => !isSuccess(response))]
    .flatMap(([code, response]) =>
      entries(follow(document, child(follow(document, response), "content"))).flatMap(([, media]) =>
        entries(child(follow(document, media), "examples")).map(([example, written]) => ({
          code: Number(code),
          example,
          node: follow(document, written),
        }))
      )
    );
}

/** The conditions in an example's `x-svc.mocking.match`. */
function ownRule(operation: Operation, { code, example, node }: NamedExample, formats: ValueFormats): Rule | undefined {
  const match = exampleConditions(node);
  if (!isObject(match.value)) return undefined;
  const conditions = readMatch(operation, match.value, formats);
  return conditions && { choice: { code, example }, conditions };
}

/**
 * The conditions of an example that follow from parameters: each parameter that has an example of the same name must
 * have its value.
 */
function parameterRule(operation: Operation, { code, example }: NamedExample, formats: ValueFormats): Rule | undefined {
  const parameters = listParameters(operation);
  const conditions = parameters.flatMap((parameter): MatchCondition[] => {
    const owner = parameter.content?.node ?? parameter.node;
    const named = listExamples(operation.document, owner).get(example);
    if (named === undefined || example === "") return [];
    const read = createParameterValueReader(operation, parameter, parameters, formats);
    return [{ kind: "parameter", in: parameter.in, name: parameter.name, read, want: named.value }];
  });
  return conditions.length === 0 ? undefined : { choice: { code, example }, conditions };
}
