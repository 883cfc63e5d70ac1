/**
 * Replaces the secrets in the text of a body, by the format that its media type has.
 *
 * @module
 */
import { CORE_SCHEMA, dump, load } from "js-yaml";
import { type MediaType, parseMediaType, parseParameters } from "../../http/media_type.ts";
import { type Format, formatOf } from "../../wire/format.ts";
import { redactMarkup } from "./redact_markup.ts";
import { REDACTED } from "./redacted.ts";
import type { Redactor } from "./redactor.ts";
import { redactForm } from "./redact_url.ts";
import { isSecretName } from "./secret_name.ts";

/** How many levels of multipart bodies within parts of others are read; a deeper one is searched as plain text. */
const MOST_LEVELS = 3;
/** A place where YAML may have an alias. */
const ALIAS = /(?:^|[\s,[{])\*\S/;

/** Replaces the secrets in the text of a body. A text without secrets is returned unchanged. */
export function redactBody(text: string, mediaType: MediaType, redactor: Redactor, level = 0): string {
  return redactor.text(byFormat(text, mediaType, redactor, level));
}

function byFormat(text: string, mediaType: MediaType, redactor: Redactor, level: number): string {
  const format: Format = formatOf(mediaType);
  switch (format) {
    case "json":
      return redactJson(text, redactor);
    case "json-lines":
      return text.split("\n").map((line) => redactJson(line, redactor)).join("\n");
    case "json-seq":
      return text.split("\x1e").map((record) => redactJson(record, redactor)).join("\x1e");
    case "event-stream":
      return text.replace(/^(data: ?)(.*)$/gm, (_, field: string, data: string) => field + redactJson(data, redactor));
    case "form":
      return redactForm(text, { redactor });
    case "multipart":
      return redactMultipart(text, mediaType, redactor, level);
    case "csv":
      return redactTable(text, mediaType.subtype === "tab-separated-values" ? "\t" : ",", redactor);
    case "xml":
    case "html":
      return redactMarkup(text, (part) => String(redactor.value(part).value));
    case "yaml":
      return redactYaml(redactor.text(text), redactor);
    case "binary":
    case "text":
      return /^\s*</.test(text) ? redactMarkup(text, (part) => String(redactor.value(part).value)) : text;
  }
}

/** Replaces the secrets in a JSON text; any other text is returned unchanged. */
function redactJson(text: string, redactor: Redactor): string {
  if (text.trim() === "") return text;
  try {
    const { value, paths } = redactor.value(JSON.parse(text));
    // Without secrets the text isn't serialised anew, which would lose its spaces.
    if (paths.length === 0) return text;
    const [, before = "", after = ""] = /^(\s*)[^]*?(\s*)$/.exec(text.length > 100_000 ? "" : text) ?? [];
    return `${before}${JSON.stringify(value)}${after}`;
  } catch {
    return text;
  }
}

/** Replaces the secrets in YAML that stand on other lines than their names. Only then the text is written anew. */
function redactYaml(text: string, redactor: Redactor): string {
  // Aliases may repeat a value without end.
  if (ALIAS.test(text)) return text;
  try {
    const { value, paths } = redactor.value(load(text, { schema: CORE_SCHEMA }));
    return paths.length === 0 ? text : dump(value, { lineWidth: -1, noRefs: true });
  } catch {
    return text;
  }
}

function redactMultipart(text: string, mediaType: MediaType, redactor: Redactor, level: number): string {
  const boundary = mediaType.parameters.get("boundary") ?? /^--(\S+)/.exec(text)?.[1];
  if (boundary === undefined || level >= MOST_LEVELS) return text;
  return text.split(`--${boundary}`).map((part) => redactPart(part, redactor, level)).join(`--${boundary}`);
}

function redactPart(part: string, redactor: Redactor, level: number): string {
  const blank = /\r?\n\r?\n/.exec(part);
  if (blank === null) return part;
  const [head, body] = [part.slice(0, blank.index), part.slice(blank.index + blank[0].length)];
  const headers = new Map(
    head.split(/\r?\n/).map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const name = parseParameters(headers.get("content-disposition") ?? "").get("name") ?? "";
  const end = /\r?\n$/.exec(body)?.[0] ?? "";
  const content = body.slice(0, body.length - end.length);
  const inner = parseMediaType(headers.get("content-type") ?? "text/plain");
  const redacted = isSecretName(name)
    ? REDACTED
    : inner === undefined
    ? content
    : redactBody(content, inner, redactor, level + 1);
  return `${head}${blank[0]}${redacted}${end}`;
}

/**
 * Replaces the secrets in a table: the cells of columns whose names are those of secrets, and secrets in other cells.
 */
function redactTable(text: string, separator: string, redactor: Redactor): string {
  const lines = text.split("\n");
  const secret = splitRow(lines[0] ?? "", separator).map((name) => isSecretName(unquote(name)));
  return lines.map((line, row) => {
    if (line.trim() === "") return line;
    const cells = splitRow(line.replace(/\r$/, ""), separator).map((cell, column) => {
      if (row > 0 && secret[column] === true && cell !== "") return REDACTED;
      const { value, paths } = redactor.value(unquote(cell));
      return paths.length === 0 ? cell : quote(String(value), separator);
    });
    return cells.join(separator) + (line.endsWith("\r") ? "\r" : "");
  }).join("\n");
}

/** The cells of a row, with their quotes. */
function splitRow(row: string, separator: string): string[] {
  const cells: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < row.length; at++) {
    if (row[at] === '"') isQuoted = !isQuoted;
    if (row[at] !== separator || isQuoted) continue;
    cells.push(row.slice(start, at));
    start = at + 1;
  }
  return [...cells, row.slice(start)];
}

function unquote(cell: string): string {
  const text = cell.trim();
  return text.startsWith('"') ? text.replace(/^"|"$/g, "").replaceAll('""', '"') : text;
}

function quote(cell: string, separator: string): string {
  return cell.includes(separator) || cell.includes('"') ? `"${cell.replaceAll('"', '""')}"` : cell;
}
