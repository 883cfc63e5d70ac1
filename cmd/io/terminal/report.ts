/**
 * Formats the diagnostics of definitions: as text, as JSON, and as annotations of GitHub.
 *
 * @module
 */
import type { Diagnostic } from "../../../lib/openapi/diagnostic.ts";
import { shellWord } from "../../../lib/http/message.ts";
import { jsonText, oneLine } from "../../../lib/http/one_line.ts";
import { columnsOf, createPaint, type Paint } from "./terminal.ts";

export interface TextReportOptions {
  /** Whether colours may be used. */
  color: boolean;
  /** Converts a URI into the name of the file in messages. */
  nameOf: (uri: string) => string;
  /** Returns the text of a URI, for code frames; `undefined` if it isn't known. */
  textOf: (uri: string) => string | undefined;
}

/** The number of lines in a code frame before the line of the problem, and after it. */
const CONTEXT = 2;
/** The number of columns that a code frame shows. A definition may be one line of megabytes. */
const WIDTH = 120;

/**
 * Formats diagnostics as text, each with a code frame:
 *
 * ```text
 * pets.yaml:7:7 error unknown-field: The Operation Object has no field `operationID`. Did you mean `operationId`?
 *   5 |   /pets:
 *   6 |     get:
 * > 7 |       operationID: listPets
 *     |       ^^^^^^^^^^^
 * ```
 */
export function textReport(diagnostics: readonly Diagnostic[], options: TextReportOptions): string {
  const paint = createPaint(options.color);
  const lines = new Map<string, readonly string[]>();
  const linesOf = (uri: string): readonly string[] => {
    const known = lines.get(uri) ?? options.textOf(uri)?.split(/\r?\n/) ?? [];
    lines.set(uri, known);
    return known;
  };
  const names = new Map<string, string>();
  const nameOf = (uri: string): string => {
    const known = names.get(uri) ?? options.nameOf(uri);
    names.set(uri, known);
    return known;
  };
  return diagnostics
    .map((diagnostic) =>
      `${headline(diagnostic, nameOf, paint)}\n${codeFrame(diagnostic, linesOf(diagnostic.uri), paint)}\n`
    )
    .join("");
}

function headline(
  { severity, code, message, uri, line, column }: Diagnostic,
  nameOf: TextReportOptions["nameOf"],
  paint: Paint,
): string {
  const painted = severity === "error" ? paint.red(severity) : paint.yellow(severity);
  const place = `${nameOf(uri)}:${line}:${column}`;
  return `${paint.bold(oneLine(place))} ${painted} ${paint.dim(`${code}:`)} ${oneLine(readable(message, nameOf))}`;
}

function codeFrame({ line, column }: Diagnostic, lines: readonly string[], paint: Paint): string {
  const faulty = lines[line - 1];
  if (faulty === undefined) return "";
  const from = column > WIDTH - 20 ? column - 40 : 0;
  const cut = (text: string): string => oneLine(text.slice(from, from + WIDTH));
  const first = Math.max(1, line - CONTEXT);
  const last = Math.min(lines.length, line + CONTEXT);
  const digits = String(last).length;
  const frame: string[] = [];
  for (let number = first; number <= last; number++) {
    const isFaulty = number === line;
    const margin = `${isFaulty ? ">" : " "} ${String(number).padStart(digits)} | `;
    frame.push(`${isFaulty ? margin : paint.dim(margin)}${cut(lines[number - 1] ?? "")}`.trimEnd());
    if (!isFaulty) continue;
    const before = " ".repeat(columnsOf(cut(faulty.slice(0, column - 1))));
    const marked = "^".repeat(Math.min(lengthOfToken(faulty.slice(column - 1)), WIDTH - (column - 1 - from)));
    frame.push(`${paint.dim(`  ${" ".repeat(digits)} | `)}${before}${paint.red(marked)}`);
  }
  return `${frame.join("\n")}\n`;
}

/** Replaces the URIs in a message by the names of the files. */
function readable(message: string, nameOf: (uri: string) => string): string {
  return message.replace(/\bfile:\/\/\/[^\s`]*[^\s`:.,;]/g, nameOf);
}

/** The length of the token at which a problem is: a quoted text, a word, or one character. */
function lengthOfToken(text: string): number {
  const token = /^"(?:[^"\\]|\\.)*"|^'(?:[^']|'')*'|^[^\s,:{}[\]"']+/.exec(text);
  return Math.max(1, columnsOf(token?.[0] ?? ""));
}

/** The number of diagnostics that commands other than `gw validate` show. */
export const MOST_SHOWN = 20;

/** The command that shows all problems of definitions: `gw validate pets.yaml`. */
export function validateCommand(operands: readonly string[]): string {
  return oneLine(["gw validate", ...operands.map(shellWord)].join(" "));
}

/** The number of definitions that the summary names. */
const MOST_NAMED = 3;

/** `3 errors and 1 warning in pets.yaml.` */
export function summary(diagnostics: readonly Diagnostic[], names: readonly string[]): string {
  const count = (severity: Diagnostic["severity"]): string[] => {
    const number = diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
    return number === 0 ? [] : [`${number} ${severity}${number === 1 ? "" : "s"}`];
  };
  const counts = [...count("error"), ...count("warning")];
  const where = names.length > MOST_NAMED ? `${names.length} definitions` : names.join(", ");
  return `${counts.length === 0 ? "Nothing is wrong" : counts.join(" and ")} in ${oneLine(where)}.\n`;
}

/** Formats diagnostics as a JSON array. */
export function jsonReport(diagnostics: readonly Diagnostic[]): string {
  return `${jsonText(diagnostics, 2)}\n`;
}

/**
 * Formats diagnostics as annotations of a GitHub workflow.
 *
 * @param nameOf The path of a URI from the root of the repository.
 * @see {@link https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands GitHub, Workflow commands}
 */
export function githubReport(diagnostics: readonly Diagnostic[], nameOf: (uri: string) => string): string {
  return diagnostics.map(({ severity, code, message, uri, line, column }) => {
    const place = `file=${escapeProperty(nameOf(uri))},line=${line},col=${column}`;
    return `::${severity} ${place},title=${escapeProperty(code)}::${escapeData(readable(message, nameOf))}\n`;
  }).join("");
}

function escapeData(text: string): string {
  return oneLine(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
