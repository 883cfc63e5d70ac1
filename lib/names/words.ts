/**
 * Normalises names of paths, parameters and properties, so that `pet_id`, `petId` and `PetID` are equal, and splits
 * them into words. All tables of names compare names in one of these forms.
 *
 * @module
 */

/** A name in lower case without separators: `petid` for `pet_id`. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/**
 * Where a word begins without a separator: at a capital letter after a small one or a digit (`petId`), and at the last
 * capital letter of several, if a small one follows (`APIKey`). A final `s` makes a plural of them (`petIDs`).
 */
const BOUNDARY = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})(?!\p{Lu}s(?!\p{Ll}))/gu;

/**
 * The words of a name in lower case: `api` and `keys` for `apiKeys`, `APIKeys`, `api-keys` and `api_keys`. A digit belongs
 * to the word before it: `line1`.
 */
export function wordsOf(name: string): string[] {
  return name.replaceAll(BOUNDARY, " ").toLowerCase().split(/[^\p{L}\p{M}\p{N}]+/u).filter((word) => word !== "");
}

/** The words of a name in lower case, separated by spaces: `created at` for `createdAt` and `created_at`. */
export function phraseOf(name: string): string {
  return wordsOf(name).join(" ");
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
