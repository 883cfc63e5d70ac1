/**
 * The answer to an invalid request: the response that the definition declares for the error, with the reason in a
 * property of its schema, else a problem (RFC 9457). In either case, the header `x-gw-violations` lists the violations.
 *
 * @module
 */
import type { HeaderList } from "../../http/handler.ts";
import type { Operation } from "../../openapi/operation.ts";
import { type Answer, type AnswerCriteria, type AnswerRules, createAnswer, withHeaders } from "../answer/answer.ts";
import { buildProblem } from "../answer/build_answer.ts";
import { NO_PREFERENCES } from "../answer/preferences.ts";
import { prepareAnswer } from "../answer/prepare_answer.ts";
import { listResponses, selectResponse } from "../answer/select_response.ts";
import { type BodyRulesReader, explainRefusal, type RefusalReason } from "./explain_refusal.ts";
import { type Validation, validationDetail, validationProblem } from "./validate_request.ts";
import type { RequestViolation } from "./violation.ts";
import { writeJson } from "../../schema/json/json.ts";

/** The header that lists violations. In the answer to an invalid request, its value is JSON. */
export const VIOLATIONS_HEADER = "x-gw-violations";

/** Limit of the header's value in bytes, since servers and clients limit the size of headers. */
const MOST_BYTES = 2048;
const EXPOSE = "access-control-expose-headers";

/**
 * Prepares the answer to an invalid request.
 *
 * @param validation The result of checking the request, with an `error`.
 * @param bodyRulesOf Reads how the reason of an error is inserted into the bodies of a schema.
 * @param valueOf The value at the location of a violation. Default: values aren't known.
 */
export async function prepareErrorAnswer(
  operation: Operation,
  { violations, error }: Validation,
  criteria: Pick<AnswerCriteria, "accept" | "seed" | "trace">,
  rules: AnswerRules,
  bodyRulesOf: BodyRulesReader,
  valueOf?: RefusalReason["valueOf"],
): Promise<Answer> {
  if (error === undefined) throw new TypeError("Only a request with an error can be refused.");
  const headers: HeaderList = error.challenge === undefined ? [] : [["www-authenticate", error.challenge]];
  const keys = new Set(listResponses(operation).map(([key]) => key));
  const code = error.codes.find((code) => keys.has(String(code))) ?? error.status;
  const reason = {
    detail: validationDetail(operation, violations, error),
    violations: violations.filter(({ severity }) => severity === "Error"),
    ...valueOf === undefined ? {} : { valueOf },
  };
  const own = await prepareDeclaredError(operation, code, reason, criteria, rules, bodyRulesOf);
  if (own !== undefined) {
    return createAnswer({ ...own, headers: withViolations(withHeaders(own, headers).headers, violations) });
  }
  const problem = validationProblem(operation, violations, error);
  return buildProblem(operation, problem, { headers: withViolations(headers, violations) });
}

/**
 * Prepares the error answer that a definition declares for a status code: by the code itself, its range, or `default`.
 *
 * @param reason The reason of the error. It is inserted into the body if the schema has a property for it.
 * @returns `undefined` if the definition declares no response for this code, or if no answer can be made from it.
 */
export async function prepareDeclaredError(
  operation: Operation,
  code: number,
  reason: RefusalReason,
  criteria: Pick<AnswerCriteria, "accept" | "seed" | "trace">,
  rules: AnswerRules,
  bodyRulesOf: BodyRulesReader,
): Promise<Answer | undefined> {
  if (selectResponse(operation, { code }).kind !== "response") return undefined;
  const own = await prepareAnswer(
    operation,
    { ...criteria, preferences: NO_PREFERENCES, choice: { code, example: "" }, dynamic: false },
    { ...rules, revise: async (body, schema) => explainRefusal(body, reason, await bodyRulesOf(schema)) },
  );
  return own.source === "problem" ? undefined : own;
}

/**
 * Adds the header `x-gw-violations`. If the headers have CORS headers already, `Access-Control-Expose-Headers` gets its
 * name.
 */
export function withViolations(headers: HeaderList, violations: readonly RequestViolation[]): HeaderList {
  const others = headers.filter(([name]) => name !== VIOLATIONS_HEADER && name !== EXPOSE);
  const exposed = headers.flatMap(([name, value]) => name === EXPOSE ? [value] : []);
  const isShared = exposed.length > 0 || headers.some(([name]) => name === "access-control-allow-origin");
  return [
    ...others,
    ...(isShared ? [[EXPOSE, [...exposed, VIOLATIONS_HEADER].join(", ")] as const] : []),
    [VIOLATIONS_HEADER, formatViolations(violations)],
  ];
}

/**
 * Writes violations as ASCII JSON, which is valid in a header. Violations beyond the limit of length are left out.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const found = [{ location: ["body", "näme"], severity: "Error", code: "type", message: "…" }] as const;
 * const text = formatViolations(found.map((violation) => ({ ...violation, location: [...violation.location] })));
 * assert.match(text, /^[\x20-\x7e]+$/);
 * assert.deepEqual(JSON.parse(text), found);
 * ```
 */
export function formatViolations(violations: readonly RequestViolation[]): string {
  const entries: string[] = [];
  let length = "[]".length;
  for (const violation of violations) {
    const entry = toAscii(writeJson(violation));
    const added = entry.length + (entries.length === 0 ? 0 : 1);
    if (length + added > MOST_BYTES) continue;
    entries.push(entry);
    length += added;
  }
  return `[${entries.join(",")}]`;
}

/** Escapes all characters beyond ASCII. In JSON, only strings contain any. */
function toAscii(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
