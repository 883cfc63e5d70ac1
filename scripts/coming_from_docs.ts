/**
 * Makes docs/coming-from.md from the table of the flags of Prism and Steady. `deno task docs` writes it.
 *
 * @module
 */
import { PEER_FLAGS, type PeerFlag } from "../cmd/coming_from.ts";

/** The file that is written. */
export const COMING_FROM = new URL("../docs/coming-from.md", import.meta.url);

const HEAD = `# Coming from Prism or Steady

\`gw mock FILE\` is \`prism mock FILE\` and \`steady FILE\`; \`gw proxy FILE URL\` is \`prism proxy FILE URL\`;
\`gw validate FILE\` is \`steady validate FILE\`, and [its codes](validate.md) are what \`steady explain\` prints.

A flag of theirs that gw doesn't have is an error that names gw's own:

\`\`\`
$ gw mock api.yaml --validator-query-array-format=brackets
--validator-query-array-format is a flag of Steady. Write --query-array brackets instead.
See gw mock --help.
$ gw mock api.yaml --multiprocess
--multiprocess is a flag of Prism. Leave it out. The log of gw delays no request.
See gw mock --help.
\`\`\`

`;

/** Headers and queries of requests and responses, and paths: of the peer, of gw, and a sentence about differences. */
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

/** The text of docs/coming-from.md before formatting. */
export function comingFrom(): string {
  const rowsOf = (peer: PeerFlag["peer"]): Row[] => PEER_FLAGS.filter((flag) => flag.peer === peer).flatMap(flagRows);
  return [
    HEAD,
    "A switch may have a value: `--dynamic=false`. A flag that gw has keeps its meaning there: `-h` is `--help`, `-v` " +
    "`--verbose`, `-i` `--in`, and `--errors` is about examples. A dash in the column of gw: leave it out.\n",
    "## Flags of Prism 5.16\n",
    ...table("prism mock, prism proxy", rowsOf("Prism")),
    "## Flags of Steady 0.22\n",
    ...table("steady", rowsOf("Steady")),
    "## Prefer, and other headers of Prism\n",
    ...table("Prism", PREFERENCES),
    "## Headers and paths of Steady\n",
    ...table("Steady", STEADY),
  ].join("\n");
}

function table(peer: string, rows: readonly Row[]): string[] {
  const lines = rows.map(([theirs, ours, note = ""]) =>
    `| ${[theirs || "-", ours || "-", note].map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  );
  return [`| ${peer} | gw | |`, "| --- | --- | --- |", ...lines, ""];
}

/** A row for the flag, unless values alone decide, and one for each value with an advice of its own. */
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
