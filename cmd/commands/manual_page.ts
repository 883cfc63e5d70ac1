/**
 * The manual page of gw, in the macros of man(7).
 *
 * @module
 */
import { type CommandExample, type DescribedCommand, describeFlag, groupsOf, variableOf } from "../line/command.ts";
import { usageOf } from "../line/flag.ts";

/**
 * Formats the manual page of commands.
 *
 * @param version The text of `gw --version`.
 */
export function manualPage(commands: readonly DescribedCommand[], version: string): string {
  return [
    // The third argument, a date, is empty: the page belongs to a version.
    `.TH GW 1 "" "${escape(version)}" "User Commands"`,
    ".SH NAME",
    "gw \\- mock, check and deploy APIs from their OpenAPI definitions",
    ".SH SYNOPSIS",
    ".B gw",
    ".I command",
    ".RI [ arguments ]",
    ".SH DESCRIPTION",
    ...paragraphs(
      "Three things for teams that describe their APIs with OpenAPI: a mock server, a gateway on a laptop, and " +
        "one in a Kubernetes cluster.",
    ),
    ...commands.flatMap(({ command, summary }) => [".TP", `.B ${escape(command.name)}`, ...line(summary)]),
    ".SH COMMANDS",
    ...commands.flatMap(sectionOf),
    ".SH EXIT STATUS",
    ...EXIT_CODES.flatMap(([code, meaning]) => [".TP", `.B ${code}`, ...line(meaning)]),
    ".SH ENVIRONMENT",
    ...paragraphs(
      "Each flag of a command is also an environment variable, which the flag beats: GW_MOCK_PORT is --port of " +
        "gw mock. Commas separate the values of a flag that may be repeated.",
    ),
    ...VARIABLES.flatMap(([name, meaning]) => [".TP", `.B ${name}`, ...line(meaning)]),
    "",
  ].filter((text, index, all) => text !== "" || index === all.length - 1).join("\n");
}

const EXIT_CODES = [
  ["0", "Success; of gw validate, warnings don't count."],
  ["1", "The input is at fault: a definition with errors."],
  ["2", "The command line is at fault."],
  ["3", "The environment is at fault: a file that can't be read, a port that is taken, a server that doesn't answer."],
] as const;

const VARIABLES = [
  ["GW_SERVER", "Where gw serve is, for deploy, create, get and delete."],
  ["GW_TOKEN", "The token that gw serve asks for."],
  ["NO_COLOR", "No colours, if it isn't empty."],
] as const;

function sectionOf({ command }: DescribedCommand): string[] {
  return [
    `.SS gw ${escape(command.name)}`,
    `.B gw ${escape(command.name)}`,
    ...line(command.usage),
    ".PP",
    ...paragraphs(command.description),
    ...groupsOf(command).flatMap(({ heading, flags }, _, groups) => [
      ...groups.length === 1 ? [] : [".PP", `.B ${escape(heading)}`],
      ...flags.flatMap(([name, flag]) => [
        ".TP",
        `.B ${escape(usageOf(name, flag))}`,
        ...line(describeFlag(flag)),
      ]),
    ]),
    ...Object.keys(command.flags).length === 0 ? [] : [
      ".PP",
      ...line(`Environment: ${variableOf(command.name, "")}* for each flag.`),
    ],
    ".PP",
    "Examples:",
    ...command.examples.flatMap(exampleOf),
  ];
}

function exampleOf({ line: written, does }: CommandExample): string[] {
  return [".PP", ...line(`${does}:`), ".RS 4", ".nf", protect(escape(written)), ".fi", ".RE"];
}

/** Formats a text in which empty lines separate paragraphs. */
function paragraphs(text: string): string[] {
  return text.split("\n\n").flatMap((paragraph, index) => [
    ...index === 0 ? [] : [".PP"],
    ...line(paragraph.replaceAll("\n", " ")),
  ]);
}

/** Formats a text as one line; returns no line for the empty text. */
function line(text: string): string[] {
  return text === "" ? [] : [protect(escape(text))];
}

/** Escapes roff's special characters. Unescaped, a hyphen would be printed as a dash. */
function escape(text: string): string {
  return text.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll('"', "\\(dq").replaceAll("'", "\\(aq")
    .replaceAll("`", "\\(ga").replaceAll("^", "\\(ha").replaceAll("~", "\\(ti");
}

/** Protects a line that begins with a roff control character (`.` or `'`) from being read as a request. */
function protect(text: string): string {
  return /^[.']/.test(text) ? `\\&${text}` : text;
}
