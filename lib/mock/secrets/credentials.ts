import { splitCookies } from "../../http/cookie.ts";
import { decodeQueryText, percentDecode, splitQuery, splitTarget } from "../../http/url.ts";
import type { Document } from "../../openapi/document.ts";
import { child, entries, stringOf } from "../../schema/node.ts";
import { follow } from "../../schema/reference.ts";
import { isSecretName } from "../../names/secret_names.ts";

/** The names of headers and query parameters that contain API keys, by the security schemes of a definition. */
export interface CredentialNames {
  /** Names in lower case. */
  readonly headers: ReadonlySet<string>;
  readonly queries: ReadonlySet<string>;
}

/** The parts of a request that may contain credentials. */
export interface CredentialHolder {
  readonly url: string;
  readonly headers: Headers;
  readonly pathParameters: Readonly<Record<string, string>>;
}

/**
 * A cookie's value is considered a credential if it has at least 8 characters and one of them is a digit. Shorter
 * values are settings.
 */
const CREDENTIAL_COOKIE = /^(?=.*\d).{8,}$/s;

/**
 * Reads the names of a definition's API keys in headers and queries. Names of cookies aren't needed, since the values
 * of cookies are examined whatever their name.
 */
export function readCredentialNames(document: Document): CredentialNames {
  const headers = new Set<string>();
  const queries = new Set<string>();
  for (const [, written] of entries(child(child(document.root, "components"), "securitySchemes"))) {
    const scheme = follow(document, written);
    const name = stringOf(child(scheme, "name"));
    if (child(scheme, "type").value !== "apiKey" || name === undefined) continue;
    if (child(scheme, "in").value === "query") queries.add(name);
    else headers.add(name.toLowerCase());
  }
  return { headers, queries };
}

/** Lists the credentials in a request's headers and URL, in each form in which another text may repeat them. */
export function credentialsOf({ url, headers, pathParameters }: CredentialHolder, names: CredentialNames): string[] {
  const fromHeaders = [...headers].flatMap(([name, value]) => {
    if (name === "cookie") return cookiesOf(value);
    return names.headers.has(name) || isSecretName(name) ? partsOf(value) : [];
  });
  const fromQuery = [...splitQuery(splitTarget(url).query)].flatMap(([name, values]) =>
    names.queries.has(name) || isSecretName(name) ? values.map(decodeQueryText) : []
  );
  const fromPath = Object.entries(pathParameters).flatMap(([name, value]) => isSecretName(name) ? [value] : []);
  const [, userInfo] = /^[^/?#]*:\/\/([^/?#@]*)@/.exec(url) ?? [];
  const fromUser = userInfo === undefined ? [] : [percentDecode(userInfo.slice(userInfo.indexOf(":") + 1))];
  return [...fromHeaders, ...fromQuery, ...fromPath, ...fromUser];
}

function cookiesOf(header: string): string[] {
  return [...splitCookies(header)].flatMap(([name, values]) =>
    isSecretName(name) ? values : values.filter((value) => CREDENTIAL_COOKIE.test(value))
  );
}

/**
 * The secrets in the value of a header: its part after the authentication scheme, and for `Basic`, its decoded
 * password.
 */
function partsOf(value: string): string[] {
  const [, scheme = "", rest = ""] = /^([A-Za-z][\w-]*) +(.+)$/s.exec(value) ?? [];
  if (rest === "") return [value];
  if (scheme.toLowerCase() === "basic") return [rest, ...passwordOf(rest)];
  if (!rest.includes('="')) return [rest];
  // The parameters of Digest and AWS credentials that are secret: `response="…"`, `Signature=…`, `cnonce="…"`.
  return [...rest.matchAll(/\b(?:response|signature|cnonce)="?([^",\s]+)/gi)].map(([, part = ""]) => part);
}

function passwordOf(basic: string): string[] {
  try {
    const bytes = Uint8Array.fromBase64(basic);
    const text = new TextDecoder().decode(bytes);
    return [text, text.slice(text.indexOf(":") + 1)];
  } catch {
    return [];
  }
}
