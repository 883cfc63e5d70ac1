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
  /** Secrets that were seen elsewhere, to be found wherever they stand. */
  known?: KnownSecrets;
  /** The rules of the schema of a value. Default: none. */
  rules?: SecretRules;
  /** Takes each value that the name of its field calls a secret. */
  found?: (secret: string) => void;
}

/** What a schema says about the secrets at a place of a value. */
export interface SecretRules {
  /** Whether all at the place is secret. */
  readonly isSecret: boolean;
  /** Whether a value at the place is public in spite of its name: one of those that the schema lists. */
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
  /** Replaces the secrets in a value as JSON has it: in its texts, numbers and names. */
  value(value: unknown): RedactedValue;
  /** Replaces the value of a header where its name says that it is a secret, else the secrets in it. */
  header(name: string, value: string): string;
}

/** A value without its secrets. */
export interface RedactedValue {
  value: unknown;
  /** The first {@linkcode MOST_PATHS} places whose text or number was replaced, as reference tokens of JSON Pointers. */
  paths: string[][];
}

/** Places of one value that are listed. */
const MOST_PATHS = 1_000;
/** A cookie in `Set-Cookie`, whose fields `Headers` joins by commas. */
const COOKIE = /((?:^|,\s*)[^=;,\s]*=)[^;]*?(?=;|,\s*[^=;,\s]+=|$)/g;
/** The start of XML or HTML. */
const MARKUP = /^\s*<[!?/\w]/;
/** Levels of JSON and XML in strings that are read. */
const MOST_LEVELS = 3;
/** Members that say which secret the member `value` of the same object is. */
const NAMING = ["name", "key", "header", "field", "param", "parameter", "variable", "id", "type", "kind"];
/** Members that such an object has its secret in. */
const NAMED = ["value", "values", "data", "stringData", "content", "text", "default", "secret"];

/**
 * Makes a redactor.
 *
 * A secret is recognised by the name of its field, by its form (see {@linkcode findByFormat}), or as one of the known
 * secrets. All texts within a field with such a name are secrets too.
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

  /** Whether an object says of its `value` that it is a secret: `{ "name": "DB_PASSWORD", "value": "…" }`. */
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
    // Zero keeps the type.
    return typeof value === "number" ? 0 : redacted;
  }

  #withoutSecrets(value: string | number, level: number): string | number {
    if (typeof value === "number") return this.#known?.find(String(value)).length ? 0 : value;
    if (level < MOST_LEVELS && MARKUP.test(value)) {
      return this.text(redactMarkup(value, (text) => String(this.#withoutSecrets(text, level + 1))));
    }
    return this.#json(value, level) ?? this.text(value);
  }

  /** A text that is JSON of an object or an array, without its secrets; `undefined` for any other text. */
  #json(text: string, level: number): string | undefined {
    if (level >= MOST_LEVELS || !/^\s*[{[]/.test(text)) return undefined;
    const read = readJson(text);
    if (read === undefined) return undefined;
    const paths: string[][] = [];
    try {
      const value = this.#value(read, { rules: NO_RULES, isSecret: false, level: level + 1, paths });
      return this.text(paths.length === 0 ? text : JSON.stringify(value));
    } catch (error) {
      // Nested too deep: the text is searched as any other.
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
  /** Whether a name on the way says that everything here is secret. */
  readonly isSecret: boolean;
  /** How many texts of JSON the value is in. */
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

/** An object of members; of names that are the same once they are redacted, the later ones are numbered. */
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
