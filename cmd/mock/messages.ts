/**
 * The messages of `gw mock`.
 *
 * @module
 */
import { framesOf, nameAndMessageOf, suggest } from "../../lib/http/message.ts";
import type { Document } from "../../lib/openapi/document.ts";
import type { Unanswered } from "../../lib/mock/answer/select_response.ts";
import type { Changes } from "../../lib/openapi/changes.ts";
import { atOrigin, locateDiagnostics } from "../../lib/openapi/diagnostic.ts";
import { child } from "../../lib/schema/json/node.ts";
import type { Operation } from "../../lib/openapi/operation.ts";
import type { UnlocatedDiagnostic } from "../../lib/openapi/diagnostic.ts";
import type { RuleCode } from "../../lib/openapi/rules.ts";
import { type Definition, withoutRepeatedTargets } from "../io/files/definition.ts";
import { displayName, isRemote, STDIN } from "../io/files/location.ts";
import { overlayArguments } from "../line/overlay_flag.ts";
import { oneLine } from "../../lib/http/one_line.ts";
import { MOST_SHOWN, textReport, validateCommand } from "../io/terminal/report.ts";

/** The most operations that a message lists. */
const MOST_LISTED = 20;

/** The most problems that are shown after a reload: one mistake may cause hundreds. */
export const MOST_WHILE_ANSWERING = 5;

/**
 * The longest definition, in characters, whose warnings get lines and columns. Finding lines in a longer one would
 * delay requests.
 */
const LARGE = 1024 * 1024;

/** The last sentence of messages about an edit that was refused. */
export const STILL_ANSWERING = "Still answering from the last good definition.";

/** `Cannot read todo.yaml: there is no such file.` */
export function unreadable(operand: string, reason: string): string {
  return `Cannot read ${operand}: ${reason}.`;
}

/** The message of an unexpected error, as lines: the error, and where it was thrown. */
export function unexpectedError(error: unknown): string[] {
  return [`Something failed inside gw, which goes on: ${nameAndMessageOf(error)}`, ...framesOf(error)];
}

export interface ProblemsOptions {
  color: boolean;
  /** The number of problems to show. */
  most?: number;
  /** Whether to add that `gw validate` may find more problems. Default: no. */
  hints?: boolean;
}

/**
 * The first problems of definitions, each with a code frame, as lines.
 *
 * @param operands The definitions on the command line.
 */
export function firstProblems(
  diagnostics: readonly UnlocatedDiagnostic[],
  operands: readonly string[],
  { color, most = MOST_SHOWN, hints = false }: ProblemsOptions,
): string[] {
  const more = diagnostics.length - most;
  const first = problems(diagnostics.slice(0, most), color);
  if (more > 0) return [...first, `and ${more} more; ${validateCommand(operands)} shows all.`];
  return hints ? [...first, `${validateCommand(operands)} may find more.`] : first;
}

/** Problems of reading a definition that only this machine can find, since no server loads references. */
const OF_LOADING: ReadonlySet<RuleCode> = new Set(["outside-reference"]);

/**
 * The problems of overlays, and of what definitions refer to, each with a code frame, for commands that deploy or
 * render definitions.
 *
 * @returns `isRefused`: whether one of them is an error.
 */
export function readingProblems(
  definitions: readonly Definition[],
  options: ProblemsOptions,
): { report: string; isRefused: boolean } {
  const found = definitions.flatMap(({ document: { unlocatedDiagnostics, overlays } }) =>
    unlocatedDiagnostics.filter(({ source, code }) => overlays.includes(source) || OF_LOADING.has(code))
  );
  const diagnostics = withoutRepeatedTargets(found, definitions);
  if (diagnostics.length === 0) return { report: "", isRefused: false };
  const overlays = new Set(definitions.flatMap(({ overlays }) => overlays.map(({ operand }) => operand)));
  const named = [...definitions.map(({ operand }) => operand), ...overlayArguments([...overlays])];
  return {
    report: firstProblems(diagnostics, named, options).map((line) => `${line}\n`).join(""),
    isRefused: diagnostics.some(({ severity }) => severity === "error"),
  };
}

/** The problems of definitions, each with a code frame. */
function problems(unlocated: readonly UnlocatedDiagnostic[], color: boolean): string[] {
  const diagnostics = unlocated.map(atOrigin);
  const sources = [...new Set(diagnostics.map(({ source }) => source))].filter(({ isHidden }) => !isHidden);
  const texts = new Map(sources.map(({ uri, text }) => [uri, text()]));
  const isFar = ({ severity, offset, source: { uri } }: UnlocatedDiagnostic): boolean =>
    severity === "warning" && offset === undefined && (texts.get(uri) ?? "").length > LARGE;
  const [far, near] = partition(diagnostics, isFar);
  const report = textReport(locateDiagnostics(near), { color, nameOf: displayName, textOf: (uri) => texts.get(uri) });
  return [
    ...(report === "" ? [] : report.trimEnd().split("\n")),
    ...far.map(({ severity, code, message, source, pointer }) =>
      oneLine(`${displayName(source.uri)}#${pointer} ${severity} ${code}: ${message}`)
    ),
  ];
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/** The message of how many operations can't be answered, and which flag mocks them; `undefined` if all can be. */
export function unanswered({ count: all, byAnyStatus }: Unanswered, anyStatus: boolean): string | undefined {
  const left = anyStatus ? all - byAnyStatus : all;
  if (left === 0) return undefined;
  const have = left === 1 ? "operation has" : "operations have";
  const flag = anyStatus || byAnyStatus === 0
    ? ""
    : ` --any-status mocks ${byAnyStatus === all ? "" : `${byAnyStatus} of them `}by 2XX, 3xx or default.`;
  return `${left} ${have} no exact 2xx response and will be answered with 501.${flag}`;
}

/** `Watching 2 files.`, and the reason why a definition isn't watched, as lines. */
export function watching(definitions: readonly Definition[], files: number, poll: number | undefined): string[] {
  const overlays = new Set(definitions.flatMap(({ overlays }) => overlays));
  const texts = [
    ...definitions.map(({ operand, document: { uri }, isPipe }) => ({ operand, uri, isPipe })),
    ...[...overlays].map(({ operand, overlay: { uri }, isPipe }) => ({ operand, uri, isPipe })),
  ];
  const unwatched = texts.flatMap(({ operand, uri, isPipe = false }) => {
    if (isPipe) return [`${operand === STDIN ? "Standard input" : operand} can't be watched.`];
    if (!isRemote(uri)) return [];
    return poll === undefined
      ? [`${operand} is not watched; --poll 60 looks at it each minute.`]
      : [`Looking at ${operand} every ${poll} s.`];
  });
  return [...(files === 0 ? [] : [`Watching ${countOf(files, "file")}.`]), ...unwatched];
}

/** `Parsed todo.yaml: Todo 1.0.0, 7 operations, 2 warnings.` */
export function parsed(document: Document, operations: number, warnings: number): string {
  const { title, version } = titleOf(document);
  const name = version === "" ? title : `${title} ${version}`;
  const remarks = warnings === 0 ? "" : `, ${countOf(warnings, "warning")}`;
  return `Parsed ${displayName(document.uri)}: ${name}, ${countOf(operations, "operation")}${remarks}.`;
}

/** `Applied recorded.yaml: 12 actions, 1 warning.` */
export function applied(overlay: string, actions: number, warnings: number): string {
  const remarks = warnings === 0 ? "" : `, ${countOf(warnings, "warning")}`;
  return `Applied ${overlay}: ${countOf(actions, "action")}${remarks}.`;
}

/** `info.title` and `info.version` as texts. An unquoted version such as `1.0` is a number in YAML. */
export function titleOf(document: Document): { title: string; version: string } {
  const info = child(document.root, "info");
  const text = (key: "title" | "version"): string => {
    const { value } = child(info, key);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  };
  return { title: text("title") || "untitled", version: text("version") };
}

/** `Reloaded todo.yaml: 1 operation added, 2 changed.`, and the operations, as lines. */
export function reloaded(names: readonly string[], changes: Changes): string[] {
  const { added, removed, changed } = changes;
  const counts = [[added, "added"], [removed, "removed"], [changed, "changed"]] as const;
  const [first, ...others] = counts.filter(([operations]) => operations.length > 0)
    .map(([operations, verb]) => ({ operations: operations.length, verb }));
  const summary = first === undefined ? "no operation differs" : [
    `${countOf(first.operations, "operation")} ${first.verb}`,
    ...others.map(({ operations, verb }) => `${operations} ${verb}`),
  ].join(", ");
  const lines = [
    ...added.map((operation) => `  + ${operationName(operation)}`),
    ...removed.map((operation) => `  - ${operationName(operation)}`),
    ...changed.map((operation) => `  ~ ${operationName(operation)}`),
  ];
  const listed = lines.length > MOST_LISTED
    ? [...lines.slice(0, MOST_LISTED), `  and ${lines.length - MOST_LISTED} more`]
    : lines;
  return [`Reloaded ${names.join(", ")}: ${summary}.`, ...listed];
}

/** `GET /todos` */
export function operationName({ method, path }: Operation): string {
  return `${method} ${path}`;
}

/** `There is no webhook newPet.`, with the webhooks of the definitions. */
export function noWebhook(name: string, names: readonly string[]): string {
  const [nearest] = suggest(name, names);
  const hint = nearest === undefined ? "" : ` Did you mean ${nearest}?`;
  const more = names.length > MOST_LISTED ? ` and ${names.length - MOST_LISTED} more` : "";
  const there = names.length === 0 ? "It has none" : `It has ${names.slice(0, MOST_LISTED).join(", ")}${more}`;
  return `There is no webhook ${name} in the definition.${hint} ${there}.`;
}

/** `1 file`, `2 files` */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
