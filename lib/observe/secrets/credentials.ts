import { decodeBase64 } from "../../http/base64.ts";
import { splitCookies } from "../../http/cookie.ts";
import { decodeQueryText, percentDecode, splitQuery, splitTarget } from "../../http/url/url.ts";
import { createCompanionTest, isSecretName } from "../../names/secret_names.ts";
import { type DeclaredSecrets, NO_SECRETS } from "./declared_secrets.ts";
import { isSecretParameter } from "./redact_url.ts";

/** The parts of a request that may contain credentials. */
export interface CredentialHolder {
  readonly url: string;
  readonly headers: Iterable<readonly [string, string]>;
  /** The body after content decoding. Only a form is searched. */
  readonly body?: Uint8Array | undefined;
}

/**
 * A cookie's value is considered a credential if it has at least 8 characters and one of them is a digit. Shorter
 * values are settings.
 */
const CREDENTIAL_COOKIE = /^(?=.*\d).{8,}$/s;

/** Lists the credentials in a request's headers and URL, in each form in which another text may repeat them. */
export function credentialsOf({ url, headers, body }: CredentialHolder, declared: DeclaredSecrets): string[] {
  const fromHeaders = [...headers].flatMap(([written, value]) => {
    const name = written.toLowerCase();
    if (name === "cookie") return cookiesOf(value, declared);
    return declared.headers.has(name) || isSecretName(name) ? partsOf(value) : [];
  });
  const [, userInfo] = /^[^/?#]*:\/\/([^/?#@]*)@/.exec(url) ?? [];
  const fromUser = userInfo === undefined ? [] : [percentDecode(userInfo.slice(userInfo.indexOf(":") + 1))];
  const { path, query } = splitTarget(url);
  const segments = path.split("/");
  const fromPath = declared.segments.flatMap((index) => percentDecode(segments.at(-1 - index) ?? ""));
  const isForm = [...headers].some(([name, value]) => /^content-type$/i.test(name) && FORM.test(value));
  const form = isForm && body !== undefined ? new TextDecoder().decode(body.subarray(0, MOST_FORM)) : "";
  return [
    ...fromHeaders,
    ...secretsInQuery(query, declared),
    ...secretsInQuery(form, NO_SECRETS),
    ...fromPath,
    ...fromUser,
  ];
}

const FORM = /^\s*application\/x-www-form-urlencoded\b/i;
/** The most bytes of a form that are searched. */
const MOST_FORM = 256 * 1024;

function secretsInQuery(query: string, declared: DeclaredSecrets): string[] {
  const parameters = splitQuery(query, MOST_PARAMETERS);
  const isCode = createCompanionTest([...parameters.keys()]);
  return [...parameters].flatMap(([name, values]) =>
    values.map(decodeQueryText).filter((value) => isSecretParameter(name, value, isCode, declared))
  );
}

/** The most parameters of a query that are examined. */
const MOST_PARAMETERS = 1_000;

function cookiesOf(header: string, { cookies }: DeclaredSecrets): string[] {
  return [...splitCookies(header)].flatMap(([name, values]) =>
    cookies.has(name) || isSecretName(name) ? values : values.filter((value) => CREDENTIAL_COOKIE.test(value))
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
  const bytes = decodeBase64(basic);
  if (bytes === undefined) return [];
  const text = new TextDecoder().decode(bytes);
  return [text, text.slice(text.indexOf(":") + 1)];
}
