import { type CompletedCommand, type Completion, OWN_FLAGS } from "./completion.ts";

/**
 * A completion script for bash 3.2 (the version of macOS) and newer. Where its function offers no words, readline
 * offers file names.
 */
export function bashCompletions(commands: readonly CompletedCommand[]): string {
  const own = OWN_FLAGS.flatMap(({ name, short }) => [`-${short}`, `--${name}`]);
  const names = commands.map(({ name }) => name);
  return `# Completions of gw for bash: gw completions bash
_gw() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" flag="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  # COMP_WORDBREAKS makes three words of --flag=value.
  if [[ $cur == "=" ]]; then
    cur=""
    flag+="="
  elif [[ $flag == "=" ]]; then
    flag="\${COMP_WORDS[COMP_CWORD-2]}="
  fi
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    if [[ $cur == -* ]]; then words="${own.join(" ")}"; else words="${[...names, "help"].join(" ")}"; fi
  elif [[ $command == help ]]; then
    words="${names.join(" ")}"
  else
    case "$command $flag" in
${commands.flatMap(valueCases).map((line) => `      ${line}`).join("\n")}
      *)
        case "$command $cur" in
${commands.flatMap(flagCases).map((line) => `          ${line}`).join("\n")}
        esac
        ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}

# Without files, where only words or texts of the user's own fit.
_gw_no_files() {
  compopt +o default 2>/dev/null || true
}

complete -o default -F _gw gw
`;
}

/** The branches of a `case` statement that complete the value of a flag, by the flag before it. */
function valueCases({ name, flags }: CompletedCommand): string[] {
  return flags.flatMap((flag) => {
    if (flag.value === undefined) return [];
    const { completion, isOptional } = flag.value;
    const separate = isOptional ? [] : [...flag.short === undefined ? [] : [`-${flag.short}`], `--${flag.name}`];
    const spellings = [...separate, `--${flag.name}=`];
    return [`${spellings.map((spelling) => `"${name} ${spelling}"`).join(" | ")}) ${offer(completion)} ;;`];
  });
}

/** The branches of a `case` statement that complete a flag or an operand. */
function flagCases({ name, flags, operands }: CompletedCommand): string[] {
  const words = flags.flatMap((flag) => [...flag.short === undefined ? [] : [`-${flag.short}`], `--${flag.name}`]);
  return [
    `"${name} -"*) words="${words.join(" ")}"; _gw_no_files ;;`,
    operands.kind === "words"
      ? `"${name} "*) _gw_no_files; (( COMP_CWORD == 2 )) && words="${operands.words.join(" ")}" ;;`
      : `"${name} "*) ${offer(operands)} ;;`,
  ];
}

function offer(completion: Completion): string {
  switch (completion.kind) {
    case "words":
      return `words="${completion.words.join(" ")}"; _gw_no_files`;
    case "files":
      return "return";
    case "nothing":
      return "_gw_no_files; return";
  }
}
