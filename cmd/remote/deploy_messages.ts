/**
 * The messages of `gw deploy` about a response. Problems in it get the files and lines of the definition.
 *
 * @module
 */
import type { Bundle } from "../../lib/openapi/bundle.ts";
import { type Diagnostic, locateDiagnostics } from "../../lib/openapi/diagnostic.ts";
import { placeInJson } from "../../lib/openapi/text/json_text.ts";
import { isObject } from "../../lib/schema/json/node.ts";
import { offsetOf, type Position } from "../../lib/openapi/text/position.ts";
import { checkDocument } from "../../lib/openapi/lint/lint.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { validateDocument } from "../../lib/mock/lint/validate_document.ts";
import { readLevel } from "../../lib/openapi/extension/extension.ts";
import { createYamlPlaceIndex } from "../../lib/openapi/text/yaml_text.ts";
import { type Definition, textIn } from "../io/files/definition.ts";
import { displayName } from "../io/files/location.ts";
import type { ClientReply } from "../io/gateway/management_client.ts";
import { oneLine } from "../../lib/http/one_line.ts";
import { MOST_SHOWN, textReport, validateCommand } from "../io/terminal/report.ts";
import { errorMessageOf } from "./server.ts";

/** The definition that a request deployed. */
export interface Sent {
  definition: Definition;
  /** The definition and the texts that it refers to, as one text; `undefined` if the definition's own text was sent. */
  bundled: Bundle | undefined;
}

/** A problem from a response, at its position in the text that was sent. */
export interface DeployProblem extends Position, Pick<Diagnostic, "severity" | "code" | "message"> {}

/** Explains why a definition was refused: each problem, with a code frame if it has a position. */
export async function refusalMessage(reply: ClientReply, sent: Sent, color: boolean): Promise<string> {
  const { definition: { document } } = sent;
  const errors = isObject(reply.body) ? reply.body["errors"] : undefined;
  const problems = Array.isArray(errors) ? errors.flatMap(readError) : [];
  if (problems.length === 0) return `${oneLine(errorMessageOf(reply))}\n`;
  const more = problems.length - MOST_SHOWN;
  const isIncomplete = document.named.size > 0 && document.sources.size > 1;
  return [
    await report(problems.slice(0, MOST_SHOWN), sent, color),
    more <= 0 ? "" : await describeHidden(problems.slice(MOST_SHOWN), sent),
    isIncomplete ? NOT_SENT_ALONG : "",
  ].join("");
}

/** Says how many problems aren't shown, and names `gw validate` if it shows some of them. */
async function describeHidden(hidden: readonly DeployProblem[], sent: Sent): Promise<string> {
  const { definition: { operand, document } } = sent;
  const known = new Set((await validateDocument(document)).map(keyOf));
  const isFound = placed(hidden, sent).some((problem) => known.has(keyOf(problem)));
  return isFound
    ? `and ${hidden.length} more; ${validateCommand([operand])} shows all that don't concern the gateway.\n`
    : `and ${hidden.length} more, which only the gateway finds.\n`;
}

const NOT_SENT_ALONG =
  "The other texts of this definition were not sent along, as schemas in them have names of their " +
  "own ($id, $anchor). Make one text of them first.\n";

/** Formats the warnings of an accepted deployment, with a code frame where a warning has line and column. */
export async function explainWarnings({ warnings }: ClientReply, sent: Sent, color: boolean): Promise<string> {
  const read = warnings.map(readWarning);
  return [
    await report(read.filter((warning) => typeof warning !== "string"), sent, color),
    ...read.filter((warning) => typeof warning === "string").map((warning) => `! ${oneLine(warning)}\n`),
  ].join("");
}

/** Parses a warning of a deployment, which may begin with its position: `3:9: Message.` */
export function readWarning(warning: string): DeployProblem | string {
  const [, line, column, message] = /^(\d+):(\d+): (.*)$/s.exec(warning) ?? [];
  if (message === undefined) return warning;
  return { severity: "warning", code: "deployment-warning", message, line: Number(line), column: Number(column) };
}

/** `Served at http://127.0.0.1:8080/v1`; empty if the server doesn't know the address of the fleet. */
export function servedAt({ servedAt }: ClientReply, document: Document): string {
  if (servedAt.length === 0) return "";
  const { path, hosts = ["*"] } = readLevel(document, document.root, "root").settings;
  return `${oneLine(`Served at ${describePlace({ urls: servedAt, hosts, prefixes: [path?.prefix ?? "/"] })}`)}\n`;
}

/** Where requests for an API are answered. */
export interface ProblemPlace {
  readonly urls: readonly string[];
  readonly hosts: readonly string[];
  readonly prefixes: readonly string[];
}

/** `http://127.0.0.1:8080/v1`, or `http://127.0.0.1:8080 for the host api.example.com`. */
export function describePlace({ urls, hosts, prefixes }: ProblemPlace): string {
  const paths = prefixes.map((prefix) => prefix.replace(/\/$/, ""));
  const places = urls.length === 0
    ? paths.map((path) => path || "/")
    : urls.flatMap((url) => paths.map((path) => url + path));
  const forHosts = hosts.includes("*") ? "" : ` for the host ${hosts.join(" or ")}`;
  return `${places.join(" and ")}${forHosts}`;
}

function readError(error: unknown): DeployProblem[] {
  if (!isObject(error)) return [];
  const { detail, line, column } = error;
  if (typeof detail !== "string" || typeof line !== "number" || typeof column !== "number") return [];
  return [{ severity: "error", code: "deployment-error", message: detail, line, column }];
}

async function report(problems: readonly DeployProblem[], sent: Sent, color: boolean): Promise<string> {
  if (problems.length === 0) return "";
  const { definition: { document } } = sent;
  const broken = await brokenReferences(sent);
  const diagnostics = placed(problems, sent)
    .map((problem) => ({ ...problem, message: broken.get(keyOf(problem)) ?? problem.message }));
  return textReport(diagnostics, { color, nameOf: displayName, textOf: (uri) => textIn(document, uri) });
}

/** Locates problems of the text that was sent in the files that it was made of. */
function placed(
  problems: readonly DeployProblem[],
  { definition: { document: { uri } }, bundled }: Sent,
): Diagnostic[] {
  return bundled === undefined
    ? problems.map((problem) => ({ ...problem, uri, pointer: "" }))
    : atOrigins(bundled, problems);
}

/** Locates problems of a bundled text in the files that it was bundled from. */
export function atOrigins({ text, isJson, originOf }: Bundle, problems: readonly DeployProblem[]): Diagnostic[] {
  const placeAt = isJson ? (offset: number) => placeInJson(text, offset) : createYamlPlaceIndex(text);
  return locateDiagnostics(problems.map(({ line, column, ...problem }) => {
    const { pointer, atKey = false } = placeAt(offsetOf(text, { line, column }));
    return { ...problem, ...originOf(pointer), atKey };
  }));
}

/**
 * The messages of references that couldn't be resolved, by position. They name the cause, such as a missing file. The
 * server's messages can't: references are resolved on this machine, before the definition is sent.
 */
async function brokenReferences({ definition: { document } }: Sent): Promise<ReadonlyMap<string, string>> {
  if (document.missing.length === 0) return new Map();
  const { diagnostics } = await checkDocument(document, {
    exampleWork: { steps: 0, explained: 0, reported: 0 },
  });
  const broken = locateDiagnostics(diagnostics.filter(({ code }) => code === "broken-reference"));
  return new Map(broken.map((diagnostic) => [keyOf(diagnostic), diagnostic.message]));
}

function keyOf({ uri, line, column }: Position & { uri: string }): string {
  return `${uri}:${line}:${column}`;
}
