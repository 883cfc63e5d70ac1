import { writeLine } from "../io/terminal/terminal.ts";
import { join } from "node:path";
import { shellWord } from "../../lib/http/message.ts";
import { findDefinitions, isFolder } from "../io/files/folder_definitions.ts";
import { STDIN } from "../io/files/location.ts";
import { writeReasonOf } from "../io/files/read.ts";
import { oneLine } from "../../lib/http/one_line.ts";
import { type Command, readLine, refuse } from "../line/command.ts";
import { DEFAULT_PORT } from "../io/listener.ts";
import { EXIT, type Platform } from "../line/platform.ts";
import SAMPLE from "../sample.yaml" with { type: "text" };

const NAME = "todo.yaml";

export const INIT_COMMAND = {
  name: "init",
  usage: "[FILE]",
  description: `Writes a sample definition, ${NAME} unless FILE says otherwise, to begin with. No file is overwritten.`,
  flags: {},
  examples: [
    { line: "gw init", does: `Write ${NAME} into this folder, unless it has a definition` },
    { line: "gw init && gw mock", does: `Then answer its operations on http://127.0.0.1:${DEFAULT_PORT}` },
    { line: "gw init openapi.yaml", does: "Under another name" },
  ],
} satisfies Command<Record<never, never>>;

/**
 * Writes a sample definition.
 *
 * @param args The command line after `gw init`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function init(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(INIT_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const [written, ...more] = line.operands;
  if (more.length > 0) return refuse("Give one name at most.", INIT_COMMAND.name, platform).code;
  const mistake = written === undefined ? await presentDefinition() : await mistakeInName(written);
  if (mistake !== undefined) return refuse(mistake, INIT_COMMAND.name, platform).code;

  const name = written ?? NAME;
  try {
    await Deno.writeTextFile(name, SAMPLE, { createNew: true });
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) {
      const message = `${oneLine(name)} is there already, and isn't overwritten. Name another file: gw init FILE`;
      return refuse(message, INIT_COMMAND.name, platform).code;
    }
    writeLine(platform.stderr, `Cannot write ${name}: ${writeReasonOf(error)}.`);
    return EXIT.environment;
  }
  platform.stdout.write(nextSteps(name, written === undefined));
  return EXIT.fine;
}

/**
 * The message that the folder contains a definition already. With a second one, `gw mock` without operands would refuse
 * to start.
 */
async function presentDefinition(): Promise<string | undefined> {
  const [first] = (await findDefinitions(".")).names;
  if (first === undefined) return undefined;
  return `This folder has a definition: ${oneLine(first)}. Answer it with gw mock ${operandFor(first)}, ` +
    "or write the sample beside it: gw init FILE";
}

/** The message that the sample can't be written under a name. */
async function mistakeInName(name: string): Promise<string | undefined> {
  if (name === "") return "The name of the file is empty.";
  if (name === STDIN) return "gw init writes a file, not standard output. Name one: gw init FILE";
  if (await isFolder(name)) {
    return `${oneLine(name)} is a folder. Name a file in it: gw init ${operandFor(join(name, NAME))}`;
  }
  const json = /\.json$/i;
  const isPresent = await Deno.lstat(name).then(() => true, () => false);
  return json.test(name) && !isPresent
    ? `The sample is YAML. Name the file so: gw init ${operandFor(name.replace(json, ".yaml"))}`
    : undefined;
}

/** The name of a file for a command line in a message. */
function operandFor(name: string): string {
  return oneLine(shellWord(name));
}

function nextSteps(name: string, isOnly: boolean): string {
  const operand = isOnly ? "" : ` ${operandFor(name)}`;
  return [
    `Wrote ${oneLine(name)}, a definition of a list of todos.`,
    "",
    `  gw mock${operand}${
      " ".repeat(Math.max(1, 35 - operand.length))
    }answers its operations, and says at which address`,
    `  curl http://127.0.0.1:${DEFAULT_PORT}/todos          asks one of them, in another terminal`,
    "",
    "Edit the file while gw mock runs: the next answer comes from what was saved.",
    "",
  ].join("\n");
}
