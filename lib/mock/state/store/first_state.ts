import type { Hints } from "../../../schema/hints.ts";
import { wordsOf } from "../../../names/words.ts";

/** The first words of states in which items begin: `new`, `pending_review`, `requires_action`. */
const BEGINNINGS: ReadonlySet<string> = new Set([
  ..."available awaiting backlog created draft initial initiated new not open opened pending placed planned".split(" "),
  ..."active queued received registered requested requires scheduled submitted todo unpaid unread waiting".split(" "),
]);
/** The beginnings of words in states in which items end: `cancelled`, `deletion`. */
const END =
  /^(?:abort|archiv|block|cancel|clos|complet|crash|dead$|declin|deleted|deleting|deletion|deliver|den(?:ied|y)|destroy|disabl|discard|dismiss|done|end(?:ed|ing)?$|error|expir|fail|finish|inactiv|lost|merg|paid$|refund|refus|reject|remov|resolv|retir|revok|shipp|sold|stopp|succe|suspend|terminat|uncollect|void|withdr)/;

/**
 * The `status` of a new item: its `default`, else the first of its `enum` that is a beginning by its words, else the
 * first that isn't an end, else the first. `undefined` if the schema has neither `default` nor `enum`.
 */
export function firstState({ schemas }: Hints): unknown {
  const initial = schemas.find((schema) => schema.default !== undefined)?.default;
  if (initial !== undefined) return initial.value;
  const listed = schemas.find((schema) => schema.enum !== undefined)?.enum ?? [];
  const states = listed.flatMap((value) => typeof value === "string" ? [{ value, words: wordsOf(value) }] : []);
  const possible = states.filter(({ words }) => !words.some((word) => END.test(word)));
  const first = possible.find(({ words: [first = ""] }) => BEGINNINGS.has(first)) ?? possible[0];
  return first?.value ?? listed[0];
}
