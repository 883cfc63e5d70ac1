/**
 * Reads the command line of a command. A command is a function of (arguments, platform) that returns an exit code:
 *
 * ```ts ignore
 * const FLAGS = { port: { short: "p", value: "PORT", read: integer(0, 65535), description: "Port to listen on." } };
 *
 * export async function mock(args: string[], platform: Platform): Promise<number> {
 *   const line = readLine({ name: "mock", flags: FLAGS, … }, args, platform);
 *   if (line.kind === "exit") return line.code;
 *   const { values: { port }, operands } = line;
 * ```
 *
 * @module
 */
import { writeLine } from "../io/terminal/terminal.ts";
import { suggest } from "../../lib/http/message.ts";
import { EXIT } from "./platform.ts";
import {
  type Flag,
  type FlagTable,
  readCommandLine,
  type Setting,
  type Translator,
  usageOf,
  type Values,
} from "./flag.ts";
import type { Platform } from "./platform.ts";

export interface Command<Flags extends FlagTable> {
  /** The word after `gw`. */
  name: string;
  /** The operands and flags: `<definition>... [flags]`. */
  usage: string;
  /** A sentence or two for the help. */
  description: string;
  flags: Flags;
  /** The headings of the help, most used first, each with its flags. Default: one heading. */
  groups?: FlagGroups;
  /** Explains flags of other programs. */
  translate?: Translator;
  /** At least two examples for the help, as command lines of a shell. */
  examples: readonly CommandExample[];
}

/** Names of flags by heading. `help` is the flag that each command has. A name that the command hasn't is skipped. */
export type FlagGroups<Name extends string = string> = Readonly<Record<string, readonly (Name | "help")[]>>;

/** A command with its line in the list of commands. */
export interface DescribedCommand {
  readonly summary: string;
  readonly command: Command<FlagTable>;
}

/** A command line of a shell, with its purpose. */
export interface CommandExample {
  line: string;
  does: string;
}

/** A command line that was read, or the exit code after the help or an error was printed. */
export type Line<Flags extends FlagTable> =
  | { kind: "line"; values: Values<Flags>; operands: string[] }
  | { kind: "exit"; code: number };

const HELP = { short: "h", description: "Print this help." } satisfies Flag;

/**
 * Reads the command line of a command, with `--help`, and the environment variables of its flags.
 *
 * @param settingOf Looks up a flag in the configuration file, which the environment overrides.
 */
export function readLine<Flags extends FlagTable>(
  command: Command<Flags>,
  args: readonly string[],
  platform: Platform,
  settingOf?: (flag: string) => Setting | undefined,
): Line<Flags> {
  const table = { ...command.flags, help: HELP };
  const line = readCommandLine(table, args, (flag) => {
    const name = variableOf(command.name, flag);
    if (flag === "help") return { name, value: undefined };
    const value = platform.env(name);
    return value === undefined || value === "" ? settingOf?.(flag) ?? { name, value } : { name, value };
  }, command.translate);
  if (args.some((arg) => arg === "--help" || arg === "-h")) {
    platform.stdout.write(helpOf(command));
    return { kind: "exit", code: EXIT.fine };
  }
  if (line.kind === "mistake") return refuse(line.message, command.name, platform);
  // With a configuration file, `gw serve` reads the command line twice, the second time with `settingOf`. Warn only
  // once.
  if (settingOf === undefined) warnOfVariables(command, platform);
  return line;
}

/** Warns of environment variables such as `GW_MOCK_PROT`, which have the prefix of the command and match no flag. */
function warnOfVariables({ name, flags }: Command<FlagTable>, platform: Platform): void {
  const prefix = variableOf(name, "");
  const known = Object.keys(flags).map((flag) => variableOf(name, flag).slice(prefix.length));
  for (const variable of platform.envNames()) {
    const rest = variable.slice(prefix.length);
    if (!variable.startsWith(prefix) || known.includes(rest)) continue;
    const [nearest] = suggest(rest, known);
    const hint = nearest === undefined ? "" : ` Did you mean ${prefix}${nearest}?`;
    writeLine(platform.stderr, `! The environment variable ${variable} means no flag of gw ${name}.${hint}`);
  }
}

export function refuse(message: string, name: string, platform: Platform): { kind: "exit"; code: number } {
  writeLine(platform.stderr, message);
  platform.stderr.write(`See gw ${name} --help.\n`);
  return { kind: "exit", code: EXIT.usage };
}

/** The environment variable of a flag: `GW_MOCK_LOG_FORMAT`. */
export function variableOf(command: string, flag: string): string {
  return `GW_${command}_${flag}`.toUpperCase().replaceAll("-", "_");
}

/** The columns of a help. */
const WIDTH = 100;
/** The most columns of a flag and its value; the description of a longer one begins on the next line. */
const MOST_LEFT = 30;

function helpOf(command: Command<FlagTable>): string {
  const groups = groupsOf(command);
  const rows = groups.map(({ flags }) =>
    flags.map(([name, flag]) => [usageOf(name, flag), describeFlag(flag)] as const)
  );
  const width = widthOf(rows.flat());
  // The shortest name with a dash shows that the variable has an underscore in its place.
  const [shown] = Object.keys(command.flags)
    .toSorted((a, b) => Number(b.includes("-")) - Number(a.includes("-")) || a.length - b.length);
  return [
    ...command.description.split("\n\n").flatMap((paragraph) => [...wrap(paragraph, WIDTH), ""]),
    `Usage: gw ${command.name} ${command.usage}`.trimEnd(),
    "",
    ...groups.flatMap(({ heading }, index) => [`${heading}:`, ...columns(rows[index] ?? [], width), ""]),
    ...(shown === undefined ? [] : [
      ...wrap(
        "Each flag is also an environment variable, which the flag beats: " +
          `${variableOf(command.name, shown)} is --${shown}.`,
        WIDTH,
      ),
      "",
    ]),
    "Examples:",
    ...examples(command.examples),
    "",
  ].join("\n");
}

/** The description of a flag, with its default. */
export function describeFlag(flag: Flag): string {
  return flag.read !== undefined && flag.default !== undefined
    ? `${flag.description} Default: ${flag.default}.`
    : flag.description;
}

/** A heading of the help, with its flags. */
export interface DescribedGroup {
  readonly heading: string;
  readonly flags: readonly (readonly [name: string, flag: Flag])[];
}

/** All flags of a command, with `--help`, by heading. Flags that are in no group have the heading `Flags`. */
export function groupsOf({ flags, groups = {} }: Command<FlagTable>): DescribedGroup[] {
  const rest = new Map<string, Flag>(Object.entries({ ...flags, help: HELP }));
  const described = Object.entries(groups).map(([heading, names]): DescribedGroup => ({
    heading,
    flags: names.flatMap((name) => {
      const flag = rest.get(name);
      rest.delete(name);
      return flag === undefined ? [] : [[name, flag] as const];
    }),
  }));
  return [...described, { heading: "Flags", flags: [...rest] }].filter(({ flags }) => flags.length > 0);
}

/** All flags of a command, with `--help`, in the order of the help. */
export function flagsOf(command: Command<FlagTable>): FlagTable {
  return Object.fromEntries(groupsOf(command).flatMap(({ flags }) => flags));
}

/** Formats examples as lines of a help. */
export function examples(list: readonly CommandExample[]): string[] {
  return list.flatMap(({ line, does }) => [`  ${line}`, `      ${does}`]);
}

/** A line of two columns. */
type Row = readonly [left: string, right: string];

/**
 * Formats rows as lines of two columns.
 *
 * @param width The width of the left column. Default: that of its longest text.
 */
export function columns(rows: readonly Row[], width: number = widthOf(rows)): string[] {
  return rows.flatMap(([left, right]) => {
    const [first = "", ...more] = wrap(right, WIDTH - width - 4);
    const below = more.map((line) => `${" ".repeat(width + 4)}${line}`);
    return left.length > width
      ? [`  ${left}`, `${" ".repeat(width + 4)}${first}`, ...below]
      : [`  ${left.padEnd(width)}  ${first}`, ...below];
  });
}

/** The width of the left column. */
function widthOf(rows: readonly Row[]): number {
  return Math.max(...rows.map(([left]) => left.length).filter((length) => length <= MOST_LEFT));
}

/** Breaks a text into lines, at spaces. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
