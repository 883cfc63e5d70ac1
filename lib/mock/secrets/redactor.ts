import { isObject, type JsonObject } from "../../schema/node.ts";
import type { KnownSecrets } from "./known_secrets.ts";
import { REDACTED } from "./redacted.ts";
import { redactMarkup } from "./redact_markup.ts";
import { findByFormat } from "./secret_format.ts";
import { createSecretNameTest, type SecretNameTest } from "./secret_name.ts";
import { findPairs } from "./secret_pair.ts";
import { replaceSpans } from "./span.ts";

/** Options of {@linkcode createRedactor}. */
export interface RedactorOptions {
  /**
   * Secrets from other places, such as the credentials of a request. They are replaced wherever a text repeats them.
   */
  known?: KnownSecrets;
  /** The rules of the schema of a value. Default: none. */
  rules?: SecretRules;
  /** Called with each value that is replaced because of the name of its field or a rule. */
  found?: (secret: string) => void;
}

/** The rules of a schema about the secrets at one place of a value. */
export interface SecretRules {
  /** Whether the whole value at the place is secret. */
  readonly isSecret: boolean;
  /**
   * Whether a value at the place is public although a name or format says that it is secret: the schema lists it
   * (`enum`).
   */
  isPublic(value: unknown): boolean;
  /** The rules for a property or an item. */
  under(token: string): SecretRules;
}

/** The rules of a value without a schema. */
export const NO_RULES: SecretRules = { isSecret: false, isPublic: () => false, under: () => NO_RULES };

/** Replaces secrets. */
export interface Redactor {
  /** Replaces the secrets in a text: a message, a line of a log, an excerpt of a body. */
  text(text: string): string;
  /** Replaces the secrets in a JSON value: in its strings, numbers and the names of its properties. */
  value(value: unknown): RedactedValue;
  /** Replaces the value of a header where its name says that it is a secret, else the secrets in it. */
  header(name: string, value: string): string;
}

/** A value without its secrets. */
export interface RedactedValue {
  value: unknown;
  /** The paths of the strings and numbers that were replaced; at most the first {@linkcode MOST_PATHS}. */
  paths: string[][];
}

/** How many replaced places of one value are listed. */
const MOST_PATHS = 1_000;
/** A cookie in `Set-Cookie`, whose fields `Headers` joins by commas. */
const COOKIE = /((?:^|,\s*)[^=;,\s]*=)[^;]*?(?=;|,\s*[^=;,\s]+=|$)/g;
/** The start of XML or HTML. */
const MARKUP = /^\s*<[!?/\w]/;
/** How deep JSON and XML texts may be nested in strings of each other and are still searched as JSON and XML. */
const MOST_LEVELS = 3;
/** Members whose value is the name of the same object's `value`: `{ "name": "DB_PASSWORD", "value": "…" }`. */
const NAMING = ["name", "key", "header", "field", "param", "parameter", "variable", "id", "type", "kind"];
/** Members of such an object that may have the secret. */
const NAMED = ["value", "values", "data", "stringData", "content", "text", "default", "secret"];

/**
 * Makes a redactor.
 *
 * A secret is recognised by the name of its field, by its form (see {@linkcode findByFormat}), or as one of the known
 * secrets. If an object or array is in a field with the name of a secret, all strings and numbers within it are
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
    if (typeof value === "string" || typeof value === "number") return this.#scalar(value, { ...place, isSecret });
    if (Array.isArray(value)) {
      return value.map((item, index) => this.#value(item, under({ ...place, isSecret }, String(index))));
    }
    return isObject(value) ? this.#object(value, { ...place, isSecret }) : value;
  }

  #object(value: JsonObject, place: Place): JsonObject {
    const named = this.#namesSecret(value) ? NAMED : [];
    const members = Object.entries(value).map(([key, member]): [string, unknown] => {
      const name = this.text(key);
      const inner = under(place, key);
      const isSecret = place.isSecret || this.#isSecretName(key, member) || named.includes(key);
      return [name, this.#value(member, { ...inner, isSecret })];
    });
    return fromMembers(members);
  }

  /** Whether a member of an object names its `value` as a secret: `{ "name": "DB_PASSWORD", "value": "…" }`. */
  #namesSecret(value: JsonObject): boolean {
    return NAMING.some((member) => {
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
    // A number is replaced by zero, so that it keeps its type.
    return typeof value === "number" ? 0 : redacted;
  }

  #withoutSecrets(value: string | number, level: number): string | number {
    if (typeof value === "number") return this.#known?.find(String(value)).length ? 0 : value;
    if (level < MOST_LEVELS && MARKUP.test(value)) {
      return this.text(redactMarkup(value, (text) => String(this.#withoutSecrets(text, level + 1))));
    }
    return this.#json(value, level) ?? this.text(value);
  }

  /** Replaces the secrets in a text that is a JSON object or array; `undefined` for any other text. */
  #json(text: string, level: number): string | undefined {
    if (level >= MOST_LEVELS || !/^\s*[{[]/.test(text)) return undefined;
    const read = readJson(text);
    if (read === undefined) return undefined;
    const paths: string[][] = [];
    try {
      const value = this.#value(read, { rules: NO_RULES, isSecret: false, level: level + 1, paths });
      return this.text(paths.length === 0 ? text : JSON.stringify(value));
    } catch (error) {
      // Nested too deep for the stack: the caller searches the text like one that isn't JSON.
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }
}

/** A place within a value, while it is redacted. */
interface Place {
  /** The name or index in the parent; absent for the whole value. */
  readonly token?: string;
  readonly parent?: Place;
  readonly rules: SecretRules;
  /** Whether the name of a field around this place says that everything in it is secret. */
  readonly isSecret: boolean;
  /** How many JSON or XML texts, one in a string of the other, the value is in. */
  readonly level: number;
  /** Collects the places that are replaced. */
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

/** Makes an object of members. Redacted names may be equal: the later ones get a number. */
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
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
