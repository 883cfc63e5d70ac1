import { type CompletedCommand, type CompletedFlag, OWN_FLAGS } from "./completion.ts";

/** A completion script for fish. */
export function fishCompletions(commands: readonly CompletedCommand[]): string {
  const names = commands.map(({ name }) => name).join(" ");
  return `# Completions of gw for fish: gw completions fish
function __gw_command_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end

function __gw_is_at
    test (count (commandline -opc)) -eq $argv[1]
end

complete -c gw -f
${OWN_FLAGS.map((flag) => `complete -c gw -n "__gw_is_at 1" ${spelling(flag)}`).join("\n")}
complete -c gw -n "__gw_is_at 1" -a help -d "Explain a command"
complete -c gw -n "__gw_command_is help" -a ${quote(names)}
${commands.flatMap(linesOf).join("\n")}
`;
}

function linesOf({ name, summary, flags, operands }: CompletedCommand): string[] {
  const prefix = `complete -c gw -n "__gw_command_is ${name}"`;
  return [
    `complete -c gw -n "__gw_is_at 1" -a ${name} -d ${quote(summary)}`,
    ...operands.kind === "files" ? [`${prefix} -F`] : [],
    ...operands.kind === "words"
      ? [`complete -c gw -n "__gw_command_is ${name}; and __gw_is_at 2" -a ${quote(operands.words.join(" "))}`]
      : [],
    ...flags.map((flag) => `${prefix} ${spelling(flag)}${valueOf(flag)}`),
  ];
}

function spelling({ name, short, description }: Pick<CompletedFlag, "name" | "short" | "description">): string {
  return `${short === undefined ? "" : `-s ${short} `}-l ${name} -d ${quote(description)}`;
}

function valueOf({ value }: CompletedFlag): string {
  if (value === undefined || value.isOptional) return "";
  switch (value.completion.kind) {
    case "words":
      return ` -x -a ${quote(value.completion.words.join(" "))}`;
    case "files":
      return " -r -F";
    case "nothing":
      return " -x";
  }
}

function quote(text: string): string {
  return `'${text.replaceAll(/[\\']/g, "\\$&")}'`;
}
