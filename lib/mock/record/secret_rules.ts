import type { Document } from "../../openapi/document.ts";
import { type Hints, readHints } from "../../schema/hints.ts";
import { isObject, type Node } from "../../schema/node.ts";
import type { RedactorOptions } from "../secrets/redactor.ts";
import { isSecretName } from "../secrets/secret_name.ts";

/** What makes a value a secret besides its name and its form. */
export type SecretRules = Required<Pick<RedactorOptions, "isSecret" | "isPublic">>;

/** Values of a definition that are looked at for formats of secrets. */
const MOST_VALUES = 5_000_000;

/**
 * The rules of a schema: a value is secret if its format says so (`password`), and public if the schema lists it.
 *
 * @param pointers Places that are secret beside; a token `*` is any name or index.
 * @param hasFormats Whether the definition has such formats.
 */
export function secretRules(
  document: Document,
  schema: Node | undefined,
  pointers: readonly (readonly string[])[],
  hasFormats: boolean,
): SecretRules {
  const hints = readHints(document, schema, "response");
  const isNamed = (path: readonly string[]): boolean =>
    pointers.some((tokens) =>
      tokens.length === path.length && tokens.every((token, index) => token === "*" || token === path[index])
    );
  return {
    isSecret: (path) =>
      isNamed(path) || (hasFormats && formatsOf(hintsAt(hints, path)).some((name) => isSecretName(name))),
    isPublic: (path, value) => !isNamed(path) && isListed(hintsAt(hints, path), value),
  };
}

/** Whether a schema of a definition has the format of a secret, so that it is worth looking for them in values. */
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
  let at = hints;
  for (const token of path) {
    const isItem = /^\d+$/.test(token) && !at.propertyNames.has(token) &&
      (at.types.has("array") || at.types.size === 0);
    at = isItem ? at.item(Number(token)) : at.property(token);
  }
  return at;
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
