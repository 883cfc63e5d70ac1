import { type CompletedCommand, type CompletedFlag, type Completion, OWN_FLAGS } from "./completion.ts";

/** A completion script for zsh, to be sourced, or saved as `_gw` in a folder of `fpath`. */
export function zshCompletions(commands: readonly CompletedCommand[]): string {
  const described = commands.map(({ name, summary }) => quote(`${name}:${summary}`));
  const own = OWN_FLAGS.flatMap(({ name, short, description }) =>
    specsOf({
      name,
      short,
      description,
      isRepeatable: false,
    })
  );
  return `#compdef gw
# Completions of gw for zsh: gw completions zsh
_gw() {
  local -a commands
  commands=(
${described.map((line) => `    ${line}`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    if [[ $words[CURRENT] == -* ]]; then
      _arguments -s ${own.join(" ")}
    else
      _describe command commands
    fi
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    help) _describe command commands ;;
${commands.map(caseOf).join("\n")}
  esac
}

if [[ $funcstack[1] == _gw ]]; then
  _gw "$@"
else
  compdef _gw gw
fi
`;
}

function caseOf({ name, flags, operands }: CompletedCommand): string {
  const specs = [...flags.flatMap(specsOf), ...operandSpecs(operands)];
  return `    ${name})\n      _arguments -s \\\n${specs.map((spec) => `        ${spec}`).join(" \\\n")}\n      ;;`;
}

/** The specifications that zsh's `_arguments` needs for a flag: one for each spelling (`-p`, `--port`). */
function specsOf({ name, short, description, isRepeatable, value }: CompletedFlag): string[] {
  const values = value?.names.map((name) => `:${escape(name)}:${action(value.completion)}`).join("") ?? "";
  const isOptional = value?.isOptional === true;
  const text = `[${escape(description)}]${isOptional ? `:${values}` : values}`;
  const long = `--${name}${value === undefined ? "" : isOptional ? "=-" : "="}`;
  if (short === undefined) return [quote(`${isRepeatable ? "*" : ""}${long}${text}`)];
  const spellings = [`-${short}${value === undefined ? "" : "+"}`, long];
  const before = isRepeatable ? "*" : `(-${short} --${name})`;
  return spellings.map((spelling) => quote(`${before}${spelling}${text}`));
}

function operandSpecs(operands: Completion): string[] {
  switch (operands.kind) {
    case "words":
      return [quote(`1:what:${action(operands)}`)];
    case "files":
      return [quote(`*:file:${action(operands)}`)];
    case "nothing":
      return [];
  }
}

function action(completion: Completion): string {
  switch (completion.kind) {
    case "words":
      return `(${completion.words.join(" ")})`;
    case "files":
      return "_files";
    case "nothing":
      return " ";
  }
}

/** Escapes the characters that have a meaning inside a specification of zsh's `_arguments`. */
function escape(text: string): string {
  return text.replaceAll(/[\\[\]:]/g, "\\$&");
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
