/**
 * Redacts the secrets in a body, according to its media type.
 *
 * @module
 */
import { dump, loadAll } from "js-yaml";
import { EXACT_CORE_SCHEMA, EXACT_DUMP_SCHEMA } from "../../openapi/text/exact_yaml.ts";
import { latin1Text } from "../../http/latin1.ts";
import { type MediaType, parseMediaType, parseParameters } from "../../http/media_type.ts";
import { formatOf, type WireFormat } from "../../wire/format.ts";
import { redactMarkup } from "./redact_markup.ts";
import { isNameProperty, isValueProperty } from "./named_value.ts";
import { REDACTED } from "./redacted.ts";
import type { Redactor } from "./redactor.ts";
import { isSecretName } from "../../names/secret_names.ts";
import { readJsonText, writeJson } from "../../schema/json/json.ts";

/** The most levels of nested multipart bodies that are parsed. Deeper levels are searched as plain text. */
const MOST_LEVELS = 3;
/** Matches text that may be an alias in YAML: `*name`. */
const ALIAS = /(?:^|[\s,[{])\*\S/;

/** Redacts the secrets in the text of a body. A text without secrets is returned unchanged. */
export function redactBody(text: string, mediaType: MediaType, redactor: Redactor, level = 0): string {
  return redactor.text(byFormat(text, mediaType, redactor, level));
}

/**
 * Redacts the secrets in bytes that are no text, such as messages of gRPC: those that are known or have the form of a
 * secret. The bytes of a secret are replaced by as many others.
 */
export function redactBytes(bytes: Uint8Array, redactor: Redactor): Uint8Array {
  const redacted = Uint8Array.from(bytes);
  for (const { index: start, 0: run } of latin1Text(bytes).matchAll(VISIBLE)) {
    if (redactor.text(run) === run) continue;
    for (let at = 0; at < run.length; at++) redacted[start + at] = REDACTED.charCodeAt(at % REDACTED.length);
  }
  return redacted;
}

/** Matches visible characters in bytes. Fewer than six are no secret. */
const VISIBLE = /[ -~]{6,}/g;

function byFormat(text: string, mediaType: MediaType, redactor: Redactor, level: number): string {
  const format: WireFormat = formatOf(mediaType);
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
      return redactor.form(text);
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

/** Redacts the secrets in a JSON text. A text that isn't JSON is returned unchanged. */
function redactJson(text: string, redactor: Redactor): string {
  if (text.trim() === "") return text;
  try {
    const { value, paths } = redactor.value(readJsonText(text));
    // Without secrets, return the text as written: serialising it anew would change its white space.
    if (paths.length === 0) return text;
    const [, before = "", after = ""] = /^(\s*)[^]*?(\s*)$/.exec(text.length > 100_000 ? "" : text) ?? [];
    return `${before}${writeJson(value)}${after}`;
  } catch {
    return text;
  }
}

/**
 * Redacts the secrets in YAML that the search in plain text doesn't find, because they are on other lines than their
 * names.
 */
function redactYaml(text: string, redactor: Redactor): string {
  // Don't expand aliases: a small text may expand to gigabytes.
  if (ALIAS.test(text)) return text;
  try {
    const documents: unknown[] = loadAll(text, { schema: EXACT_CORE_SCHEMA });
    const redacted = documents.map((document) => redactor.value(document));
    if (redacted.every(({ paths }) => paths.length === 0)) return text;
    return redacted.map(({ value }) => dump(value, { lineWidth: -1, noRefs: true, schema: EXACT_DUMP_SCHEMA })).join(
      "---\n",
    );
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

/** Redacts the secrets in CSV: all cells in columns with the name of a secret, and secrets in other cells. */
function redactTable(text: string, separator: string, redactor: Redactor): string {
  const lines = text.split("\n");
  const head = splitRow(lines[0] ?? "", separator).map(unquote);
  const secret = head.map((name) => isSecretName(name));
  const names = head.findIndex(isNameProperty);
  return lines.map((line, row) => {
    if (line.trim() === "") return line;
    const written = splitRow(line.replace(/\r$/, ""), separator);
    const isNamed = row > 0 && isSecretName(unquote(written[names] ?? ""));
    const cells = written.map((cell, column) => {
      const isSecret = secret[column] === true || (isNamed && isValueProperty(head[column] ?? ""));
      if (row > 0 && isSecret && cell !== "") return REDACTED;
      const { value, paths } = redactor.value(unquote(cell));
      return paths.length === 0 ? cell : quote(String(value), separator);
    });
    return cells.join(separator) + (line.endsWith("\r") ? "\r" : "");
  }).join("\n");
}

/** The cells of a row, as written: a quoted cell keeps its quotes. */
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
