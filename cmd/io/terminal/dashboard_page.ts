/**
 * The page of the dashboard: figures, operations, violations, and the end of the log, cut to the size of the terminal.
 *
 * @module
 */
import { hasErrors, type OperationSummary, type Summary } from "../../../lib/observe/report/summary.ts";
import {
  errorsOf,
  exampleText,
  overview,
  reportedName,
  responsesText,
  violationText,
} from "../../../lib/observe/report/wording.ts";
import { oneLine } from "../../../lib/http/one_line.ts";
import { columnsOf, fit, type Paint } from "./terminal.ts";

export interface DashboardPage {
  /** The first line: the running command and its addresses. */
  readonly title: string;
  /** The last line: what the keys do. */
  readonly keys: string;
  readonly summary: Summary;
  /** The last lines of the log, without colours. */
  readonly log: readonly string[];
}

/** The columns and rows of a terminal. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** The width of a column of numbers. */
const NUMBER = 8;
/** The number of rows at the bottom for the log, if there are rows left. */
const LOG_ROWS = 6;

/** The keys are shown if this many rows are left for the rest. */
const LEAST_REST = 6;

/** Formats a page as lines: at most as many as the terminal has rows, each at most as wide as the terminal. */
export function layOut({ title, keys, summary, log }: DashboardPage, { columns, rows }: Size, paint: Paint): string[] {
  const head = [paint.bold(fit(oneLine(title), columns)), ...wrapped(overview(summary), columns), ""];
  const asked = summary.operations.filter(({ requests }) => requests > 0).toSorted(compareOperations);
  const foot = rows > head.length + LEAST_REST ? ["", paint.dim(fit(keys, columns))] : [];
  const room = Math.max(0, rows - head.length - foot.length);
  const logRows = Math.min(LOG_ROWS, log.length, Math.max(0, room - 8));
  const logLines = logRows === 0 ? [] : [
    "",
    ...log.slice(-logRows).map((line) => paint.dim(fit(oneLine(line), columns))),
  ];
  const left = room - logLines.length;
  const violations = asked.flatMap((operation) => violationLines(operation, columns, paint));
  const violationRows = violations.length === 0 ? 0 : Math.min(violations.length + 1, Math.floor(left / 2));
  const table = tableLines(asked, summary, { columns, rows: left - violationRows }, paint);
  const spare = left - table.length;
  const shown = violations.length === 0 || spare < 2 ? [] : ["", ...violations.slice(0, spare - 1)];
  return [...head, ...table, ...shown, ...logLines, ...foot].slice(0, rows);
}

/** Sorts operations with errors first, then by the number of requests. */
function compareOperations(a: OperationSummary, b: OperationSummary): number {
  return Number(hasErrors(b)) - Number(hasErrors(a)) || b.requests - a.requests;
}

function tableLines(
  asked: readonly OperationSummary[],
  { totals }: Summary,
  { columns, rows }: Size,
  paint: Paint,
): string[] {
  if (rows < 2) return [];
  const silent = totals.operations - totals.asked;
  const width = Math.min(
    Math.max(...asked.map((operation) => columnsOf(reportedName(operation))), 9),
    Math.max(9, Math.floor((columns - 2 * NUMBER) / 2)),
  );
  const header = `${"requests".padStart(NUMBER)}${"wrong".padStart(NUMBER)}  ${"operation".padEnd(width)}  responses`;
  const most = rows - 1 - (silent > 0 || asked.length > rows - 1 ? 1 : 0);
  const shown = asked.slice(0, most);
  const hidden = asked.length - shown.length;
  const rest = [
    ...(hidden > 0 ? [`${hidden} more asked`] : []),
    ...(silent > 0 ? [`${silent} not asked`] : []),
  ].join(", ");
  return [
    paint.dim(fit(header, columns)),
    ...shown.map((operation) => rowOf(operation, width, columns, paint)),
    ...(rest === "" ? [] : [paint.dim(fit(`${" ".repeat(2 * NUMBER)}  ${rest}`, columns))]),
  ].slice(0, rows);
}

function rowOf(operation: OperationSummary, width: number, columns: number, paint: Paint): string {
  const errors = errorsOf(operation);
  const name = fit(oneLine(reportedName(operation)), width);
  const padded = name + " ".repeat(Math.max(0, width - columnsOf(name)));
  const requests = String(operation.requests).padStart(NUMBER);
  const wrong = (errors === 0 ? "" : String(errors)).padStart(NUMBER);
  const line = fit(`${requests}${wrong}  ${padded}  ${oneLine(responsesText(operation))}`, columns);
  if (errors === 0 || line.length < 2 * NUMBER) return line;
  return line.slice(0, NUMBER) + paint.red(line.slice(NUMBER, 2 * NUMBER)) + line.slice(2 * NUMBER);
}

function violationLines(operation: OperationSummary, columns: number, paint: Paint): string[] {
  return operation.violations.flatMap((violation) => [
    paint.yellow("!") + fit(` ${oneLine(violationText(violation))}`, columns - 1),
    paint.dim(fit(`  first: ${oneLine(exampleText(violation))}`, columns)),
  ]);
}

/** Breaks a text at spaces into lines of at most `columns` columns. */
function wrapped(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line === "") lines[lines.length - 1] = fit(word, columns);
    else if (columnsOf(line) + 1 + columnsOf(word) <= columns) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(fit(word, columns));
  }
  return lines;
}
