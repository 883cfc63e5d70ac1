/**
 * The control API of a mock server: its state, sessions, rules, clock and journal.
 *
 * @module
 */
import { createApi } from "../../api/api.ts";
import { readDescription } from "../../api/description.ts";
import { problemOf } from "../../api/error_response.ts";
import { loadOnce } from "../../http/load_once.ts";
import { problemResponse } from "../../http/problem.ts";
import { createRuleReader } from "../rules/read_rule.ts";
import type { Session } from "../session/session.ts";
import { StateFullError } from "../state/limits.ts";
import { type AccessOptions, createAccess } from "./access.ts";
import type { ControlContext, ControlledServer, Explainer } from "./context.ts";
import { descriptionAt } from "./description.ts";
import { OPERATIONS } from "./operations.ts";

/**
 * Answers a request for the control API.
 *
 * @param session The session that the request names by its header or base path, else the shared session.
 * @param path The path of the request, without a session's base path.
 * @param explain Explains other requests.
 */
export type ControlApi = (
  request: Request,
  session: Session,
  path: string,
  explain: Explainer,
) => Response | Promise<Response>;

export function createControlApi(server: ControlledServer, options: AccessOptions): ControlApi {
  const { controlPath: basePath } = server;
  const description = loadOnce(() => readDescription(descriptionAt(basePath)));
  const ruleReader = loadOnce(createRuleReader);
  const refuse = createAccess(options);
  const api = createApi<ControlContext>({
    operations: OPERATIONS,
    basePath,
    hint:
      `${basePath}openapi.json describes what there is beside ${basePath}health. Paths below ${basePath} are those of ` +
      "the mock server itself; --no-control gives them back to the definition.",
    commonQuery: ["session"],
    refuse: (request) => {
      const problem = refuse(request);
      const headers = problem?.status === 401 ? [["www-authenticate", 'Bearer realm="gw"'] as const] : [];
      return problem && problemResponse(problem, headers);
    },
    responseOf: (error) =>
      error instanceof StateFullError
        ? problemResponse({ ...problemOf(507, error.message), limit: error.limit })
        : undefined,
  });
  return (request, session, path, explain) => api(request, path, { server, session, description, ruleReader, explain });
}
