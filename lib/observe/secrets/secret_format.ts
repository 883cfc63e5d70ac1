/**
 * Finds secrets in a text by their form: tokens with a known prefix, JSON Web Tokens, private keys in PEM, credentials
 * in HTTP headers and in URLs.
 *
 * @module
 */
import type { Span } from "./span.ts";
import { findTokens } from "./token_format.ts";

/**
 * HTTP credentials after the name of their authentication scheme. The parameters of a challenge (`Bearer realm="…"`)
 * aren't credentials.
 */
const AFTER_SCHEME =
  /\b(?:[Bb]earer|BEARER|[Bb]asic|BASIC|[Tt]oken|[Aa]pi[Kk]ey|[Dd]igest|[Nn]egotiate|[Ss]plunk)[ \t]+(?![a-z_]+=")([\w.~+/=-]{8,})/gd;
/** What distinguishes credentials from the words of prose: a digit, `=`, a dot or `_` within, a capital after a small letter. */
const NO_WORD = /[0-9=]|[a-z][A-Z]|[\w~+/-][._][\w~+/-]/;

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

/** The token of a Telegram bot: its number, a colon, and 35 characters, which begin with `A`. */
const BOT_TOKEN = /(?<!\d)\d{6,12}(?::|%3[Aa])A[\w-]{20,}/g;

/** The user information of a URL, between `://` and `@`, in a URL or percent-encoded in the query of another one. */
const USER_INFO = /(?::\/\/|(?<![\w:/])\/\/(?=[^\s/?#@"'<>\\:]{0,256}:))([^\s/?#@"'<>\\]{1,1024})@/gd;
const ENCODED_USER_INFO =
  /%(?:25)?3[Aa]%(?:25)?2[Ff]%(?:25)?2[Ff]((?:[\w.~!*'()+-]|%(?!(?:25)?(?:40|2[Ff]))){1,1024})%(?:25)?40/gd;

/** Finds the secrets in a text by their form, in linear time. */
export function findByFormat(text: string): Span[] {
  return [...findCredentials(text), ...findUnmistakable(text)];
}

/** Finds the secrets whose form no sentence of ordinary words has, in linear time. */
export function findUnmistakable(text: string): Span[] {
  return [
    ...findTokens(text),
    ...findJwts(text),
    ...findPrivateKeys(text),
    ...[...text.matchAll(BOT_TOKEN)].map(({ 0: { length }, index }) => ({ start: index, end: index + length })),
    ...findUserInfo(text),
  ];
}

function findCredentials(text: string): Span[] {
  return findGroups(text, AFTER_SCHEME).filter(({ start, end }) => NO_WORD.test(text.slice(start, end)));
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
  const plain = text.includes("//") ? findGroups(text, USER_INFO) : [];
  const encoded = text.includes("%") ? findGroups(text, ENCODED_USER_INFO) : [];
  return [...plain, ...encoded].map(({ start, end }) => {
    const colon = /:|%(?:25)?3[Aa]/.exec(text.slice(start, end));
    return { start: colon === null ? start : start + colon.index + colon[0].length, end };
  }).filter(({ start, end }) => start < end);
}
