/**
 * Logins of browsers: a cookie stands for a token, which the browser's pages never see.
 *
 * @module
 */
import { splitCookies } from "./cookie.ts";
import { isFromForeignPage, isFromOwnPage, isNavigation } from "./url/origin.ts";

/** What logins need of the server. */
export interface LoginsOptions {
  /** The path below which browsers send the cookie: only gw's own endpoints get it. */
  readonly path: string;
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number;
  /** Returns an id that nobody can guess, such as a random UUID. */
  readonly newId: () => string;
}

/** The open logins of a server. They survive neither its end nor {@linkcode LIFETIME}. */
export interface Logins {
  /** Opens a login for a token that the server accepts. Returns the value of `Set-Cookie`. */
  open(request: Request, token: string): string;
  /**
   * The token for which a request's cookie stands. `undefined` for a request that another site's page may have caused,
   * unless it is a navigation, and for a request that changes something and doesn't come from an own page.
   */
  tokenOf(request: Request): string | undefined;
  /** Closes the login of a request. Returns the value of `Set-Cookie`. */
  close(request: Request): string;
}

/** The milliseconds for which a login holds. */
export const LIFETIME = 12 * 60 * 60 * 1000;

/** Limit of the open logins. When there are more, the oldest is closed. */
export const MOST_LOGINS = 100;

interface Login {
  readonly token: string;
  readonly end: number;
}

export function createLogins({ path, now, newId }: LoginsOptions): Logins {
  const logins = new Map<string, Login>();

  return {
    open(request, token) {
      const [oldest] = logins.keys();
      if (logins.size >= MOST_LOGINS && oldest !== undefined) logins.delete(oldest);
      const id = newId();
      logins.set(id, { token, end: now() + LIFETIME });
      return cookieFor(request, id, LIFETIME / 1000);
    },
    tokenOf(request) {
      const login = idsOf(request).map((id) => logins.get(id)).find((login) => login !== undefined);
      if (login === undefined || login.end <= now() || !mayUse(request)) return undefined;
      return login.token;
    },
    close(request) {
      for (const id of idsOf(request)) logins.delete(id);
      return cookieFor(request, "", 0);
    },
  };

  function cookieFor(request: Request, id: string, seconds: number): string {
    const secure = request.url.startsWith("https:") ? "; Secure" : "";
    return `${nameFor(request)}=${id}; Path=${path}; Max-Age=${seconds}; HttpOnly; SameSite=Strict${secure}`;
  }

  function idsOf(request: Request): readonly string[] {
    const cookie = request.headers.get("cookie");
    return cookie === null ? [] : splitCookies(cookie).get(nameFor(request)) ?? [];
  }
}

/** The name of the cookie. Browsers send cookies to all ports of a host, so that each port has a name of its own. */
function nameFor({ url, headers }: Request): string {
  const [, port = ""] = /:(\d{1,5})$/.exec(headers.get("host") ?? new URL(url).host) ?? [];
  return `gw-console-${port || "default"}`;
}

function mayUse(request: Request): boolean {
  const { method } = request;
  if (method !== "GET" && method !== "HEAD") return isFromOwnPage(request);
  return isNavigation(request) || !isFromForeignPage(request);
}
