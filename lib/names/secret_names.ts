/**
 * Decides by the name of a field, a parameter or a header whether its value is a secret.
 *
 * @module
 */
import { BoundedCache } from "../http/limits/bounded_cache.ts";
import { plainName, wordsOf } from "./words.ts";

/**
 * Endings of the names of secrets, in lower case without separators: `clientSecret` and `CLIENT_SECRET` end in
 * `secret`.
 */
const ENDINGS = [
  ...["password", "passwd", "passphrase", "passcode", "pwd", "secret", "credential", "cookie", "token", "jwt"],
  ...["apikey", "accesskey", "accountkey", "appkey", "authkey", "clientkey", "deploykey", "encryptionkey", "hmackey"],
  ...["hostkey", "masterkey", "privatekey", "secretkey", "servicekey", "sessionkey", "sharedkey", "signingkey"],
  ...["sshkey", "storagekey", "subscriptionkey", "functionskey", "licensekey", "recoverykey", "webhookkey"],
  ...["authorization", "authorisation", "bearer", "sessionid", "sessid", "secretid", "csrf", "xsrf", "csrfmiddleware"],
  ...["connectionstring", "mnemonic", "seedphrase", "cardnumber", "clientassertion", "samlresponse", "oauthverifier"],
  // Codes that let in once, and answers that replace a password.
  ...["recoverycode", "verificationcode", "backupcode", "onetimecode", "authorizationcode", "authorisationcode"],
  ...["authcode", "devicecode", "resetcode", "logincode", "activationcode", "confirmationcode", "codeverifier"],
  ...[
    "usercode",
    "mfacode",
    "smscode",
    "factorcode",
    "2facode",
    "securitycode",
    "unlockcode",
    "pairingcode",
    "resetkey",
  ],
  ...["securityanswer", "secretanswer", "passwordreset", "pwdreset", "resetlink", "magiclink"],
  ...["passwort", "kennwort", "motdepasse", "contrasena", "wachtwoord", "senha", "lozinka", "haslo", "losenord"],
  ...["пароль", "密码", "密碼", "パスワード", "비밀번호"],
];

/** Names of secrets that must be whole words: `pin` in `card_pin`, but not in `shopping`. */
const WHOLE_WORDS: ReadonlySet<string> = new Set([
  ...["auth", "pin", "otp", "totp", "cvv", "cvc", "pass", "pw", "sid", "sig", "signature", "hmac", "session"],
  ...["jwk", "creds", "sas", "dockerconfigjson", "dockercfg", "userpass", "passkey"],
]);

/** Names of secrets that may be numbers. Under other names, such as `tokens`, a number is a count or an ID. */
const NUMERIC =
  /(?:pin|otp|cvv|cvc|passcode|password|passwd|pwd|secret|(?:recovery|verification|backup|time|auth|device|reset|login|activation|confirmation|mfa|sms|factor|2fa|security|unlock|pairing)code|cardnumber)s?$/;

/** Words after the name of a secret that don't change its meaning: `password_hash`, `tokenValue`. */
const QUALIFIERS: ReadonlySet<string> = new Set([
  ...["value", "values", "hash", "hashed", "digest", "encrypted", "encoded", "plain", "plaintext", "text", "string"],
  ...["confirm", "confirmation", "repeat", "again", "raw", "base64", "b64", "bytes", "data", "pem", "current", "new"],
  ...[
    "old",
    "previous",
    "primary",
    "secondary",
    "content",
    "contents",
    "header",
    "base",
    "binary",
    "code",
    "codes",
    "hint",
    "v",
  ],
]);

/**
 * Words before `token` that make it public: `next_token` is a position in a list, `prompt_tokens` a count of a language
 * model.
 */
const PUBLIC_TOKEN_QUALIFIERS: ReadonlySet<string> = new Set([
  ...["page", "next", "prev", "previous", "continue", "continuation", "cursor", "sync", "resume", "pagination", "skip"],
  ...["start", "starting", "end", "max", "min", "total", "input", "output", "completion", "prompt", "stop", "count"],
  ...["num", "eos", "bos", "pad", "marker", "forward", "backward"],
]);

/** The longest name that is examined. No known name of a secret is longer. */
const MOST_LENGTH = 256;

/** Which values under a name are secret: all, all except numbers, or none. */
type Secrecy = "any" | "text" | "no";

/** See {@linkcode isSecretName}. */
export type SecretNameTest = (name: string, value?: unknown) => boolean;

/**
 * Tells whether a value under a name is a secret. The name may be in any case style and with any separators: `apiKey`,
 * `API_KEY`, `x-api-key`. A boolean is never a secret. A number is a secret only if its name says password, PIN or the
 * like.
 *
 * @param value The value. Default: any text.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.ok(isSecretName("X-Api-Key"));
 * assert.ok(isSecretName("userPassword"));
 * assert.ok(!isSecretName("next_page_token"));
 * assert.ok(!isSecretName("max_tokens", 100));
 * ```
 */
export function isSecretName(name: string, value: unknown = ""): boolean {
  return isSecret(secrecyOf(name), value);
}

/** Makes a memoised {@linkcode isSecretName}. */
export function createSecretNameTest(): SecretNameTest {
  const known = new BoundedCache<string, Secrecy>(MOST_MEMOISED);
  return (name, value = "") => isSecret(known.of(name, () => secrecyOf(name)), value);
}

/** The most names that are memoised. */
const MOST_MEMOISED = 5_000;

function isSecret(secrecy: Secrecy, value: unknown): boolean {
  if (secrecy === "no" || typeof value === "boolean" || value === null || value === undefined) return false;
  return secrecy === "any" || (typeof value !== "number" && typeof value !== "bigint");
}

function secrecyOf(name: string): Secrecy {
  if (name.length > MOST_LENGTH) return "no";
  const words = wordsOf(withoutDiacritics(name)).map((word) => word.replace(/(?<=\D)\d+$/, ""));
  const whole = words.join("");
  const significant = [...words];
  while (significant.length > 1 && isQualifier(significant.at(-1) ?? "")) significant.pop();
  const last = significant.at(-1) ?? "";
  const compact = significant.join("");
  if (!WHOLE_WORDS.has(last) && !hasEnding(whole) && !hasEnding(compact)) return "no";
  if (/^tokens?$/.test(last) && PUBLIC_TOKEN_QUALIFIERS.has(significant.at(-2) ?? "")) return "no";
  return NUMERIC.test(compact) || NUMERIC.test(whole) ? "any" : "text";
}

function hasEnding(compact: string): boolean {
  const singular = compact.replace(/s$/, "");
  return ENDINGS.some((ending) => compact.endsWith(ending) || singular.endsWith(ending));
}

function isQualifier(word: string): boolean {
  return QUALIFIERS.has(word) || /^\d+$/.test(word);
}

/** `contrasena` for `contraseña`. */
function withoutDiacritics(name: string): string {
  return name.normalize("NFKD").replace(/\p{M}+/gu, "").normalize("NFKC");
}

/**
 * Names of OAuth 2.0 whose values are secrets only beside others of its parameters: an authorization code (`code`)
 * beside `state`, an assertion beside `grant_type`. Alone, `code` may be that of a country.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2 RFC 6749, Authorization Response}
 * @see {@link https://www.rfc-editor.org/rfc/rfc7521#section-4 RFC 7521, Assertions}
 */
const COMPANIONS: Readonly<Record<string, readonly string[]>> = {
  code: ["state", "sessionstate", "granttype", "redirecturi", "codeverifier", "clientsecret", "authuser", "iss"],
  assertion: ["granttype", "clientid", "clientassertiontype", "scope", "state"],
};

/** Codes too short to be an authorization code: of a country, a state, an area. */
const SHORT_CODE = /^(?:\d{1,5}|\d{5}-\d{4}|[A-Za-z]{1,3})$/;

/** Tells whether a value is a secret by its name and the names beside it. */
export type CompanionTest = (name: string, value: unknown) => boolean;

/**
 * Makes a test for secrets of OAuth 2.0 among the parameters of a query, the fields of a form or the members of an
 * object.
 *
 * @param names The names of all of them.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const isSecret = createCompanionTest(["code", "state"]);
 * assert.ok(isSecret("code", "SplxlOBeZQQYbYS6WxSbIA"));
 * assert.ok(!isSecret("code", "94105"));
 * assert.ok(!createCompanionTest(["code", "limit"])("code", "SplxlOBeZQQYbYS6WxSbIA"));
 * ```
 */
export function createCompanionTest(names: readonly string[]): CompanionTest {
  let present: ReadonlySet<string> | undefined;
  return (name, value) => {
    if (name.length > MOST_COMPANION || typeof value !== "string" || SHORT_CODE.test(value)) return false;
    const plain = plainName(name);
    if (!Object.hasOwn(COMPANIONS, plain)) return false;
    present ??= new Set(names.slice(0, MOST_BESIDE).filter((name) => name.length <= MOST_COMPANION).map(plainName));
    return COMPANIONS[plain]?.some((companion) => present?.has(companion)) ?? false;
  };
}

/** The most names beside a value that are looked at. */
const MOST_BESIDE = 200;
/** The most characters of a name in {@linkcode COMPANIONS}, with separators. */
const MOST_COMPANION = 40;
