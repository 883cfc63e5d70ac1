/**
 * Normalises names of paths, parameters and properties, so that `pet_id`, `petId` and `PetID` are equal.
 *
 * @module
 */

/** A name in lower case without separators: `petid` for `pet_id`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** The words of a name in lower case: `api` and `keys` for `apiKeys`, `api-keys` and `api_keys`. */
export function wordsOf(name: string): string[] {
  return name.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

/** The singular of an English plural in lower case. Other words are returned unchanged. */
export function singularOf(word: string): string {
  if (word.length <= 3 || word.endsWith("ss") || word.endsWith("us") || word.endsWith("is")) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  if (/(?:sses|shes|ches|xes|zes|uses)$/.test(word)) return word.slice(0, -2);
  if (word === "people") return "person";
  if (word.endsWith("children")) return word.slice(0, -3);
  return word.endsWith("s") ? word.slice(0, -1) : word;
}

/**
 * The possible names of an item of a collection, in lower case without separators, the most specific first:
 * `serviceaccount`, `serviceaccounts` and `account` for `service-accounts`.
 */
export function nounsOf(collection: string): string[] {
  const words = wordsOf(collection);
  const last = words.at(-1);
  if (last === undefined) return [];
  const one = singularOf(last);
  const whole = [...words.slice(0, -1), one].join("");
  const alternatives = last.endsWith("ses") ? [last.slice(0, -1), last.slice(0, -2)] : [];
  return [...new Set([whole, words.join(""), one, ...alternatives])];
}
