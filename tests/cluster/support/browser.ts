/**
 * A simulated browser for logins. It keeps cookies (RFC 6265) and follows redirects. All host names resolve to this
 * machine.
 *
 * @module
 */
import { ask, type Reply } from "./ask.ts";
import { OUTSIDE } from "./pod.ts";

export interface Page extends Reply {
  readonly url: string;
}

export interface Browser {
  /** The cookies by host and name. Tests may change them. */
  readonly cookies: Map<string, Map<string, string>>;
  /** Requests a URL without following redirects. */
  get(url: string, headers?: Readonly<Record<string, string>>): Promise<Page>;
  /**
   * Requests a URL and follows redirects, as if a user had typed the URL. Returns all pages; the last one is no
   * redirect.
   */
  open(url: string): Promise<Page[]>;
}

/** The headers that a browser sends when a user opens a URL. */
const NAVIGATION = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

/** The number of redirects in a row. */
const MOST_REDIRECTS = 10;

/** Makes a browser that trusts a certificate authority, given as PEM. */
export function createBrowser(authority: string): Browser {
  const cookies = new Map<string, Map<string, string>>();

  async function get(written: string, headers: Readonly<Record<string, string>> = NAVIGATION): Promise<Page> {
    const url = new URL(written);
    const jar = cookies.get(url.hostname) ?? new Map<string, string>();
    cookies.set(url.hostname, jar);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await ask(Number(url.port || 443), {
      host: url.host,
      path: url.pathname + url.search,
      headers: { ...headers, ...(cookie === "" ? {} : { cookie }) },
      authority,
      ...(url.hostname === OUTSIDE.name ? { address: OUTSIDE.address } : {}),
    });
    for (const line of reply.headers.getSetCookie()) keep(jar, line);
    return { ...reply, url: url.href };
  }

  return {
    cookies,
    get,
    async open(url) {
      const pages = [await get(url)];
      for (let page = pages[0]; page !== undefined && page.status >= 300 && page.status < 400;) {
        if (pages.length > MOST_REDIRECTS) throw new Error(`Sent on more than ${MOST_REDIRECTS} times from ${url}`);
        page = await get(new URL(page.headers.get("location") ?? "", page.url).href);
        pages.push(page);
      }
      return pages;
    },
  };
}

/** Stores a cookie, or removes it if it has expired. The attribute `Path` is ignored. */
function keep(jar: Map<string, string>, line: string): void {
  const [pair = "", ...attributes] = line.split(";").map((part) => part.trim());
  const [name = "", value = ""] = splitOnce(pair);
  const said = new Map(attributes.map((attribute) => {
    const [key = "", text = ""] = splitOnce(attribute);
    return [key.toLowerCase(), text];
  }));
  const age = said.get("max-age");
  const isOver = age === undefined
    ? said.has("expires") && Date.parse(said.get("expires") ?? "") <= Date.now()
    : Number(age) <= 0;
  if (isOver) jar.delete(name);
  else jar.set(name, value);
}

function splitOnce(text: string): [string, string] {
  const at = text.indexOf("=");
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
