import type { HeaderList } from "../http/handler.ts";
import type { Operation } from "../openapi/operation.ts";
import { type AnswerRules, prepareAnswer, type PreparedAnswer, problemAnswer, type Wish } from "./answer.ts";
import { type BodyRulesReader, explainRefusal } from "./validation/explain_refusal.ts";
import { NO_PREFERENCES } from "./preferences.ts";
import { chooseResponse, listResponses } from "./select_response.ts";
import { refusalDetail, refusalProblem, type Validation } from "./validation/validate_request.ts";
import { withViolations } from "./validation/violations_header.ts";

/**
 * Makes the answer that refuses a request: the response that the definition has for it, with the reason where it has room
 * for one, else a problem. A header has the reason in either case.
 *
 * @param bodyRulesOf Reads the rules for the definition's bodies.
 */
export async function prepareRefusal(
  operation: Operation,
  { violations, refusal }: Validation,
  wish: Pick<Wish, "accept" | "seed">,
  rules: AnswerRules,
  bodyRulesOf: BodyRulesReader,
): Promise<PreparedAnswer> {
  if (refusal === undefined) throw new TypeError("Only a request with a refusal can be refused.");
  const headers: HeaderList = refusal.challenge === undefined ? [] : [["www-authenticate", refusal.challenge]];
  const keys = new Set(listResponses(operation).map(([key]) => key));
  const code = refusal.codes.find((code) => keys.has(String(code))) ?? refusal.status;
  if (chooseResponse(operation, { code }).kind === "response") {
    const errors = violations.filter(({ severity }) => severity === "Error");
    const reason = { detail: refusalDetail(operation, violations, refusal), violations: errors };
    const own = await prepareAnswer(
      operation,
      { ...wish, preferences: { ...NO_PREFERENCES, code }, dynamic: false },
      { ...rules, revise: async (body, schema) => explainRefusal(body, reason, await bodyRulesOf(schema)) },
    );
    if (own.source !== "problem") return { ...own, headers: withViolations(withAll(own.headers, headers), violations) };
  }
  return problemAnswer(refusalProblem(operation, violations, refusal), withViolations(headers, violations));
}

/** Adds headers in place of the definition's; what the client didn't ask for isn't told to be applied. */
function withAll(headers: HeaderList, added: HeaderList): HeaderList {
  const replaced = new Set(["preference-applied", ...added.map(([name]) => name)]);
  return [...headers.filter(([name]) => !replaced.has(name)), ...added];
}
