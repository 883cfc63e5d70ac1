/**
 * Generates the tables of docs/migration.md on flags and headers of Prism and Steady, for `deno task docs`.
 *
 * @module
 */
import { PEER_FLAGS, type PeerFlag } from "../cmd/line/coming_from.ts";

export const MIGRATION_PAGE = new URL("../docs/migration.md", import.meta.url);

/**
 * A row of a table: a header, query parameter or path of the peer, the counterpart of gw, and a note on differences.
 */
type Row = readonly [peer: string, gw: string, note?: string];

const PREFERENCES: readonly Row[] = [
  [
    "`Prefer: code=404`, `?__code=404`",
    "the same",
    "From 200 to 599. Where the definition has no such response, gw answers a problem with that status.",
  ],
  ["`Prefer: example=NAME`, `?__example=NAME`", "the same"],
  ["`Prefer: dynamic=true`, `?__dynamic=true`", "the same"],
  [
    "`Prefer: seed=SEED`, `?__seed=SEED`",
    "`Prefer: seed=N`, `?__seed=N`",
    "A whole number; it also holds without `dynamic`.",
  ],
  ["", "`Prefer: array-size=N`, `?__array-size=N`", "The items of each outermost array, and of a stream."],
  ["`?__server=URL`", "", "gw accepts the base paths of all `servers`."],
  ["", "`Preference-Applied`", "A header of responses: the preferences that counted. The log remarks on the others."],
  [
    "`sl-violations`",
    "`x-gw-violations`",
    "A header of responses: how many violations, and the first; in a refusal of `gw mock` their list, as JSON.",
  ],
];

const STEADY: readonly Row[] = [
  ["`X-Steady-Reject-On-Error: true`", "`--validate error`", "For all requests."],
  ["`X-Steady-Query-Array-Format: FORMAT`", "`--query-array FORMAT`", "For all requests."],
  ["`X-Steady-Query-Object-Format: FORMAT`", "`--query-object FORMAT`", "For all requests."],
  ["`X-Steady-Form-Array-Format: FORMAT`", "`--form-array FORMAT`", "For all requests."],
  ["`X-Steady-Form-Object-Format: FORMAT`", "`--form-object FORMAT`", "For all requests."],
  ["`X-Steady-Array-Size: N`", "`Prefer: array-size=N`"],
  ["`X-Steady-Array-Min: N`", "`Prefer: array-size=N`"],
  ["`X-Steady-Array-Max: N`", "`Prefer: array-size=N`"],
  ["`X-Steady-Seed: N`", "`Prefer: seed=N`"],
  ["`X-Steady-Seed: -1`", "`Prefer: dynamic=true`"],
  ["`X-Steady-Stream-Count: N`", "`Prefer: array-size=N`"],
  ["`X-Steady-Stream-Interval-Ms: MS`", "`--stream-interval MS`", "For all requests."],
  [
    "`X-Steady-Request-Valid`",
    "`x-gw-violations`",
    "Refused requests and those to an upstream have it; the log has all violations.",
  ],
  ["`X-Steady-Error-Count`", "`x-gw-violations`", "The length of its list."],
  ["`X-Steady-Error-N-Code`", "`x-gw-violations`", "`code`: the keyword of the schema that is broken."],
  ["`X-Steady-Error-N-Path`", "`x-gw-violations`", "`location`"],
  ["`X-Steady-Error-N-Message`", "`x-gw-violations`", "`message`"],
  ["`X-Steady-Matched-Path`", "", "`--report FILE` lists the operations that were asked."],
  ["`X-Steady-Example-Source`", "", "The log says it: `example`, `examples.NAME`, `generated`."],
  ["`X-Steady-Streaming`", "", "The media type says it."],
  ["`/_x-steady/health`", "`/_gw/health`"],
  ["`/_x-steady/spec`", "", "`/` lists the operations."],
];

/** The tables, by the names of their places in the page. */
const TABLES: Readonly<Record<string, () => string>> = {
  "flags of Prism": () => table("prism mock, prism proxy", rowsOf("Prism")),
  "preferences of Prism": () => table("Prism", PREFERENCES),
  "flags of Steady": () => table("steady", rowsOf("Steady")),
  "headers of Steady": () => table("Steady", STEADY),
};

/** The text of docs/migration.md with generated tables, before formatting. */
export async function migrationPage(): Promise<string> {
  const text = await Deno.readTextFile(MIGRATION_PAGE);
  const missing = Object.keys(TABLES).filter((name) => !text.includes(`<!-- table: ${name} -->`));
  if (missing.length > 0) throw new Error(`docs/migration.md lacks the tables ${missing.join(", ")}.`);
  return text.replaceAll(
    /(<!-- table: (.*?) -->\n)[^]*?(?=<!-- end of table -->)/g,
    (_, start: string, name: string) => {
      const make = TABLES[name];
      if (make === undefined) throw new Error(`There is no table ${name} for docs/migration.md.`);
      return `${start}\n${make()}\n`;
    },
  );
}

function rowsOf(peer: PeerFlag["peer"]): Row[] {
  return PEER_FLAGS.filter((flag) => flag.peer === peer).flatMap(flagRows);
}

function table(peer: string, rows: readonly Row[]): string {
  const lines = rows.map(([theirs, ours, note = ""]) =>
    `| ${[theirs || "-", ours || "-", note].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  );
  return [`| ${peer} | gw | |`, "| --- | --- | --- |", ...lines, ""].join("\n");
}

/**
 * The rows for a flag: one for the flag itself, unless only its values have a counterpart, and one for each value with
 * a counterpart of its own.
 */
function flagRows({ names, value, write, values = {}, note = "" }: PeerFlag): Row[] {
  const [name = ""] = names;
  const usage = `${names.toReversed().join(", ")}${value === undefined ? "" : ` ${value}`}`;
  const special = Object.entries(values);
  const isSpecial = write === undefined && special.length > 0;
  return [
    ...(isSpecial ? [] : [[code(usage), code(write ?? ""), note] as const]),
    ...special.map(([value, write], index): Row => {
      return [code(`${name}=${value}`), code(write), isSpecial && index === 0 ? note : ""];
    }),
  ];
}

function code(text: string): string {
  return text === "" ? "" : `\`${text}\``;
}
