/**
 * The login of a console: a token in a form becomes a cookie.
 *
 * @module
 */
import type { Logins } from "../http/logins.ts";
import { isNavigation } from "../http/url/origin.ts";
import { type Html, markup } from "./html.ts";
import { pageResponse, renderPage, seeOther, type Site } from "./site.ts";
import { readForm } from "./form.ts";

/** Where the token of a console comes from, and who checks it. */
export interface LoginOptions {
  readonly logins: Logins;
  /** What the token is, for the login page: `the token of --control-token`. */
  readonly tokenName: string;
  /** Whether a token is one that the server accepts. */
  readonly accepts: (token: string, request: Request) => boolean | Promise<boolean>;
}

/** The page that asks for the token, for a request without one. */
export function askForToken(site: Site, { tokenName }: Pick<LoginOptions, "tokenName">, request: Request): Response {
  const url = new URL(request.url);
  const isSecond = url.searchParams.has(SECOND);
  url.searchParams.delete(SECOND);
  const back = url.pathname + url.search;
  return loginPage(site, tokenName, back, { headers: isSecond ? [] : refreshOf(request, url) });
}

/** The query by which a page that loaded itself again is known. */
const SECOND = "login";

/**
 * A link of another site is followed without the cookie, since that is `SameSite=Strict`. The page then loads itself
 * again, as its own site, with the cookie. Browsers don't tell whose link it is where there is no TLS (Fetch Metadata,
 * section 2): there each page does so once.
 */
function refreshOf(request: Request, url: URL): [string, string][] {
  const site = request.headers.get("sec-fetch-site");
  if (site === null) {
    url.searchParams.set(SECOND, "");
    return [["refresh", `0; url=${url.pathname}${url.search}`]];
  }
  return site === "cross-site" && isNavigation(request) ? [["refresh", "0"]] : [];
}

/** Answers `POST …/login`: opens a login for the token of the form, and leads to the page that asked for it. */
export async function logIn(site: Site, options: LoginOptions, request: Request): Promise<Response> {
  const form = await readForm(request);
  const token = (form.get("token") ?? "").trim();
  const back = ownPath(site, form.get("back"));
  if (token === "" || !await options.accepts(token, request)) {
    return loginPage(site, options.tokenName, back, { mistake: "That isn't the token." });
  }
  return seeOther(back, [["set-cookie", options.logins.open(request, token)]]);
}

/** Answers `POST …/logout`. */
export function logOut(site: Site, { logins }: Pick<LoginOptions, "logins">, request: Request): Response {
  return seeOther(site.home, [["set-cookie", logins.close(request)]]);
}

function loginPage(
  site: Site,
  tokenName: string,
  back: string,
  { mistake, headers = [] }: { mistake?: string; headers?: [string, string][] },
): Response {
  const body: Html = markup`
    <section class="login card">
      <h1>Log in</h1>
      <p>This console shows what clients sent, so it asks for ${tokenName}.</p>
      <form method="post" action="${site.base}login">
    <input type="hidden" name="back" value="${back}">
    <label>Token <input type="password" name="token" required autocomplete="current-password"${
    mistake !== undefined &&
    markup` aria-invalid="true" aria-describedby="mistake"`
  }></label>
    ${mistake !== undefined && markup`<p class="mistake" id="mistake" role="alert">${mistake}</p>`}
    <button class="main">Log in</button>
      </form>
    </section>
  `;
  const page = renderPage({ ...site, navigation: [] }, { title: "Log in", body });
  return pageResponse(page, 401, headers);
}

/** A path of the console that a form names, else the first page: a form must not lead to another host. */
export function ownPath({ base, home }: Site, written: string | null | undefined): string {
  if (written === null || written === undefined) return home;
  const url = URL.parse(written, "http://console.invalid");
  if (url === null || url.host !== "console.invalid" || !written.startsWith("/")) return home;
  const { pathname, search, hash } = url;
  return pathname === home || pathname.startsWith(base) ? pathname + search + hash : home;
}
