/**
 * The result of parsing a text as JSON or YAML, and limits for such texts.
 *
 * @module
 */
import type { Source } from "../schema/json/source.ts";
import type { UnlocatedDiagnostic } from "./diagnostic.ts";
import type { RuleCode, Severity } from "./rules.ts";

/** Limits of a text. Without them, a small hostile text could take much time and memory. */
export const LIMITS = {
  /** Size of a text, in bytes. */
  bytes: 64 * 1024 * 1024,
  /** Number of a definition's texts: itself, overlays, and what they refer to. */
  texts: 10_000,
  /** Size of these texts together, in bytes. */
  allBytes: 256 * 1024 * 1024,
  /** Nesting of objects and arrays. */
  depth: 500,
  /** Length of a key, in UTF-16 code units. A key is repeated in the JSON Pointer of every value below it. */
  key: 10_000,
  /** Number of values after YAML aliases are expanded; ten for each character of the text, if that is more. */
  values: 1_000_000,
  /** Characters of a text for which all syntax errors are found. For a longer text only the first one is reported. */
  manyErrors: 1024 * 1024,
  /** Syntax errors that are reported for one text. Further ones are often consequences of the first. */
  syntaxErrors: 10,
} as const;

/** A diagnostic of a text for which no `Source` exists yet. */
export type TextDiagnostic = Pick<UnlocatedDiagnostic, "code" | "message" | "offset"> & { severity?: Severity };

/** The result of parsing a text as JSON or YAML. */
export interface Reading {
  value: unknown;
  isJson?: boolean;
  isShared?: boolean;
  diagnostics: TextDiagnostic[];
  /** Finds the offsets of places. Default: in a JSON text, the offsets of the values; in another text, its start. */
  locate?: Source["locate"];
}

/** The result for a text that can't be parsed. */
export function failure(code: RuleCode, message: string, offset: number): Reading {
  return { value: undefined, diagnostics: [{ code, message, offset }] };
}

export function tooDeep(): string {
  return `Objects and arrays are nested more than ${LIMITS.depth} deep.`;
}

/** Makes a sentence of a parser's message. */
export function sentence(remark: string): string {
  const text = remark.trim();
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
