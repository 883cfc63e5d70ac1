import { createCompanionTest, createSecretNameTest, type SecretNameTest } from "../../names/secret_names.ts";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { findInCommands } from "./command_line.ts";
import { type DeclaredSecrets, NO_SECRETS } from "./declared_secrets.ts";
import { findEncoded } from "./encoded_secret.ts";
import type { KnownSecrets } from "./known_secrets.ts";
import { isNameProperty, isValueProperty, JWK_MEMBERS } from "./named_value.ts";
import { REDACTED } from "./redacted.ts";
import { redactMarkup } from "./redact_markup.ts";
import { type PartRedactor, redactForm, redactUrl } from "./redact_url.ts";
import { findByFormat, findUnmistakable } from "./secret_format.ts";
import { findPairs } from "./secret_pair.ts";
import { replaceSpans } from "./span.ts";
import { readJsonText, writeJson } from "../../schema/json/json.ts";

/** Options of {@linkcode createRedactor}. */
export interface RedactorOptions {
  /** Secrets that occurred elsewhere, such as the credentials of a request. They are redacted wherever they occur. */
  known?: KnownSecrets;
  /** What the definition of the API says about secrets in headers, queries and cookies. Default: nothing. */
  declared?: DeclaredSecrets;
  /** What the schema of the value says about secrets. Default: nothing. */
  rules?: SecretRules;
  /** Called with each value that is redacted because of its field's name or because of a rule. */
  found?: (secret: string) => void;
}

/** What a schema says about secrets at one place of a value. */
export interface SecretRules {
  /** Whether all values at the place are secret. */
  readonly isSecret: boolean;
  /**
   * Whether a value is public, even if its field's name or its format says that it is secret. Values that the schema
   * lists in `enum` are public.
   */
  isPublic(value: unknown): boolean;
  /** The rules for a property or an item of the value. */
  under(token: string): SecretRules;
}

/** The rules for a value without a schema. */
export const NO_RULES: SecretRules = { isSecret: false, isPublic: () => false, under: () => NO_RULES };

/** Redacts secrets. */
export interface Redactor {
  /** Redacts the secrets in a text: a message, a line of a log, an excerpt of a body. */
  text(text: string): string;
  /**
   * Redacts the secrets in a sentence of gw's own: known secrets, and those that can't be ordinary words. The words of
   * the sentence stay, such as `credentials` in `Request header Authorization must have Bearer credentials.`
   */
  sentence(text: string): string;
  /**
   * Redacts the secrets in a URL, which may be relative: its password, secret query parameters, and segments of its path
   * that have the form of a secret.
   */
  url(url: string): string;
  /** Redacts the secrets in the query of a URL, written without `?`. */
  query(query: string): string;
  /** Redacts the secrets in a form (`application/x-www-form-urlencoded`). */
  form(form: string): string;
  /** Redacts the secrets in a JSON value: in strings, numbers and property names. */
  value(value: unknown): RedactedValue;
  /**
   * Redacts the value of a header. If the header's name is that of a secret, the whole value is redacted, otherwise the
   * secrets in it.
   */
  header(name: string, value: string): string;
}

/** A value after its secrets were redacted. */
export interface RedactedValue {
  value: unknown;
  /** The paths of the strings and numbers that were redacted; at most {@linkcode MOST_PATHS}. */
  paths: string[][];
}

/** The most paths that are listed for one value. */
const MOST_PATHS = 1_000;
/** Matches a cookie in `Set-Cookie`. `Headers` joins several `Set-Cookie` headers with commas. */
const COOKIE = /((?:^|,\s*)[^=;,\s]*=)[^;]*?(?=;|,\s*[^=;,\s]+=|$)/g;
/** The beginning of an XML or HTML text. */
const MARKUP = /^\s*<[!?/\w]/;
/**
 * The most levels of JSON or XML texts within strings of each other that are parsed. Deeper levels are searched as
 * plain text.
 */
const MOST_LEVELS = 3;
/** Headers whose values are URLs. */
const URL_HEADERS = /^(?:location|content-location|link|refresh|referer|origin)$/i;

/**
 * Makes a redactor.
 *
 * A secret is recognised by the name of its field, by its form (see {@linkcode findByFormat}), or as one of the known
 * secrets. If a field with the name of a secret contains an object or an array, all strings and numbers in it are
 * secrets.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const redactor = createRedactor();
 * assert.equal(redactor.text("GET /pets?api_key=k-123&limit=3"), "GET /pets?api_key=REDACTED&limit=3");
 * assert.equal(
 *   redactor.url("https://ada:pass@example.com/pets?limit=3&api%5Fkey=k-123"),
 *   "https://ada:REDACTED@example.com/pets?limit=3&api%5Fkey=REDACTED",
 * );
 * assert.deepEqual(redactor.value({ user: "ada", passwordHash: "$2b$10$N9qo8uLOickgx2ZMRZoMye" }), {
 *   value: { user: "ada", passwordHash: "REDACTED" },
 *   paths: [["passwordHash"]],
 * });
 * ```
 */
export function createRedactor(options: RedactorOptions = {}): Redactor {
  return new SecretRedactor(options, createSecretNameTest());
}

class SecretRedactor implements Redactor {
  readonly #known: KnownSecrets | undefined;
  readonly #declared: DeclaredSecrets;
  readonly #rules: SecretRules;
  readonly #found: NonNullable<RedactorOptions["found"]>;
  readonly #isSecretName: SecretNameTest;

  constructor(
    { known, declared = NO_SECRETS, rules = NO_RULES, found = () => {} }: RedactorOptions,
    isSecretName: SecretNameTest,
  ) {
    this.#known = known;
    this.#declared = declared;
    this.#rules = rules;
    this.#found = found;
    this.#isSecretName = isSecretName;
  }

  text(text: string): string {
    return this.#text(text, 0);
  }

  #text(text: string, level: number): string {
    if (text.length < 4) return text;
    const known = this.#known?.find(text) ?? [];
    if (!MAY_HAVE_SECRET.test(text)) return replaceSpans(text, known, REDACTED);
    return replaceSpans(text, [
      ...known,
      ...findByFormat(text),
      ...findPairs(text, this.#isSecretName),
      ...findInCommands(text, this.#isSecretName),
      ...level >= MOST_LEVELS ? [] : findEncoded(text, (decoded) => this.#scalarText(decoded, level + 1) !== decoded),
    ], REDACTED);
  }

  sentence(text: string): string {
    return replaceSpans(text, [...this.#known?.find(text) ?? [], ...findUnmistakable(text)], REDACTED);
  }

  url(url: string): string {
    return this.#url(url, 0);
  }

  #url(url: string, level: number): string {
    return redactUrl(url, this.#parts(level), this.#declared);
  }

  form(form: string): string {
    return redactForm(form, this.#parts(0), NO_SECRETS);
  }

  query(query: string): string {
    return redactForm(query, this.#parts(0), this.#declared);
  }

  #parts(level: number): PartRedactor {
    return {
      text: (text) => this.#text(text, level),
      parameter: (value) => this.#scalarText(value, level + 1),
    };
  }

  header(name: string, value: string): string {
    if (/^set-cookie2?$/i.test(name)) return value.replace(COOKIE, `$1${REDACTED}`);
    if (/^cookie2?$/i.test(name)) return value.includes("=") ? value.replace(/=[^;]*/g, `=${REDACTED}`) : REDACTED;
    if (this.#isSecretName(name) || this.#declared.headers.has(name.toLowerCase())) return REDACTED;
    return URL_HEADERS.test(name) ? this.url(value) : this.text(value);
  }

  value(value: unknown): RedactedValue {
    const paths: string[][] = [];
    return { value: this.#value(value, { rules: this.#rules, isSecret: false, level: 0, paths }), paths };
  }

  #value(value: unknown, place: Place): unknown {
    const isSecret = place.isSecret || place.rules.isSecret;
    if (typeof value === "bigint") {
      const text = String(value);
      return this.#scalar(text, { ...place, isSecret }) === text ? value : 0;
    }
    if (typeof value === "string" || typeof value === "number") return this.#scalar(value, { ...place, isSecret });
    if (Array.isArray(value)) return this.#array(value, { ...place, isSecret });
    return isObject(value) ? this.#object(value, { ...place, isSecret }) : value;
  }

  #array(value: readonly unknown[], place: Place): unknown[] {
    const isEntries = value.length > 0 && value.every(isEntry);
    return value.map((item, index) => {
      const inner = under(place, String(index));
      if (!isEntries || !isEntry(item)) return this.#value(item, inner);
      const [name, content] = item;
      const isSecret = place.isSecret || this.#isSecretName(name, content);
      return [
        this.#value(name, under(inner, "0")),
        this.#value(content, { ...under(inner, "1"), isSecret }),
      ];
    });
  }

  #object(value: JsonObject, place: Place): JsonObject {
    const namesSecret = this.#namesSecret(value);
    const isKey = typeof value["kty"] === "string";
    const isCode = createCompanionTest(besideCode(value));
    const members = Object.entries(value).map(([key, member]): [string, unknown] => {
      const name = this.text(key);
      const inner = under(place, key);
      const isSecret = place.isSecret || this.#isSecretName(key, member) ||
        (namesSecret && isValueProperty(key)) || (isKey && JWK_MEMBERS.has(key)) || isCode(key, member);
      return [name, this.#value(member, { ...inner, isSecret })];
    });
    return fromMembers(members);
  }

  /** Whether a property of an object says that another one is secret: `{ "name": "DB_PASSWORD", "value": "…" }`. */
  #namesSecret(value: JsonObject): boolean {
    return Object.entries(value).some(([key, name]) =>
      typeof name === "string" && isNameProperty(key) && this.#isSecretName(name)
    );
  }

  #scalar(value: string | number, place: Place): unknown {
    const { rules, isSecret, level, paths } = place;
    if (value === "") return value;
    const isNamed = isSecret && !rules.isPublic(value);
    const redacted = isNamed ? REDACTED : this.#withoutSecrets(value, level);
    if (redacted === value) return value;
    if (isNamed) this.#found(String(value));
    if (paths.length < MOST_PATHS) paths.push(pathOf(place));
    // Replace a number by 0, to keep its type.
    return typeof value === "number" ? 0 : redacted;
  }

  #withoutSecrets(value: string | number, level: number): string | number {
    if (typeof value === "number") return this.#known?.find(String(value)).length ? 0 : value;
    return this.#scalarText(value, level);
  }

  /** Redacts a text that may be JSON, XML, a URL, or anything else. */
  #scalarText(text: string, level: number): string {
    if (level < MOST_LEVELS && MARKUP.test(text)) {
      return this.#text(redactMarkup(text, (part) => this.#scalarText(part, level + 1)), level);
    }
    const isUrl = level < MOST_LEVELS && ABSOLUTE_URL.test(text);
    return this.#json(text, level) ?? this.#text(isUrl ? this.#url(text, level) : text, level);
  }

  /** Redacts a text that is a JSON object or array. Returns `undefined` for other texts. */
  #json(text: string, level: number): string | undefined {
    if (level >= MOST_LEVELS || !/^\s*[{[]/.test(text)) return undefined;
    const read = readJson(text);
    if (read === undefined) return undefined;
    const paths: string[][] = [];
    try {
      const value = this.#value(read, { rules: NO_RULES, isSecret: false, level: level + 1, paths });
      return this.#text(paths.length === 0 ? text : writeJson(value), level);
    } catch (error) {
      // The JSON is nested too deep for the stack. The caller then searches it as plain text.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

/** Matches texts that may have a secret: with a separator, a long word, or a word that is followed by secrets. */
const MAY_HAVE_SECRET = /[:=%@<>"'\\-]|[\w+/.~]{12}|(?:bearer|basic|token|apikey|digest|negotiate|splunk|password)\s/i;

/** Matches a URL as a whole text. */
const ABSOLUTE_URL = /^[a-z][a-z0-9+.-]{1,20}:\/\/\S+$/i;

/**
 * The names of an object that may show that its `code` is one of OAuth 2.0. `state` does so only with a value that looks
 * random: in other objects, it is the state of an address, or `active`.
 */
function besideCode(value: JsonObject): string[] {
  return Object.keys(value).filter((name) => !/^state$/i.test(name) || RANDOM.test(String(value[name])));
}

const RANDOM = /^(?=.*\d)[\w.~+/=%-]{8,}$/;

function isEntry(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === "string";
}

/** The place of a value during redaction. */
interface Place {
  /** The name or index of the value in its parent; absent for the outermost value. */
  readonly token?: string;
  readonly parent?: Place;
  readonly rules: SecretRules;
  /** Whether an enclosing field has the name of a secret, so that everything in it is secret. */
  readonly isSecret: boolean;
  /** The number of JSON or XML texts, nested in each other's strings, that contain the value. */
  readonly level: number;
  /** Collects the paths of the redacted values. */
  readonly paths: string[][];
}

function under(parent: Place, token: string): Place {
  const { rules, isSecret, level, paths } = parent;
  return { token, parent, rules: rules.under(token), isSecret, level, paths };
}

function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at: Place | undefined = place; at?.token !== undefined; at = at.parent) path.push(at.token);
  return path.reverse();
}

/** Makes an object from its properties. Redacted names may become equal: the second gets the suffix `-2`, and so on. */
function fromMembers(members: readonly [string, unknown][]): JsonObject {
  const object: JsonObject = Object.create(null);
  const numbers = new Map<string, number>();
  for (const [name, value] of members) {
    let unique = name;
    while (Object.hasOwn(object, unique)) {
      const number = (numbers.get(name) ?? 1) + 1;
      numbers.set(name, number);
      unique = `${name}-${number}`;
    }
    Object.defineProperty(object, unique, { value, enumerable: true, writable: true, configurable: true });
  }
  return Object.setPrototypeOf(object, Object.prototype);
}

function readJson(text: string): unknown {
  try {
    const value = readJsonText(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
