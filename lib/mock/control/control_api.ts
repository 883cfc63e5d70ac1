/**
 * The control API of a mock server: its state, sessions, rules, clock and journal.
 *
 * @module
 */
import { type ApiOptions, createApi } from "../../api/api.ts";
import { readDescription } from "../../api/description.ts";
import { problemOf } from "../../api/error_response.ts";
import { loadOnce } from "../../http/load_once.ts";
import { problemResponse } from "../../http/problem.ts";
import { splitTarget } from "../../http/url/url.ts";
import { createRuleReader } from "../rules/read_rule.ts";
import type { Session } from "../session/session.ts";
import { StateFullError } from "../state/store/limits.ts";
import { type ControlAccessOptions, createControlAccess } from "./access.ts";
import type { ControlContext, ControlledServer, Explainer, Pages } from "./context.ts";
import { descriptionAt } from "./description.ts";
import { CONTROL_OPERATIONS } from "./operations.ts";

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

export interface ControlOptions extends ControlAccessOptions {
  /** The console; its pages are loaded at their first request. Default: there is none. */
  readonly pages?: PagesOptions | undefined;
}

export interface PagesOptions {
  /** The path of the pages, below the base path of the API, which itself leads to the first page. */
  readonly path: string;
  readonly load: () => Promise<Pages>;
}

export function createControlApi(server: ControlledServer, options: ControlOptions): ControlApi {
  const { controlPath: basePath } = server;
  const description = loadOnce(() => readDescription(descriptionAt(basePath)));
  const ruleReader = loadOnce(createRuleReader);
  const refuse = createControlAccess(options);
  const common: ApiOptions<ControlContext> = {
    operations: CONTROL_OPERATIONS,
    basePath,
    hint:
      `${basePath}openapi.json describes what there is beside ${basePath}health. Paths below ${basePath} are those of ` +
      "the mock server itself; --no-control gives them back to the definition.",
    commonQuery: ["session"],
    responseOf: (error) =>
      error instanceof StateFullError
        ? problemResponse({ ...problemOf(507, error.message), limit: error.limit })
        : undefined,
  };
  const api = createApi({
    ...common,
    refuse: (request) => {
      const problem = refuse(request);
      const headers = problem?.status === 401 ? [["www-authenticate", 'Bearer realm="gw"'] as const] : [];
      return problem && problemResponse(problem, headers);
    },
  });
  const { pages } = options;
  if (pages === undefined) return (request, session, path, explain) => api(request, path, contextOf(session, explain));
  // The pages have refused whom they don't serve before they ask.
  const open = createApi(common);
  return (request, session, path, explain) => {
    const context = contextOf(session, explain);
    if (!isPage(request, path, pages)) return api(request, path, context);
    const ask = (request: Request): Response | Promise<Response> =>
      open(request, splitTarget(request.url).path, context);
    return pages.load().then(({ answer }) => answer(request, { ...context, path, refuse, api: ask }));
  };

  function contextOf(session: Session, explain: Explainer): ControlContext {
    return { server, session, description, ruleReader, explain };
  }

  function isPage({ method, headers }: Request, path: string, pages: PagesOptions): boolean {
    if (path !== basePath) return path.startsWith(basePath + pages.path);
    return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.get("accept") ?? "");
  }
}
