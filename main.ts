/**
 * The command `gw`.
 *
 * @module
 */
import { writeLine } from "./cmd/io/terminal/terminal.ts";
import { columns, examples } from "./cmd/line/command.ts";
import { COMMANDS } from "./cmd/commands.ts";
import { createPlatform, EXIT, type Platform } from "./cmd/line/platform.ts";
import { versionText } from "./cmd/commands/version.ts";
import { messageOf, shellWord, suggest } from "./lib/http/message.ts";

const EXAMPLES = [
  { line: "gw init", does: "Write a sample definition into this folder" },
  { line: "gw mock", does: "Answer the operations of the definition in this folder" },
];

/**
 * Runs a command line.
 *
 * @param args The command line after `gw`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function main(args: readonly string[], platform: Platform): Promise<number> {
  const [word, ...rest] = args;
  if (word === "help") return await main([...rest, "--help"], platform);
  if (word === "--help" || word === "-h") return print(platform, help(), EXIT.fine);
  if (word === "--version" || word === "-V") return print(platform, `${versionText()}\n`, EXIT.fine);
  if (word === undefined) {
    platform.stderr.write(overview());
    return EXIT.usage;
  }
  const entry = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (entry === undefined) {
    writeLine(platform.stderr, unknownWord(word, rest));
    platform.stderr.write("See gw --help.\n");
    return EXIT.usage;
  }
  const command = await entry.load();
  return await command(rest, platform);
}

/** The error message for a first word that is no command, with the likeliest correction. */
function unknownWord(word: string, rest: readonly string[]): string {
  if (word.startsWith("-")) {
    const command = word.replace(/^-+/, "");
    if (Object.hasOwn(COMMANDS, command)) return `There is no flag ${word}. Did you mean gw ${command}?`;
    const [nearest] = word.toLowerCase() === "-v" ? ["-V"] : suggest(word, ["--help", "--version"]);
    return nearest === undefined
      ? `There is no flag ${word} of gw itself. Write flags after the command: ${commandFirst(word, rest)}`
      : `There is no flag ${word}. Did you mean gw ${nearest}?`;
  }
  const looksLikeDefinition = /\/|\.(?:ya?ml|json)$/i.test(word);
  const [nearest] = looksLikeDefinition
    ? [`mock ${[word, ...rest].map(shellWord).join(" ")}`]
    : suggest(word, [...Object.keys(COMMANDS), "--version"]);
  return `There is no command ${shellWord(word)}.${nearest === undefined ? "" : ` Did you mean gw ${nearest}?`}`;
}

/** The command line that begins with a flag, with its command before the flag. */
function commandFirst(flag: string, rest: readonly string[]): string {
  const at = rest.findIndex((word) => Object.hasOwn(COMMANDS, word));
  const command = rest[at];
  return command === undefined
    ? `gw <command> ${flag}`
    : ["gw", command, flag, ...rest.toSpliced(at, 1)].map(shellWord).join(" ");
}

function print(platform: Platform, text: string, code: number): number {
  platform.stdout.write(text);
  return code;
}

function listOfCommands(): string[] {
  return columns(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]));
}

/** What `gw` without arguments prints: at most 24 lines, the height of a terminal. */
function overview(): string {
  return [
    "gw mocks, checks and deploys APIs from their OpenAPI definitions.",
    "",
    ...listOfCommands(),
    "",
    "gw <command> --help explains a command and its flags, with examples.",
    "",
  ].join("\n");
}

function help(): string {
  return [
    "gw mocks, checks and deploys APIs from their OpenAPI definitions.",
    "",
    "Usage: gw <command> [arguments]",
    "",
    "Commands:",
    ...listOfCommands(),
    "",
    "Flags:",
    ...columns([
      ["-h, --help", "Print this help; that of a command with gw <command> --help"],
      ["-V, --version", "Print the version"],
    ]),
    "",
    "Examples:",
    ...examples(EXAMPLES),
    "",
  ].join("\n");
}

/**
 * Writes the rest of the output. Reports if a part of it couldn't be written, such as to a full disk.
 *
 * @param word The first word of the command line.
 * @param code The exit code of the command.
 * @returns The exit code of the process.
 */
export async function finish(
  word: string | undefined,
  code: number,
  { stdout, stderr }: Pick<Platform, "stdout" | "stderr">,
): Promise<number> {
  await stdout.flush();
  const isServer = word !== undefined && Object.hasOwn(COMMANDS, word) && COMMANDS[word]?.isServer;
  const isIncomplete = stdout.failure !== undefined && !isServer;
  if (isIncomplete) writeLine(stderr, `The output is incomplete: ${messageOf(stdout.failure)}.`);
  await stderr.flush();
  return isIncomplete && code === EXIT.fine ? EXIT.environment : code;
}

if (import.meta.main) {
  const platform = createPlatform();
  Deno.exit(await finish(Deno.args[0], await main(Deno.args, platform), platform));
}
