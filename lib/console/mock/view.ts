import type { Query } from "../../api/query.ts";
import type { PageContext } from "../../mock/control/context.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Session } from "../../mock/session/session.ts";
import { errorResponse } from "../../api/error_response.ts";
import { type Html, markup } from "../html.ts";
import { option } from "../parts.ts";
import { type ConsolePage, pageResponse, renderPage, type Site } from "../site.ts";

/** A request for a page of `gw mock`'s console. */
export interface View {
  readonly request: Request;
  readonly context: PageContext;
  readonly site: Site;
  readonly query: Query;
  readonly isLoggedIn: boolean;
}

/** Makes the response with a page, whose links to other pages keep the session. */
export function respond(view: View, page: Omit<ConsolePage, "query" | "isLoggedIn">, status = 200): Response {
  const session = view.query.get("session") ?? "";
  const query = session === "" || session === SHARED ? "" : `?session=${encodeURIComponent(session)}`;
  return pageResponse(renderPage(view.site, { ...page, query, isLoggedIn: view.isLoggedIn }), status);
}

/** The value of the query `session` for the shared session, which has no name. No session has this one. */
export const SHARED = "(shared)";

/** The session that a page shows: that of the query, else the shared one. */
export function sessionOf({ query, context: { server: { sessions }, session } }: View): Session {
  const name = query.get("session") ?? "";
  if (name === "" || name === SHARED) return session;
  const found = sessions.get(name);
  if (found === undefined) throw errorResponse(404, `There is no session ${name}: none was used, or it was dropped.`);
  return found;
}

/** The URL of a page with a query. Empty values are left out. */
export function urlOf(
  { site: { base, home } }: View,
  page: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== "");
  const written = new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
  return `${page === "" ? home : base + page}${written === "" ? "" : `?${written}`}`;
}

/** How pages name an operation: method and path key. */
export function keyOf({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method} ${path}`;
}

/** A choice of sessions, as a form that leads to the same page; nothing while there is only the shared session. */
export function sessionChoice(view: View, page: string): Html | undefined {
  const names = view.context.server.sessions.list().map(({ name }) => name);
  if (names.length < 2) return undefined;
  const current = sessionOf(view).name;
  const options = names.map((name) => option(name, nameOfSession(name), name === current));
  return markup`<form action="${urlOf(view, page)}" data-submit>
<label class="inline">Session <select name="session">${options}</select></label>
<noscript><button>Show</button></noscript>
</form>`;
}

/** A session's name; the shared session has none. */
export function nameOfSession(name: string): string {
  return name === "" ? "shared" : name;
}
