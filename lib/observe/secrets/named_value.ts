/**
 * Objects in which one property names the value of another: `{ "name": "DB_PASSWORD", "value": "…" }`.
 *
 * @module
 */
import { plainName } from "../../names/words.ts";

const NAME_PROPERTIES: ReadonlySet<string> = new Set([
  ...["name", "key", "k", "header", "field", "param", "parameter", "variable", "id", "type", "kind", "attribute"],
  ...["property", "label"],
]);

const VALUE_PROPERTIES: ReadonlySet<string> = new Set([
  ...["value", "values", "val", "v", "data", "stringdata", "content", "text", "default", "secret", "stringvalue"],
  ...["textvalue", "simplevalue", "plaintext", "current"],
]);

/** The longest name that is compared. */
const MOST_LENGTH = 24;

/** Whether a property may contain the name of another one's value, in any case style. */
export function isNameProperty(name: string): boolean {
  return name.length <= MOST_LENGTH && NAME_PROPERTIES.has(plainName(name));
}

/** Whether a property may contain the value that another property names, in any case style. */
export function isValueProperty(name: string): boolean {
  return name.length <= MOST_LENGTH && VALUE_PROPERTIES.has(plainName(name));
}

/** The private members of a JSON Web Key, an object with `kty` (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1). */
export const JWK_MEMBERS: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi", "oth", "k"]);
