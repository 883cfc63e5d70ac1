import type { Document } from "../../openapi/document.ts";
import { type Hints, readHints } from "../../schema/hints.ts";
import { isObject, type Node } from "../../schema/node.ts";
import type { SecretRules } from "../secrets/redactor.ts";
import { isSecretName } from "../secrets/secret_name.ts";

/** How many values of a definition are searched for formats of secrets. */
const MOST_VALUES = 5_000_000;

/**
 * The rules of a schema: a value is secret if its format says so (`password`), and public if `enum` or `const` has it.
 *
 * @param pointers Further places that are secret; a token `*` is any name or index.
 * @param hasFormats Whether a schema of the definition has the format of a secret.
 */
export function secretRules(
  document: Document,
  schema: Node | undefined,
  pointers: readonly (readonly string[])[],
  hasFormats: boolean,
): SecretRules {
  const hints = readHints(document, schema, "response");
  return new PlaceRules(() => hints, pointers, hasFormats);
}

/** The rules at a place. Hints are looked up only where a rule needs them. */
class PlaceRules implements SecretRules {
  readonly #findHints: () => Hints;
  /** For each pointer to this place or into it, the remaining tokens: none if it points to the place itself. */
  readonly #pointers: readonly (readonly string[])[];
  readonly #hasFormats: boolean;
  #hints: Hints | undefined;

  constructor(findHints: () => Hints, pointers: readonly (readonly string[])[], hasFormats: boolean) {
    this.#findHints = findHints;
    this.#pointers = pointers;
    this.#hasFormats = hasFormats;
  }

  get isSecret(): boolean {
    if (this.#isNamed) return true;
    return this.#hasFormats && formatsOf(this.#here).some((name) => isSecretName(name));
  }

  isPublic(value: unknown): boolean {
    return !this.#isNamed && isListed(this.#here, value);
  }

  under(token: string): SecretRules {
    const pointers = this.#pointers.length === 0 ? this.#pointers : this.#pointers.flatMap(([first, ...rest]) => {
      return first === token || first === "*" ? [rest] : [];
    });
    return new PlaceRules(() => partOf(this.#here, token), pointers, this.#hasFormats);
  }

  get #here(): Hints {
    return this.#hints ??= this.#findHints();
  }

  get #isNamed(): boolean {
    return this.#pointers.some((rest) => rest.length === 0);
  }
}

/**
 * Whether a schema of a definition has the format of a secret. If none has, values are not checked for such formats.
 */
export function hasSecretFormats(document: Document): boolean {
  const pending: unknown[] = [...document.sources.values()].map(({ value }) => value);
  const seen = new Set<object>();
  for (let left = MOST_VALUES; pending.length > 0 && left > 0; left--) {
    const value = pending.pop();
    if (typeof value !== "object" || value === null || seen.has(value)) continue;
    seen.add(value);
    if (isObject(value) && typeof value["format"] === "string" && isSecretName(value["format"])) return true;
    for (const part of Object.values(value)) pending.push(part);
  }
  return false;
}

/** The hints about a part of a value. */
export function hintsAt(hints: Hints, path: readonly string[]): Hints {
  return path.reduce(partOf, hints);
}

function partOf(hints: Hints, token: string): Hints {
  const isItem = /^\d+$/.test(token) && !hints.propertyNames.has(token) &&
    (hints.types.has("array") || hints.types.size === 0);
  return isItem ? hints.item(Number(token)) : hints.property(token);
}

function formatsOf(hints: Hints): string[] {
  return hints.schemas.flatMap(({ node: { value } }) => {
    const format = isObject(value) ? value["format"] : undefined;
    return typeof format === "string" ? [format] : [];
  });
}

function isListed(hints: Hints, value: unknown): boolean {
  return hints.schemas.some(({ node }) => {
    if (!isObject(node.value)) return false;
    const { enum: listed } = node.value;
    return node.value["const"] === value || (Array.isArray(listed) && listed.includes(value));
  });
}
