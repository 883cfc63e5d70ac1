/**
 * Finds secrets in a text by their form: API keys with a known prefix, JSON Web Tokens, private keys in PEM,
 * credentials in HTTP headers and in URLs.
 *
 * @module
 */
import type { Span } from "./span.ts";

/** A kind of API key that is recognised by its prefix. */
interface Kind {
  /** The prefix, as a regular expression. */
  readonly start: string;
  /**
   * The rest of the key, matched directly after the prefix. It repeats only one character class, so that it can't
   * backtrack.
   */
  readonly rest: RegExp;
}

const ALPHANUMERIC = "[A-Za-z0-9]";
const BASE64URL = "[A-Za-z0-9_-]";

function kind(start: string, characters: string, least: number): Kind {
  return { start, rest: new RegExp(`${characters}{${least},}`, "y") };
}

/** The kinds of API keys, by the documentation of their issuers. */
const KINDS: readonly Kind[] = [
  kind("gh[oprsu]_", ALPHANUMERIC, 16), // GitHub
  kind("github_pat_", "[A-Za-z0-9_]", 16),
  kind("gl(?:pat|dt|rt|ptt|soat|cbt|imt|ft|agent|oas)-", BASE64URL, 16), // GitLab
  kind("(?:sk|rk|pk)_(?:live|test)_", "[A-Za-z0-9_]", 8), // Stripe
  kind("whsec_", "[A-Za-z0-9_+/=-]", 8),
  kind("(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA)", "[A-Z0-9]", 12), // AWS
  kind("xox[abeoprs]-", "[A-Za-z0-9-]", 8), // Slack
  kind("hooks\\.slack\\.com/services/", "[A-Za-z0-9/]", 16),
  kind("xapp-", "[A-Za-z0-9-]", 8),
  kind("AIza", BASE64URL, 30), // Google
  kind("ya29\\.", "[A-Za-z0-9_.-]", 10),
  kind("GOCSPX-", BASE64URL, 16),
  kind("sk-(?:ant-|proj-|svcacct-|admin-|or-)?", BASE64URL, 16), // OpenAI, Anthropic
  kind("SG\\.", "[A-Za-z0-9_.-]", 20), // SendGrid
  kind("(?:SK|AC)(?=[0-9a-f]{32})", "[0-9a-f]", 32), // Twilio
  kind("npm_", ALPHANUMERIC, 20),
  kind("pypi-", BASE64URL, 20),
  kind("dckr_pat_", BASE64URL, 16),
  kind("hf_", ALPHANUMERIC, 20),
  kind("do[opr]_v1_", "[0-9a-f]", 20), // DigitalOcean
  kind("shp(?:at|ca|pa|ss)_", "[0-9a-fA-F]", 16), // Shopify
  kind("sq0(?:atp|csp)-", BASE64URL, 16), // Square
  kind("ATATT3", "[A-Za-z0-9_=-]", 16), // Atlassian
  kind("AGE-SECRET-KEY-1", "[A-Z0-9]", 20),
  kind("hv[sbr]\\.", BASE64URL, 16), // Vault
  kind("lin_api_", ALPHANUMERIC, 16),
  kind("PMAK-", "[A-Za-z0-9-]", 16), // Postman
  kind("key-(?=[0-9a-f]{32})", "[0-9a-f]", 32), // Mailgun
  kind("EAACEdEose0cBA", ALPHANUMERIC, 8), // Facebook
  kind("rubygems_", "[0-9a-f]", 20),
  kind("(?:tfp|figd|dp\\.pt|dapi|NRAK|glsa|sntrys|pscale_(?:tkn|pw|oauth))[_.-]?", BASE64URL, 24),
];

/** Matches the prefixes of all kinds, but not within a word. The index of the matching group is that of the kind. */
const STARTS = new RegExp(`(?<!${ALPHANUMERIC})(?:${KINDS.map(({ start }) => `(${start})`).join("|")})`, "g");

/**
 * HTTP credentials after the name of their authentication scheme. To distinguish them from prose, they must contain a
 * digit, one of `=._`, or a capital letter after a small one. The parameters of a challenge (`Bearer realm="…"`) aren't
 * credentials.
 */
const AFTER_SCHEME =
  /\b(?:bearer|basic|token|apikey|digest|negotiate|splunk)[ \t]+(?![a-z_]+=")(?=[\w.~+/-]*?(?:[0-9=._]|[a-z][A-Z]))([\w.~+/=-]{8,})/gd;
const SCHEME_IN_CAPITALS =
  /\b(?:Bearer|Basic|Token|ApiKey|Digest|Negotiate|Splunk|BEARER|BASIC)[ \t]+(?![a-z_]+=")(?=[\w.~+/-]*?(?:[0-9=._]|[a-z][A-Z]))([\w.~+/=-]{8,})/gd;

/**
 * Segments joined by dots. The look-behind allows a match to begin only at the first segment, so that the search takes
 * linear time.
 */
const DOTTED = /(?<![\w.-])[\w-]+(?:\.[\w-]*)+/g;
/** The base64 of `{"`, with which a JSON object begins. */
const JSON_IN_BASE64 = "eyJ";

const PEM_START = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const PEM_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** A PEM block in base64. It begins with the base64 of `-----BEGIN `. */
const PEM_IN_BASE64 = /LS0tLS1CRUdJTi[\w+/-]{8,}={0,2}/g;

/** The user information of a URL, between `://` and `@`. */
const USER_INFO = /:\/\/([^\s/?#@"'<>\\]{1,1024})@/gd;

/** Finds the secrets in a text by their form, in linear time. */
export function findByFormat(text: string): Span[] {
  return [
    ...findKinds(text),
    ...findGroups(text, AFTER_SCHEME),
    ...findGroups(text, SCHEME_IN_CAPITALS),
    ...findJwts(text),
    ...findPrivateKeys(text),
    ...findUserInfo(text),
  ];
}

function findKinds(text: string): Span[] {
  const spans: Span[] = [];
  for (const match of text.matchAll(STARTS)) {
    const { index: start } = match;
    const { rest } = KINDS[match.slice(1).findIndex((group) => group !== undefined)] ?? {};
    if (rest === undefined) continue;
    rest.lastIndex = start + match[0].length;
    if (rest.test(text)) spans.push({ start, end: rest.lastIndex });
  }
  return spans;
}

function findGroups(text: string, pattern: RegExp): Span[] {
  return [...text.matchAll(pattern)].flatMap(({ indices }) => {
    const [start, end] = indices?.[1] ?? [];
    return start === undefined || end === undefined ? [] : [{ start, end }];
  });
}

/** Finds JSON Web Tokens (RFC 7519), signed or encrypted: a JSON object in base64, a dot, and further segments. */
function findJwts(text: string): Span[] {
  if (!text.includes(JSON_IN_BASE64)) return [];
  return [...text.matchAll(DOTTED)].flatMap(({ 0: run, index }) => {
    const at = run.indexOf(JSON_IN_BASE64);
    const dot = run.indexOf(".", at);
    return at === -1 || dot - at < 10 || run.length - dot < 4 ? [] : [{ start: index + at, end: index + run.length }];
  });
}

function findPrivateKeys(text: string): Span[] {
  const spans: Span[] = [];
  let end = 0;
  for (const { index: start } of text.includes("-----BEGIN") ? text.matchAll(PEM_START) : []) {
    if (start < end) continue;
    PEM_END.lastIndex = start;
    // A key without an end marker was cut off: it reaches to the end of the text.
    end = PEM_END.test(text) ? PEM_END.lastIndex : text.length;
    spans.push({ start, end });
  }
  for (const { 0: run, index: start } of text.matchAll(PEM_IN_BASE64)) {
    if (/PRIVATE KEY/.test(atob(run.slice(0, 64)))) spans.push({ start, end: start + run.length });
  }
  return spans;
}

/**
 * Finds the passwords in URLs. If a URL has a user name without a password, finds the user name, which may be an API
 * key.
 */
function findUserInfo(text: string): Span[] {
  return findGroups(text, USER_INFO).map(({ start, end }) => {
    const colon = text.slice(start, end).indexOf(":");
    return { start: colon === -1 ? start : start + colon + 1, end };
  }).filter(({ start, end }) => start < end);
}
