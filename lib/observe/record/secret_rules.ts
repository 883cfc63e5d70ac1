import type { Document } from "../../openapi/document.ts";
import { type Hints, readHints } from "../../schema/hints.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import type { Operation } from "../../openapi/operation.ts";
import { createContentChooser } from "../../mock/validation/content.ts";
import { schemaOf } from "./declared_response.ts";
import type { SecretRules } from "../secrets/redactor.ts";
import { isSecretName } from "../../names/secret_names.ts";

/** The most values of a definition that are searched for formats of secrets. */
const MOST_VALUES = 5_000_000;

/**
 * The rules that a schema gives for secrets. A value is secret if its `format` says so (`password`), and public if
 * `enum` or `const` lists it.
 *
 * @param pointers Further places of secrets. The token `*` stands for any name or index.
 * @param hasFormats Whether any schema of the definition has a `format` of secrets.
 */
export function secretRules(
  document: Document,
  schema: Node | undefined,
  pointers: readonly (readonly string[])[],
  hasFormats: boolean,
): SecretRules {
  const hints = readHints(document, schema, "response");
  return new RulesAtPlace(() => hints, pointers, hasFormats);
}

/** The rules for the value at one place. Hints are looked up only if a rule needs them. */
class RulesAtPlace implements SecretRules {
  readonly #findHints: () => Hints;
  /**
   * For each pointer to this place or to a place inside, its remaining tokens. None remain if it points to this place.
   */
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
    return new RulesAtPlace(() => partOf(this.#here, token), pointers, this.#hasFormats);
  }

  get #here(): Hints {
    return this.#hints ??= this.#findHints();
  }

  get #isNamed(): boolean {
    return this.#pointers.some((rest) => rest.length === 0);
  }
}

/**
 * Whether any schema of a definition has a `format` of secrets, such as `password`. If none has, the formats of values
 * need not be looked up.
 */
export function hasSecretFormats(document: Document): boolean {
  let has = WITH_FORMATS.get(document);
  if (has === undefined) WITH_FORMATS.set(document, has = searchFormats(document));
  return has;
}

const WITH_FORMATS = new WeakMap<Document, boolean>();

/** What the definition says about secrets in the bodies of an operation's requests. */
export function requestSecretRules(operation: Operation, mediaType: string): SecretRules {
  const { document, node } = operation;
  const contents = entries(child(follow(document, child(node, "requestBody")), "content"));
  const [, media] = contents[createContentChooser(contents.map(([key]) => key))(mediaType)] ?? [];
  const schema = media === undefined ? undefined : child(follow(document, media), "schema");
  return secretRules(document, schema, [], hasSecretFormats(document));
}

/** What the definition says about secrets in the bodies of an operation's responses. */
export function responseSecretRules(operation: Operation, status: number, mediaType: string): SecretRules {
  const { document } = operation;
  return secretRules(document, schemaOf(operation, status, mediaType), [], hasSecretFormats(document));
}

function searchFormats(document: Document): boolean {
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

/** The hints for the part of a value at a path. */
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
