/**
 * Names of booleans that describe a page of a list: whether there are other pages, and whether this one is the last. They
 * stand apart from `page_names.ts`, since generated bodies need them too.
 *
 * @module
 */
import { phraseOf, plainName } from "./words.ts";

/** The role of a boolean that describes a page. */
export type PageFlag = "hasNext" | "hasPrevious" | "isFirst" | "isLast" | "isEmpty";

const FLAGS: Readonly<Record<PageFlag, string>> = {
  hasNext: "hasmore hasnext hasnextpage hasmoreitems more moreresults hasmoreresults istruncated truncated " +
    "hasmorepages moreavailable hasmoredata hasmorerecords next nextpage",
  hasPrevious: "hasprev hasprevious haspreviouspage hasprevpage haspreviousitems prev previous",
  isFirst: "first isfirst isfirstpage firstpage",
  isLast: "last islast islastpage lastpage",
  isEmpty: "empty isempty",
};

const BY_NAME: ReadonlyMap<string, PageFlag> = new Map(
  (Object.keys(FLAGS) as PageFlag[]).flatMap((role) =>
    FLAGS[role].split(" ").map((name): [string, PageFlag] => [name, role])
  ),
);

/** Flags by their first words: `has_more_rows`, `moreEntries`, `end_of_results`. */
const FLAG_WORDS: readonly [words: RegExp, role: PageFlag][] = [
  [/^has (more|next|further)\b|^(is )?(result )?truncated$/, "hasNext"],
  [/^more (data|entries|items|pages|records|results|rows|to (come|fetch|load|read))\b/, "hasNext"],
  [/^has prev(ious)?\b/, "hasPrevious"],
  [/^(is )?first page\b/, "isFirst"],
  [/^(is )?(last page|end of (data|list|pages|records|results))\b|^no more\b/, "isLast"],
];

/** The role of a boolean by its name; `undefined` if it isn't about pages. */
export function flagRoleOf(name: string): PageFlag | undefined {
  const listed = BY_NAME.get(plainName(name));
  if (listed !== undefined) return listed;
  const words = phraseOf(name);
  return FLAG_WORDS.find(([pattern]) => pattern.test(words))?.[1];
}
