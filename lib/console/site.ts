/**
 * The shell of a console's pages: its landmarks, navigation, headers and assets. `gw mock` and `gw serve` fill it.
 *
 * @module
 */
import type { HeaderList } from "../http/handler.ts";
import { sendableHeaders } from "../http/field_value.ts";
import { assetUrl } from "./assets.ts";
import { type Html, type HtmlValue, markup } from "./html.ts";

/** A console, as all its pages show it. */
export interface Site {
  /** What the pages are of, such as `gw mock`. */
  readonly name: string;
  /** The path below which the pages are, with a slash at its end: `/_gw/console/`. */
  readonly base: string;
  /** The path of the first page. */
  readonly home: string;
  readonly navigation: readonly NavigationItem[];
}

/** A page in the navigation. */
export interface NavigationItem {
  /** The path, below the base. */
  readonly path: string;
  readonly label: string;
}

export interface ConsolePage {
  readonly title: string;
  /** The path of the page in the navigation that this one belongs to; absent for none. */
  readonly current?: string;
  /** The query that links of the navigation keep, such as `?session=a`. Default: none. */
  readonly query?: string;
  readonly body: HtmlValue;
  /** What stands at the end of the header, such as a choice of sessions. */
  readonly aside?: HtmlValue;
  /** Whether the header has a button to log out. */
  readonly isLoggedIn?: boolean;
}

/** The whole page. */
export function renderPage(
  site: Site,
  { title, current, query = "", body, aside, isLoggedIn = false }: ConsolePage,
): Html {
  const { name, base, home, navigation } = site;
  return markup`
    <!DOCTYPE html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>${title} · ${name}</title>
        <link rel="stylesheet" href="${assetUrl(base, "console.css")}">
        <link rel="icon" href="${assetUrl(base, "icon.svg")}" type="image/svg+xml">
        <script type="module" src="${assetUrl(base, "console.js")}"></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="top">
          <a class="brand" href="${home}${query}">${name}</a>
          <nav aria-label="Console">
            <ul>${
    navigation.map(({ path, label }) =>
      markup`<li><a href="${path === "" ? home : base + path}${query}"${
        path === current && markup` aria-current="page"`
      }>${label}</a></li>`
    )
  }</ul>
          </nav>
          <div class="aside">${aside}${
    isLoggedIn &&
    markup`<form method="post" action="${base}logout"><button class="quiet">Log out</button></form>`
  }</div>
        </header>
        <main id="main" tabindex="-1">
    ${body}
        </main>
        <div id="announcer" class="unseen" role="status" aria-live="polite"></div>
      </body>
    </html>
  `;
}

/**
 * What a page may load, and who may show it: nothing of another host, no inline script or style, no frame.
 *
 * @see {@link https://www.w3.org/TR/CSP3/ Content Security Policy Level 3}
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const PAGE_HEADERS: HeaderList = [
  ["content-type", "text/html; charset=utf-8"],
  ["content-security-policy", POLICY],
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["referrer-policy", "same-origin"],
  ["cross-origin-opener-policy", "same-origin"],
];

/** The response that carries a page, or a piece of one for a script. */
export function pageResponse(page: Html, status = 200, headers: HeaderList = []): Response {
  return new Response(page.text, { status, headers: [...PAGE_HEADERS, ...sendableHeaders(headers)].map(toPair) });
}

/** Leads a browser to a page, after a form was sent (RFC 9110, section 15.4.4). */
export function seeOther(location: string, headers: HeaderList = []): Response {
  const all: HeaderList = [["location", location], ["cache-control", "no-store"], ...headers];
  return new Response(null, { status: 303, headers: all.map(toPair) });
}

function toPair([name, value]: readonly [string, string]): [string, string] {
  return [name, value];
}
