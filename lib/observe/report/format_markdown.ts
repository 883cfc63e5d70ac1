/**
 * Formats a summary as Markdown, for the summary of a CI job or a comment on a pull request.
 *
 * @module
 */
import { oneLine } from "../../http/one_line.ts";
import { isError, type OperationSummary, type Run, type Summary, type ViolationSummary } from "./summary.ts";
import { count, errorsOf, overview, reportedName, responseText } from "./wording.ts";

const MOST_LISTED = 200;

export function formatMarkdown(summary: Summary, { command, started, seconds }: Run): string {
  const asked = summary.operations.filter(({ requests }) => requests > 0);
  const invalid = asked.filter(({ violations, unlisted }) => violations.length + unlisted > 0);
  const unrequested = summary.operations.filter(({ requests }) => requests === 0);
  return [
    `# Report of ${command}`,
    "",
    `${overview(summary)} From ${started}, for ${seconds.toFixed(1)} s.`,
    "",
    ...(summary.unansweredReason === undefined
      ? []
      : [`First without a response: ${plain(summary.unansweredReason)}`, ""]),
    ...section("Operations", asked.length === 0 ? [] : operationsTable(asked)),
    ...section("Violations", invalid.flatMap(violationLines).slice(1)),
    ...section("Not asked", unrequested.length === 0 ? [] : unrequestedLines(unrequested)),
    ...section("Requests to no operation", unmatchedTable(summary)),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`## ${title}`, "", ...lines, ""];
}

function operationsTable(operations: readonly OperationSummary[]): string[] {
  return [
    "| operation | requests | responses | not seen | violations |",
    "| --- | ---: | --- | --- | ---: |",
    ...operations.map((operation) => {
      const { requests, responses, unanswered, unseen } = operation;
      const seen = [
        ...responses.map((response) => `${code(responseText(response))} ${response.count}`),
        ...(unanswered === 0 ? [] : [`no response ${unanswered}`]),
      ].join(", ");
      return row([code(reportedName(operation)), requests, seen, unseen.map(code).join(", "), errorsOf(operation)]);
    }),
  ];
}

function violationLines(operation: OperationSummary): string[] {
  const { violations, unlisted } = operation;
  const more = unlisted === 0 ? [] : [`- ${count(unlisted, "violation")} more`];
  return ["", `### ${code(reportedName(operation))}`, "", ...violations.flatMap(violationLine), ...more];
}

function violationLine(violation: ViolationSummary): string[] {
  const { message, first: { method, url, status, excerpt } } = violation;
  const times = violation.count === 1 ? "once" : `${violation.count} times`;
  const kind = isError(violation) ? "" : ", as a warning";
  const example = excerpt === undefined ? "" : `: ${code(excerpt)}`;
  return [`- ${times}${kind}: ${plain(message)}`, `  First: ${code(`${method} ${url}`)} ${status}${example}`];
}

function unrequestedLines(operations: readonly OperationSummary[]): string[] {
  const listed = operations.slice(0, MOST_LISTED).map((operation) => `- ${code(reportedName(operation))}`);
  const more = operations.length - listed.length;
  return more === 0 ? listed : [...listed, `- and ${more} more`];
}

function unmatchedTable({ unmatched }: Summary): string[] {
  if (unmatched.length === 0) return [];
  return [
    "| request | status | times |",
    "| --- | ---: | ---: |",
    ...unmatched.map(({ method, path, status, count }) => row([code(`${method} ${path}`), status, count])),
  ];
}

function row(cells: readonly (string | number)[]): string {
  return `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |`;
}

/** A code span (CommonMark, section 6.1). Its fence must be longer than any run of backticks in the text. */
function code(text: string): string {
  const flat = oneLine(text.replaceAll(/\s/g, " "));
  const runs = flat.match(/`+/g) ?? [];
  const fence = "`".repeat(Math.max(0, ...runs.map(({ length }) => length)) + 1);
  const space = flat.startsWith("`") || flat.endsWith("`") ? " " : "";
  return `${fence}${space}${flat}${space}${fence}`;
}

/** Escapes the special characters of Markdown and HTML. Names between backticks become code spans. */
function plain(text: string): string {
  const pieces = oneLine(text.replaceAll(/\s/g, " ")).split("`");
  if (pieces.length % 2 === 0) return escape(pieces.join("'"));
  return pieces.map((piece, index) => index % 2 === 0 ? escape(piece) : code(piece)).join("");
}

function escape(text: string): string {
  return text.replace(/[\\*_[\]<>#|~&!]/g, "\\$&").replaceAll("://", ":\\//");
}
