/**
 * The console of `gw mock`: which page answers which path.
 *
 * @module
 */
import type { PageContext, Pages } from "../../mock/control/context.ts";
import { PAGES_PATH } from "../../mock/own_endpoints.ts";
import { createTokenTest } from "../../mock/control/access.ts";
import type { Logins } from "../../http/logins.ts";
import { isFromOwnPage } from "../../http/url/origin.ts";
import type { Problem } from "../../http/problem.ts";
import { splitTarget } from "../../http/url/url.ts";
import { readQuery } from "../../api/query.ts";
import { ErrorResponse, problemOf } from "../../api/error_response.ts";
import { StateFullError } from "../../mock/state/store/limits.ts";
import { answerAsset } from "../assets.ts";
import { markup } from "../html.ts";
import { askForToken, logIn, type LoginOptions, logOut } from "../login.ts";
import { pageResponse, renderPage, type Site } from "../site.ts";
import { act } from "./act.ts";
import { operationPage } from "./operation.ts";
import { operationsPage } from "./operations.ts";
import { requestPage } from "./request.ts";
import { requestsPage } from "./requests.ts";
import { definitionPage, type LoadStatus, sourcePage } from "./definition.ts";
import { statePage } from "./state.ts";
import { rulesPage } from "./rules.ts";
import type { View } from "./view.ts";

/** What the console needs of the process. */
export interface MockConsoleOptions {
  /** The command: `gw mock`, `gw proxy`. */
  readonly command: string;
  readonly logins: Logins;
  /** The token of --control-token; absent if there is none. */
  readonly token?: string | undefined;
  /** What the last loads of the definitions gave. */
  readonly statusOf: () => LoadStatus;
}

/** A page of the console. */
type Render = (view: View) => Response | Promise<Response>;

const PAGES: Readonly<Record<string, Render>> = {
  "": requestsPage,
  "operation": operationPage,
  "operations": operationsPage,
  "request": requestPage,
  "rules": rulesPage,
  "source": sourcePage,
  "state": statePage,
};

const NAVIGATION: Site["navigation"] = [
  { path: "", label: "Requests" },
  { path: "operations", label: "Operations" },
  { path: "state", label: "State" },
  { path: "rules", label: "Rules" },
  { path: "definition", label: "Definition" },
];

/** Makes the pages of `gw mock`'s console. */
export function createMockConsole({ command, logins, token, statusOf }: MockConsoleOptions): Pages {
  const isToken = token === undefined ? () => false : createTokenTest(token);
  const login: LoginOptions = { logins, tokenName: "the token of --control-token", accepts: isToken };
  return {
    async answer(request, context) {
      const { server: { controlPath: home }, path } = context;
      const base = home + PAGES_PATH;
      const site: Site = { name: command, base, home, navigation: NAVIGATION };
      const name = path === home ? "" : path.slice(base.length);
      return answerAsset(name) ?? await answerPage(request, context, site, name);
    },
  };

  async function answerPage(request: Request, context: PageContext, site: Site, name: string): Promise<Response> {
    const { method } = request;
    const isRead = method === "GET" || method === "HEAD";
    if (!isRead && !isFromOwnPage(request)) {
      return problemPage(site, problemOf(403, "A page of another site sent this form."));
    }
    if (name === "login" && !isRead) return await logIn(site, login, request);
    if (name === "logout" && !isRead) return logOut(site, login, request);
    const refused = context.refuse(request);
    if (refused?.status === 401 && isRead) return askForToken(site, login, request);
    if (refused !== undefined) return problemPage(site, refused);
    try {
      const query = readQuery(splitTarget(request.url).query);
      const view = { request, context, site, query, isLoggedIn: logins.tokenOf(request) !== undefined };
      if (name === "act" && !isRead) return await act(view);
      if (name === "definition" && isRead) return definitionPage(view, statusOf());
      const render = Object.hasOwn(PAGES, name) && isRead ? PAGES[name] : undefined;
      return render === undefined
        ? problemPage(site, problemOf(404, "The console has no such page."))
        : await render(view);
    } catch (error) {
      if (error instanceof StateFullError) return problemPage(site, problemOf(507, error.message));
      if (!(error instanceof ErrorResponse)) throw error;
      return problemPage(site, await error.response.json());
    }
  }
}

/** The page of an error. */
export function problemPage(site: Site, { title, status, detail }: Problem): Response {
  const body = markup`
    <section class="card">
      <h1>${title}</h1>
      <p>${detail}</p>
      <p><a href="${site.home}">To the requests</a></p>
    </section>
  `;
  return pageResponse(renderPage(site, { title, body }), status);
}
