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
import { suggest } from "../lib/http/message.ts";
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
import { printable } from "./io/terminal.ts";
import type { Platform } from "./platform.ts";

export interface Command<Flags extends FlagTable> {
  /** The word after `gw`. */
  name: string;
  /** The operands and flags: `<definition>... [flags]`. */
  usage: string;
  /** A sentence or two for the help. */
  description: string;
  flags: Flags;
  /** Explains flags of other programs. */
  translate?: Translator;
  /** At least two examples for the help, as command lines of a shell. */
  examples: readonly Example[];
}

/** A command with its line in the list of commands. */
export interface DescribedCommand {
  readonly summary: string;
  readonly command: Command<FlagTable>;
}

/** A command line of a shell, with its purpose. */
export interface Example {
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
    platform.stderr.write(
      printable(`! The environment variable ${variable} means no flag of gw ${name}.${hint}`) + "\n",
    );
  }
}

export function refuse(message: string, name: string, platform: Platform): { kind: "exit"; code: number } {
  platform.stderr.write(`${message}\nSee gw ${name} --help.\n`);
  return { kind: "exit", code: EXIT.usage };
}

/** The environment variable of a flag: `GW_MOCK_LOG_FORMAT`. */
export function variableOf(command: string, flag: string): string {
  return `GW_${command}_${flag}`.toUpperCase().replaceAll("-", "_");
}

function helpOf(command: Command<FlagTable>): string {
  const flags = Object.entries(flagsOf(command));
  const [shown] = Object.keys(command.flags).toSorted((a, b) => b.split("-").length - a.split("-").length);
  return [
    command.description,
    "",
    `Usage: gw ${command.name} ${command.usage}`,
    "",
    "Flags:",
    ...columns(flags.map(([name, flag]) => [usageOf(name, flag), describeFlag(flag)])),
    "",
    ...(shown === undefined ? [] : [
      "Each flag is also an environment variable, which the flag beats: " +
      `${variableOf(command.name, shown)} is --${shown}.`,
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

/** All flags of a command, with `--help`. */
export function flagsOf(command: Command<FlagTable>): FlagTable {
  return { ...command.flags, help: HELP };
}

/** Formats examples as lines of a help. */
export function examples(list: readonly Example[]): string[] {
  return list.flatMap(({ line, does }) => [`  ${line}`, `      ${does}`]);
}

/** Formats rows as lines of two columns. */
export function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
