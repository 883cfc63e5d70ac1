import { distance } from "fastest-levenshtein";
import { suggest } from "../../http/message.ts";
import { nameOf, type Operation } from "../../openapi/operation.ts";
import { list } from "../../schema/wording.ts";

/** The most similar operations that the message names. */
const MOST_SIMILAR = 3;
/** The most operations that the message names if none is similar. */
const MOST_NAMED = 5;
/** The most letters in which a word with a typing error differs from the word that is meant. */
const TYPING_ERROR = 2;

/** The message for an operation that no definition has. Names the most similar operations. */
export function unknownOperation(written: string, operations: readonly Operation[]): string {
  const names = operations.flatMap((operation) => [`${operation.method} ${operation.path}`, nameOf(operation)]);
  const similar = similarTo(written, names);
  const advice = similar.length === 0 ? operationsOf(operations) : `Did you mean ${list(similar, "or")}?`;
  return `The definition has no operation \`${written}\`. ${advice}`;
}

/** The most similar names; a single one if the word is probably that name with a typing error. */
function similarTo(written: string, names: readonly string[]): string[] {
  const similar = suggest(written, names, MOST_SIMILAR);
  const [nearest] = similar;
  return nearest !== undefined && distance(written, nearest) <= TYPING_ERROR ? [nearest] : similar;
}

/** The operations of the definition, if they are few. */
function operationsOf(operations: readonly Operation[]): string {
  if (operations.length > MOST_NAMED) return "Its operations are listed by `gw mock -v`.";
  return `It has ${list(operations.map(({ method, path }) => `${method} ${path}`), "and") || "none"}.`;
}
