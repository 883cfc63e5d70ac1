/**
 * The candidates that a shell offers for a word of a command line, derived from the descriptions of the commands.
 *
 * @module
 */
import { type DescribedCommand, flagsOf } from "../line/command.ts";
import type { Flag } from "../line/flag.ts";

/** The candidates for an operand or the value of a flag. */
export type Completion =
  | { kind: "words"; words: readonly string[] }
  | { kind: "files" }
  | { kind: "nothing" };

export interface CompletedFlag {
  /** The name without dashes. */
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  readonly isRepeatable: boolean;
  /** The value of the flag; absent for a flag without a value. */
  readonly value?: { readonly names: readonly string[]; readonly isOptional: boolean; readonly completion: Completion };
}

export interface CompletedCommand {
  readonly name: string;
  readonly summary: string;
  /** Words are offered for the first operand only, files for each operand. */
  readonly operands: Completion;
  readonly flags: readonly CompletedFlag[];
}

/** The flags of `gw` itself. */
export const OWN_FLAGS = [
  { name: "help", short: "h", description: "Print the list of commands." },
  { name: "version", short: "V", description: "Print the version." },
] as const;

export function completionsOf({ summary, command }: DescribedCommand): CompletedCommand {
  return {
    name: command.name,
    summary,
    operands: operandsOf(command.usage),
    flags: Object.entries(flagsOf(command)).map(([name, flag]) => flagOf(name, flag)),
  };
}

/** The candidates for operands, from the first word of a usage: `apis|fleets NAME` or `[definition]... [flags]`. */
function operandsOf(usage: string): Completion {
  const [operand = ""] = usage.split(" ");
  if (/^[[<](?:definition|file)[\]>]/i.test(operand)) return { kind: "files" };
  return /^[a-z]+(?:\|[a-z]+)*$/.test(operand) ? { kind: "words", words: operand.split("|") } : { kind: "nothing" };
}

function flagOf(name: string, flag: Flag): CompletedFlag {
  const { short, description } = flag;
  return {
    name,
    ...(short === undefined ? {} : { short }),
    description,
    isRepeatable: flag.read !== undefined && flag.many === true,
    ...(flag.read === undefined ? {} : {
      value: {
        names: flag.pair ? flag.value.split(" ") : [flag.value],
        isOptional: flag.bare !== undefined,
        completion: valuesOf(flag.value, flag.read.words),
      },
    }),
  };
}

function valuesOf(name: string, words: readonly string[] | undefined): Completion {
  if (words !== undefined) return { kind: "words", words };
  return name === "FILE" || name === "DIR" ? { kind: "files" } : { kind: "nothing" };
}
