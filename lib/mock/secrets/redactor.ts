import { isObject, type JsonObject } from "../../schema/node.ts";
import type { KnownSecrets } from "./known_secrets.ts";
import { REDACTED } from "./redacted.ts";
import { redactMarkup } from "./redact_markup.ts";
import { findByFormat } from "./secret_format.ts";
import { createSecretNameTest, type SecretNameTest } from "./secret_name.ts";
import { findPairs } from "./secret_pair.ts";
import { replaceSpans } from "./span.ts";
import { readJsonText, writeJson } from "../../schema/json.ts";

/** Options of {@linkcode createRedactor}. */
export interface RedactorOptions {
  /** Secrets that occurred elsewhere, such as the credentials of a request. They are redacted wherever they occur. */
  known?: KnownSecrets;
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
/** Properties that name the value in another property of their object: `{ "name": "DB_PASSWORD", "value": "…" }`. */
const NAME_PROPERTIES = ["name", "key", "header", "field", "param", "parameter", "variable", "id", "type", "kind"];
/** Properties that may contain the secret in such an object: `{ "name": "DB_PASSWORD", "value": "…" }`. */
const VALUE_PROPERTIES = ["value", "values", "data", "stringData", "content", "text", "default", "secret"];

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
  readonly #rules: SecretRules;
  readonly #found: NonNullable<RedactorOptions["found"]>;
  readonly #isSecretName: SecretNameTest;

  constructor(
    { known, rules = NO_RULES, found = () => {} }: RedactorOptions,
    isSecretName: SecretNameTest,
  ) {
    this.#known = known;
    this.#rules = rules;
    this.#found = found;
    this.#isSecretName = isSecretName;
  }

  text(text: string): string {
    if (text.length < 4) return text;
    return replaceSpans(text, [
      ...this.#known?.find(text) ?? [],
      ...findByFormat(text),
      ...findPairs(text, this.#isSecretName),
    ], REDACTED);
  }

  header(name: string, value: string): string {
    if (/^set-cookie2?$/i.test(name)) return value.replace(COOKIE, `$1${REDACTED}`);
    return this.#isSecretName(name) ? REDACTED : this.text(value);
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
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#value(item, under({ ...place, isSecret }, String(index))));
    }
    return isObject(value) ? this.#object(value, { ...place, isSecret }) : value;
  }

  #object(value: JsonObject, place: Place): JsonObject {
    const named = this.#namesSecret(value) ? VALUE_PROPERTIES : [];
    const members = Object.entries(value).map(([key, member]): [string, unknown] => {
      const name = this.text(key);
      const inner = under(place, key);
      const isSecret = place.isSecret || this.#isSecretName(key, member) || named.includes(key);
      return [name, this.#value(member, { ...inner, isSecret })];
    });
    return fromMembers(members);
  }

  /** Whether a property of an object says that another one is secret: `{ "name": "DB_PASSWORD", "value": "…" }`. */
  #namesSecret(value: JsonObject): boolean {
    return NAME_PROPERTIES.some((member) => {
      const name = Object.hasOwn(value, member) ? value[member] : undefined;
      return typeof name === "string" && this.#isSecretName(name);
    });
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
    if (level < MOST_LEVELS && MARKUP.test(value)) {
      return this.text(redactMarkup(value, (text) => String(this.#withoutSecrets(text, level + 1))));
    }
    return this.#json(value, level) ?? this.text(value);
  }

  /** Redacts a text that is a JSON object or array. Returns `undefined` for other texts. */
  #json(text: string, level: number): string | undefined {
    if (level >= MOST_LEVELS || !/^\s*[{[]/.test(text)) return undefined;
    const read = readJson(text);
    if (read === undefined) return undefined;
    const paths: string[][] = [];
    try {
      const value = this.#value(read, { rules: NO_RULES, isSecret: false, level: level + 1, paths });
      return this.text(paths.length === 0 ? text : writeJson(value));
    } catch (error) {
      // The JSON is nested too deep for the stack. The caller then searches it as plain text.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
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
