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
  /** Whether the value at a path is a secret beside those that the redactor finds by itself. */
  isSecret?: (path: readonly string[], value: unknown) => boolean;
  /** Whether the value at a path is public in spite of its name: one of those that its schema lists. */
  isPublic?: (path: readonly string[], value: unknown) => boolean;
  /** Takes each value that the name of its field calls a secret. */
  found?: (secret: string) => void;
}

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
  /** The places whose text or number was replaced, as reference tokens of JSON Pointers. */
  paths: string[][];
}

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
  readonly #isSecret: NonNullable<RedactorOptions["isSecret"]>;
  readonly #isPublic: NonNullable<RedactorOptions["isPublic"]>;
  readonly #found: NonNullable<RedactorOptions["found"]>;
  readonly #isSecretName: SecretNameTest;

  constructor(
    { known, isSecret = () => false, isPublic = () => false, found = () => {} }: RedactorOptions,
    isSecretName: SecretNameTest,
  ) {
    this.#known = known;
    this.#isSecret = isSecret;
    this.#isPublic = isPublic;
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
    if (/^set-cookie2?$/i.test(name)) return value.replace(/^([^=;]*=)[^;]*/, `$1${REDACTED}`);
    return this.#isSecretName(name) ? REDACTED : this.text(value);
  }

  value(value: unknown): RedactedValue {
    const paths: string[][] = [];
    return { value: this.#value(value, { path: [], isSecret: false, level: 0, paths }), paths };
  }

  #value(value: unknown, place: Place): unknown {
    const isSecret = place.isSecret || this.#isSecret(place.path, value);
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

  #scalar(value: string | number, { path, isSecret, level, paths }: Place): unknown {
    if (value === "") return value;
    const isNamed = isSecret && !this.#isPublic(path, value);
    const redacted = isNamed ? REDACTED : this.#withoutSecrets(value, level);
    if (redacted === value) return value;
    if (isNamed) this.#found(String(value));
    paths.push([...path]);
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
    const value = this.#value(read, { path: [], isSecret: false, level: level + 1, paths });
    return this.text(paths.length === 0 ? text : JSON.stringify(value));
  }
}

/** A place within a value, while it is redacted. */
interface Place {
  readonly path: readonly string[];
  /** Whether a name on the way says that everything here is secret. */
  readonly isSecret: boolean;
  /** How many texts of JSON the value is in. */
  readonly level: number;
  /** Collects the places that are replaced. */
  readonly paths: string[][];
}

function under(place: Place, token: string): Place {
  return { ...place, path: [...place.path, token] };
}

/** An object of members; of names that are the same once they are redacted, the later ones are numbered. */
function fromMembers(members: readonly [string, unknown][]): JsonObject {
  const object: JsonObject = Object.create(null);
  for (const [name, value] of members) {
    let unique = name;
    for (let number = 2; Object.hasOwn(object, unique); number++) unique = `${name}-${number}`;
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
