import { reasonPhrase } from "../../http/reason_phrase.ts";
import type { HeaderList } from "../../http/handler.ts";
import { type Answer, withHeaders } from "../answer/answer.ts";
import { buildProblem } from "../answer/build_answer.ts";
import { prepareDeclaredError } from "../validation/error_response.ts";
import { negotiateLoosely } from "../answer/negotiate.ts";
import type { BindingPlan } from "./binding_plan.ts";
import type { StateContext } from "./state_context.ts";
import type { StateRequest } from "./state_request.ts";

/**
 * The error answer to a request: the response that the operation declares for the status, with `detail` in its property
 * for a message (`message`, `detail`, …); without such a response, a problem.
 */
export async function errorAnswer(
  { binding: { operation, idParameter, resource }, bodyRulesOf }: BindingPlan,
  { answers: { handlers } }: StateContext,
  request: Pick<StateRequest, "headers" | "pathParameters" | "trace">,
  status: number,
  detail: string,
  headers: HeaderList = [],
): Promise<Answer> {
  const { trace } = request;
  // The media types of the response that the operation has otherwise don't count.
  if (trace !== undefined) Object.assign(trace, { offers: undefined, negotiated: undefined });
  const criteria = { accept: request.headers.get("accept"), seed: handlers.options.seed ?? 0, trace };
  const rules = { anyStatus: false, generate: true, generatorOf: handlers.generatorOf, negotiate: negotiateLoosely };
  const subject = status === 404 && idParameter !== undefined ? ["path", idParameter] : undefined;
  const valueOf = (): unknown => idParameter && request.pathParameters[idParameter];
  const reason = { detail, violations: [], subject, valueOf };
  const own = await prepareDeclaredError(operation, status, reason, criteria, rules, bodyRulesOf);
  const facts = { resource: resource.name };
  if (own === undefined) {
    return { ...buildProblem(operation, { title: reasonPhrase(status), status, detail }, { headers }), facts };
  }
  return withHeaders({ ...own, source: "state", detail, facts }, headers);
}
