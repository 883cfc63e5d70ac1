import { oneLine } from "../http/one_line.ts";
import { createLineIndex } from "./text/position.ts";
import type { RuleCode, Severities, Severity } from "./rules.ts";
import type { Source } from "../schema/json/source.ts";

/** A problem of a definition, with its place. */
export interface Diagnostic {
  /** `error`: a deployment refuses the definition. `warning`: it doesn't. */
  severity: Severity;
  /** The code of the problem's rule: `duplicate-operation`, `unknown-extension-key`, … */
  code: RuleCode;
  /** A sentence that says what is wrong and what to do, as one line. */
  message: string;
  /** URI of the text that has the problem. */
  uri: string;
  /** JSON Pointer (RFC 6901) of the value that has the problem. */
  pointer: string;
  /** Line in the text, from 1. */
  line: number;
  /** Column in the line, in UTF-16 code units, from 1. */
  column: number;
}

/**
 * A diagnostic without line and column. Finding these takes a pass over the text, so it is postponed until diagnostics
 * are shown.
 */
export interface UnlocatedDiagnostic extends Pick<Diagnostic, "severity" | "code" | "message" | "pointer"> {
  /** The text that has the problem. */
  source: Source;
  /** Whether the key at `pointer` has the problem, rather than its value. */
  atKey?: boolean;
  /** Offset in UTF-16 code units. Used where no JSON Pointer leads to the problem, as for a syntax error. */
  offset?: number;
}

/**
 * Looks up the lines and columns of diagnostics, and sorts them by text, line and column. This takes a pass over each
 * text that has diagnostics.
 */
export function locateDiagnostics(diagnostics: readonly UnlocatedDiagnostic[]): Diagnostic[] {
  const offsets = new Map<UnlocatedDiagnostic, number>();
  const bySource = Map.groupBy(diagnostics.map(atOrigin), ({ source }) => source);
  for (const [source, found] of bySource) {
    const pointed = found.filter(({ offset }) => offset === undefined);
    const located = pointed.length > 0 ? source.locate(pointed) : [];
    pointed.forEach((diagnostic, index) => offsets.set(diagnostic, located[index] ?? 0));
  }
  return [...bySource].flatMap(([source, found]) => {
    const position = createLineIndex(source.text());
    return found
      .map((diagnostic) => ({ diagnostic, offset: diagnostic.offset ?? offsets.get(diagnostic) ?? 0 }))
      .sort((a, b) => a.offset - b.offset)
      .map(({ diagnostic: { severity, code, message, pointer }, offset }) => {
        return { severity, code, message: oneLine(message), uri: source.uri, pointer, ...position(offset) };
      });
  });
}

/**
 * Moves a diagnostic to the place where its value was written, which is in an overlay if an overlay added the value.
 */
export function atOrigin(diagnostic: UnlocatedDiagnostic): UnlocatedDiagnostic {
  const { source: { originOf }, offset } = diagnostic;
  return originOf === undefined || offset !== undefined ? diagnostic : { ...diagnostic, ...originOf(diagnostic) };
}

/** Applies the severities that a user has set for rules. Leaves out the diagnostics of rules that are `off`. */
export function withSeverities(
  diagnostics: readonly UnlocatedDiagnostic[],
  severities: Severities,
): readonly UnlocatedDiagnostic[] {
  if (Object.keys(severities).length === 0) return diagnostics;
  return diagnostics.flatMap((diagnostic) => {
    const severity = severities[diagnostic.code] ?? diagnostic.severity;
    if (severity === "off") return [];
    return severity === diagnostic.severity ? [diagnostic] : [{ ...diagnostic, severity }];
  });
}
