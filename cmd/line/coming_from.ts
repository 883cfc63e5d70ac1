/**
 * The flags of `prism mock` and `prism proxy` (Prism 5.16) and of `steady` (Steady 0.22), and what to write instead.
 * The tables of docs/migration.md and the messages about unknown flags are made from this table.
 *
 * @module
 */

/** A flag of another mock server. */
export interface PeerFlag {
  peer: "Prism" | "Steady";
  /** The names of the flag in the other program's help: `--port`, `-p`. */
  names: readonly string[];
  /** The name of the flag's value in the other program's help; absent for a flag without a value. */
  value?: string;
  /** The flag of gw with the same effect, and the name of its value; absent if gw's default has that effect. */
  write?: string;
  /**
   * For some values of the flag: what to write instead of `write`; the empty string if gw's default has that effect.
   */
  values?: Readonly<Record<string, string>>;
  /** A sentence about how gw differs. */
  note?: string;
}

const CHECK_NOTE = "gw validate --strict finds what is wrong with a definition, before or beside the mock.";
const SIZE_NOTE = "A header of requests. minItems and maxItems of the schema hold without it.";

/** The flags, in the order in which the other programs' help lists them. */
export const PEER_FLAGS: readonly PeerFlag[] = [
  {
    peer: "Prism",
    names: ["--port", "-p"],
    value: "PORT",
    write: "--port PORT",
    note: "Prism's default is 4010; gw's is 8080, or the next port that is free.",
  },
  { peer: "Prism", names: ["--host", "-h"], value: "HOST", write: "--host HOST", note: "In gw -h is --help." },
  {
    peer: "Prism",
    names: ["--cors"],
    values: { true: "", false: "--no-cors" },
    note: "gw reads --cors=false as --no-cors.",
  },
  { peer: "Prism", names: ["--multiprocess", "-m"], note: "The log of gw delays no request." },
  {
    peer: "Prism",
    names: ["--errors"],
    write: "--validate error",
    values: { false: "" },
    note: "gw's --errors is another flag: a response's example that its schema refuses becomes a problem, 500.",
  },
  {
    peer: "Prism",
    names: ["--verboseLevel", "-v"],
    value: "LEVEL",
    values: {
      silent: "--quiet",
      fatal: "--quiet",
      error: "--quiet",
      warn: "--quiet",
      info: "",
      debug: "--verbose",
      trace: "--verbose",
    },
    note: "In gw -v is --verbose, without a level. --log-format json makes a log for programs.",
  },
  { peer: "Prism", names: ["--dynamic", "-d"], write: "--dynamic", values: { false: "" }, note: "gw has -d too." },
  {
    peer: "Prism",
    names: ["--json-schema-faker-fillProperties"],
    note:
      "gw generates the properties that a schema names, and others where it names none or minProperties needs them.",
  },
  {
    peer: "Prism",
    names: ["--ignoreExamples"],
    write: "--dynamic",
    values: { false: "" },
    note: "The header Prefer: seed=0 keeps a generated body the same.",
  },
  { peer: "Prism", names: ["--seed"], value: "SEED", write: "--seed N", note: "In gw a seed is a whole number." },
  {
    peer: "Prism",
    names: ["--validate-request"],
    write: "--validate error",
    values: { false: "--validate off" },
    note: "gw's default, --validate warn, sends invalid requests on, with a remark.",
  },
  {
    peer: "Prism",
    names: ["--upstream-proxy"],
    value: "URL",
    write: "HTTPS_PROXY=URL",
    note: "An environment variable; HTTP_PROXY for upstreams without TLS.",
  },
  { peer: "Prism", names: ["--help"], write: "--help" },
  { peer: "Prism", names: ["--version"], write: "gw --version" },
  {
    peer: "Steady",
    names: ["--port", "-p"],
    value: "PORT",
    write: "--port PORT",
    note: "gw doesn't take the port from servers: its default is 8080, or the next port that is free.",
  },
  { peer: "Steady", names: ["--host"], value: "HOST", write: "--host HOST" },
  { peer: "Steady", names: ["--auto-reload", "-r"], note: "gw reloads on every save, unless --no-watch." },
  { peer: "Steady", names: ["--interactive", "-i"], note: "gw logs each request with its violations. Its -i is --in." },
  {
    peer: "Steady",
    names: ["--log-level"],
    value: "LEVEL",
    note: "gw has one level for requests: a line, and a remark for each violation.",
  },
  {
    peer: "Steady",
    names: ["--log-format"],
    value: "FORMAT",
    write: "--log-format FORMAT",
    values: { ci: "--log-format text" },
  },
  {
    peer: "Steady",
    names: ["--log-bodies"],
    note: "gw logs no bodies. gw proxy --record FILE keeps those of responses.",
  },
  { peer: "Steady", names: ["--log"], values: { true: "", false: "--quiet" } },
  { peer: "Steady", names: ["--quiet", "-q"], write: "--quiet", note: "gw has -q too." },
  {
    peer: "Steady",
    names: ["--reject-on-sdk-error"],
    write: "--validate error",
    values: { false: "--validate warn" },
    note: "--validate warn is gw's default. Credentials are checked too, unless --no-security.",
  },
  { peer: "Steady", names: ["--fail-on-ambiguous"], note: CHECK_NOTE },
  { peer: "Steady", names: ["--fail-on-warnings"], note: CHECK_NOTE },
  { peer: "Steady", names: ["--no-color"], write: "NO_COLOR=1", note: "An environment variable." },
  { peer: "Steady", names: ["--help", "-h"], write: "--help" },
  { peer: "Steady", names: ["--version"], write: "gw --version" },
  { peer: "Steady", names: ["--validator-strict-oneof"], note: "gw always has exactly one of oneOf match." },
  {
    peer: "Steady",
    names: ["--validator-query-array-format"],
    value: "FORMAT",
    write: "--query-array FORMAT",
    values: { auto: "" },
  },
  {
    peer: "Steady",
    names: ["--validator-query-object-format"],
    value: "FORMAT",
    write: "--query-object FORMAT",
    values: { "auto": "", "flat-comma": "--query-object comma" },
  },
  {
    peer: "Steady",
    names: ["--validator-form-array-format"],
    value: "FORMAT",
    write: "--form-array FORMAT",
    values: { auto: "" },
  },
  {
    peer: "Steady",
    names: ["--validator-form-object-format"],
    value: "FORMAT",
    write: "--form-object FORMAT",
    values: { "auto": "", "flat-comma": "--form-object comma" },
  },
  {
    peer: "Steady",
    names: ["--generator-array-size"],
    value: "N",
    write: "Prefer: array-size=N",
    note: SIZE_NOTE,
  },
  { peer: "Steady", names: ["--generator-array-min"], value: "N", write: "Prefer: array-size=N", note: SIZE_NOTE },
  { peer: "Steady", names: ["--generator-array-max"], value: "N", write: "Prefer: array-size=N", note: SIZE_NOTE },
  {
    peer: "Steady",
    names: ["--generator-seed"],
    value: "N",
    write: "--seed N",
    values: { "-1": "--dynamic" },
  },
  {
    peer: "Steady",
    names: ["--stream-count"],
    value: "N",
    write: "Prefer: array-size=N",
    note: "A header of requests. gw streams the items of an example, or generated ones.",
  },
  {
    peer: "Steady",
    names: ["--stream-interval"],
    value: "MS",
    write: "--stream-interval MS",
    note: "gw's default is 0.",
  },
];

/**
 * What to write instead of a flag of another mock server; `undefined` for a flag that isn't in the table.
 *
 * @param written The flag with its dashes. Prism also reads `--verbose-level` as `--verboseLevel`, and `--no-errors` as
 * `--errors=false`.
 * @param inline The value after an equals sign.
 * @param next The argument after the flag.
 */
export function insteadOf(written: string, inline: string | undefined, next: string | undefined): string | undefined {
  const key = keyOf(written);
  const exact = flagsOf(key);
  const isNegated = exact.length === 0 && key.startsWith("--no");
  const flags = isNegated ? flagsOf(`--${key.slice("--no".length)}`) : exact;
  const [flag] = flags;
  if (flag === undefined) return undefined;
  const value = isNegated ? "false" : inline ?? (flag.value === undefined ? undefined : next);
  const peers = [...new Set(flags.map(({ peer }) => peer))].join(" and ");
  const write = writtenFor(flag, value);
  const advice = write === "" ? "Leave it out." : `Write ${write} instead.`;
  return [`${written} is a flag of ${peers}. ${advice}`, ...flag.note === undefined ? [] : [flag.note]].join(" ");
}

/** What to write for a value of a flag; the empty string if gw's default has its effect. */
function writtenFor({ value: name, write = "", values = {} }: PeerFlag, value: string | undefined): string {
  if (value === undefined) return write;
  if (Object.hasOwn(values, value)) return values[value] ?? "";
  return name === undefined ? write : write.replace(new RegExp(`\\b${name}$`), () => value);
}

function flagsOf(key: string): readonly PeerFlag[] {
  return PEER_FLAGS.filter(({ names }) => names.some((name) => keyOf(name) === key));
}

/** Prism treats `--verbose-level` and `--verboseLevel` as the same flag: this removes dashes and case. */
function keyOf(name: string): string {
  return name.startsWith("--") ? `--${name.slice(2).replaceAll("-", "").toLowerCase()}` : name;
}
