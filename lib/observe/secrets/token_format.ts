/**
 * Finds tokens by the prefixes that their issuers give them, so that they can be recognised.
 *
 * @module
 */
import GITLEAKS from "./token_formats.json" with { type: "json" };
import type { Span } from "./span.ts";

/** The prefix of a token as a regular expression, the characters of the rest as a class, and its least length. */
type TokenFormat = readonly [prefix: string, characters: string, least: number];

const ALPHANUMERIC = "[A-Za-z0-9]";
const BASE64URL = "[A-Za-z0-9_-]";

/**
 * Tokens that the rules of Gitleaks (token_formats.json) don't have, or of which they know one length only: by the
 * documentation of their issuers.
 */
const OTHERS: readonly TokenFormat[] = [
  ["gh[oprsu]_", ALPHANUMERIC, 16], // GitHub
  ["(?:sk|rk|pk)_(?:live|test)_", "[A-Za-z0-9_]", 8], // Stripe
  ["whsec_", "[A-Za-z0-9_+/=-]", 8],
  ["(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA)", "[A-Z0-9]", 12], // AWS
  ["xox[abeoprs]-", "[A-Za-z0-9-]", 8], // Slack
  ["hooks\\.slack\\.com/(?:services|workflows|triggers)/", "[A-Za-z0-9/]", 16],
  ["discord(?:app)?\\.com/api/webhooks/\\d{10,24}/", BASE64URL, 30],
  ["xapp-", "[A-Za-z0-9-]", 8],
  ["AIza", BASE64URL, 30], // Google
  ["ya29\\.", "[A-Za-z0-9_.-]", 10],
  ["GOCSPX-", BASE64URL, 16],
  ["sk-(?:ant-|proj-|svcacct-|admin-|or-)?", BASE64URL, 16], // OpenAI, Anthropic
  ["SG\\.", "[A-Za-z0-9_.-]", 20], // SendGrid
  ["(?:SK|AC)(?=[0-9a-f]{32})", "[0-9a-f]", 32], // Twilio
  ["npm_", ALPHANUMERIC, 20],
  ["pypi-", BASE64URL, 20],
  ["dckr_pat_", BASE64URL, 16],
  ["hf_", ALPHANUMERIC, 20],
  ["sq0(?:atp|csp)-", BASE64URL, 16], // Square
  ["ATATT3", "[A-Za-z0-9_=-]", 16], // Atlassian
  ["hv[sbr]\\.", BASE64URL, 16], // Vault
  ["glsa_", BASE64URL, 16], // Grafana
  ["key-(?=[0-9a-f]{32})", "[0-9a-f]", 32], // Mailgun
  ["EAACEdEose0cBA", ALPHANUMERIC, 8], // Facebook
  ["(?:tfp|figd|NRAK|sntrys)[_.-]?", BASE64URL, 24],
];

/** A text before a token that is no part of its word: an escape of JSON or of a URL. */
const ESCAPE_BEFORE = /(?:\\[nrtbf]|%[0-9A-Fa-f]{2})$/;

/**
 * Finds tokens by their prefixes, in linear time: a prefix is followed by one repeated class of characters, which
 * needs no backtracking.
 */
export function findTokens(text: string): Span[] {
  const { starts, rests, others } = patterns();
  const spans: Span[] = [];
  let searched = 0;
  for (const match of text.matchAll(starts)) {
    const { index: start } = match;
    if (start < searched || !isWordStart(text, start)) continue;
    const rest = rests[match.findIndex((group, index) => index > 0 && group !== undefined) - 1];
    const end = rest === undefined ? undefined : endOf(rest, text, start + match[0].length);
    // The prefix may also be the beginning of a shorter one's token: `sk-proj-…` of `sk-…`.
    const whole = end ?? others.map((other) => endOf(other, text, start)).find((end) => end !== undefined);
    if (whole === undefined) continue;
    spans.push({ start, end: whole });
    searched = whole;
  }
  return spans;
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function isWordStart(text: string, at: number): boolean {
  return at === 0 || !/[A-Za-z0-9]/.test(text[at - 1] ?? "") || ESCAPE_BEFORE.test(text.slice(Math.max(0, at - 3), at));
}

interface Patterns {
  /** Matches the prefix of any format. The index of the matching group is that of the format. */
  readonly starts: RegExp;
  readonly rests: readonly RegExp[];
  /** The whole tokens of {@linkcode OTHERS}. */
  readonly others: readonly RegExp[];
}

let compiled: Patterns | undefined;

/** Compiles the formats at the first search. The longest prefixes come first, since a shorter one may begin them. */
function patterns(): Patterns {
  if (compiled !== undefined) return compiled;
  const formats = [...GITLEAKS.formats, ...OTHERS].map(([prefix, characters, least]) => ({
    prefix: String(prefix),
    rest: `${characters}{${least},}`,
  })).sort((a, b) => b.prefix.length - a.prefix.length);
  return compiled = {
    starts: new RegExp(formats.map(({ prefix }) => `(${prefix})`).join("|"), "g"),
    rests: formats.map(({ rest }) => new RegExp(rest, "y")),
    others: OTHERS.map(([prefix, characters, least]) => new RegExp(`${prefix}${characters}{${least},}`, "y")),
  };
}
