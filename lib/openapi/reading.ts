/**
 * The result of reading a text as JSON or YAML, and the limits of texts.
 *
 * @module
 */
import type { Source } from "../schema/source.ts";
import type { UnlocatedDiagnostic } from "./diagnostic.ts";
import type { RuleCode, Severity } from "./rules.ts";

/** Limits of a text, so that a hostile text costs no more time and memory than its size justifies. */
export const LIMITS = {
  /** Size of a text in bytes. */
  bytes: 64 * 1024 * 1024,
  /** Nesting of objects and arrays. */
  depth: 500,
  /** Length of a key, which is a part of each pointer to the values below. */
  key: 10_000,
  /** Values once YAML aliases are expanded: this many, or ten for each character of the text if that is more. */
  values: 1_000_000,
  /** Of a broken text with more characters, only the first syntax error is reported. */
  manyErrors: 1024 * 1024,
  /** The most syntax errors of a text that are reported: later ones are often consequences of the first. */
  syntaxErrors: 10,
} as const;

/** A diagnostic of a text that has no source yet. */
export type TextDiagnostic = Pick<UnlocatedDiagnostic, "code" | "message" | "offset"> & { severity?: Severity };

/** The result of reading a text as JSON or YAML. */
export interface Reading {
  value: unknown;
  isJson?: boolean;
  isShared?: boolean;
  diagnostics: TextDiagnostic[];
  /** Default: the places of a JSON text; the start of a text that isn't JSON. */
  locate?: Source["locate"];
}

/** The result for a text that can't be read. */
export function failure(code: RuleCode, message: string, offset: number): Reading {
  return { value: undefined, diagnostics: [{ code, message, offset }] };
}

/** The message about a text that is nested deeper than its limit. */
export function tooDeep(): string {
  return `Objects and arrays are nested more than ${LIMITS.depth} deep.`;
}

/** The message of a parser as a sentence. */
export function sentence(remark: string): string {
  const text = remark.trim();
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
