import { bashCompletions } from "../completion/bash.ts";
import { type Command, type DescribedCommand, readLine, refuse } from "../line/command.ts";
import { type CompletedCommand, completionsOf } from "../completion/completion.ts";
import { choice } from "../line/flag.ts";
import { fishCompletions } from "../completion/fish.ts";
import { EXIT, type Platform } from "../line/platform.ts";
import { zshCompletions } from "../completion/zsh.ts";

/** The scripts by shell. */
const SHELLS = {
  bash: bashCompletions,
  zsh: zshCompletions,
  fish: fishCompletions,
} satisfies Record<string, (commands: readonly CompletedCommand[]) => string>;

const SHELL_NAMES = ["bash", "zsh", "fish"] as const satisfies readonly (keyof typeof SHELLS)[];

export const COMPLETIONS_COMMAND = {
  name: "completions",
  usage: SHELL_NAMES.join("|"),
  description: "Prints a script that lets the tab key complete commands, flags, values of flags and names of files.",
  flags: {},
  examples: [
    { line: "source <(gw completions bash)", does: "In ~/.bashrc; the same with zsh in ~/.zshrc, after compinit" },
    {
      line: "mkdir -p ~/.zsh && gw completions zsh > ~/.zsh/_gw",
      does: "Or once, for zsh with fpath=(~/.zsh $fpath) before compinit",
    },
    { line: "gw completions fish | source", does: "In ~/.config/fish/config.fish" },
  ],
} satisfies Command<Record<never, never>>;

/**
 * Makes the command that prints completions.
 *
 * @param describeCommands Loads the descriptions of all commands.
 */
export function createCompletions(
  describeCommands: () => Promise<readonly DescribedCommand[]>,
): (args: readonly string[], platform: Platform) => Promise<number> {
  return async (args, platform) => {
    const line = readLine(COMPLETIONS_COMMAND, args, platform);
    if (line.kind === "exit") return line.code;
    const [shell, ...more] = line.operands;
    if (shell === undefined || more.length > 0) {
      return refuse("For which shell? Name one of bash, zsh, fish.", COMPLETIONS_COMMAND.name, platform).code;
    }
    const print = printerOf(shell);
    if (typeof print === "string") return refuse(print, COMPLETIONS_COMMAND.name, platform).code;
    platform.stdout.write(print((await describeCommands()).map(completionsOf)));
    return EXIT.fine;
  };
}

/** The function that prints the script for a shell; or the message that gw has none for it. */
function printerOf(shell: string): ((commands: readonly CompletedCommand[]) => string) | string {
  try {
    return SHELLS[choice(...SHELL_NAMES)(shell)];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return `There are no completions for ${shell}: ${error.message}`;
  }
}
