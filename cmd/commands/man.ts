import { type Command, type DescribedCommand, readLine, refuse } from "../line/command.ts";
import { manualPage } from "./manual_page.ts";
import { EXIT, type Platform } from "../line/platform.ts";
import { versionText } from "./version.ts";

export const MAN_COMMAND = {
  name: "man",
  usage: "",
  description: "Prints the manual page of gw, with all commands and their flags, as roff.",
  flags: {},
  examples: [
    { line: "gw man > gw.1 && man ./gw.1", does: "Read it" },
    {
      line: "mkdir -p ~/.local/share/man/man1 && gw man > ~/.local/share/man/man1/gw.1",
      does: "Let man gw find it",
    },
  ],
} satisfies Command<Record<never, never>>;

/**
 * Makes the command that prints the manual page.
 *
 * @param describeCommands Loads the descriptions of all commands.
 */
export function createMan(
  describeCommands: () => Promise<readonly DescribedCommand[]>,
): (args: readonly string[], platform: Platform) => Promise<number> {
  return async (args, platform) => {
    const line = readLine(MAN_COMMAND, args, platform);
    if (line.kind === "exit") return line.code;
    const [operand] = line.operands;
    if (operand !== undefined) {
      return refuse(`gw man prints one page, of all commands, and takes no ${operand}.`, MAN_COMMAND.name, platform)
        .code;
    }
    platform.stdout.write(manualPage(await describeCommands(), versionText()));
    return EXIT.fine;
  };
}
