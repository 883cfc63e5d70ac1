import { createLineIndex } from "./position.ts";
import type { RuleCode, Severities, Severity } from "./rules.ts";
import type { Source } from "../schema/source.ts";

/** Something wrong with a definition, and where. */
export interface Diagnostic {
  /** `error`: a deployment refuses it; `warning`: it is allowed. */
  severity: Severity;
  /** Kind of problem, in kebab-case: `duplicate-operation`, `unknown-extension-key`, … */
  code: RuleCode;
  /** A sentence for a person: what is wrong and what to do. */
  message: string;
  /** URI of the text that the problem is in. */
  uri: string;
  /** JSON Pointer (RFC 6901) of the value that the problem is in. */
  pointer: string;
  /** Line in the text, from 1. */
  line: number;
  /** Column in the line, in UTF-16 code units, from 1. */
  column: number;
}

/**
 * A diagnostic without line and column. Its place is a source and a pointer, since finding lines and columns costs a
 * pass over the text.
 */
export interface UnlocatedDiagnostic extends Pick<Diagnostic, "severity" | "code" | "message" | "pointer"> {
  /** The text that the problem is in. */
  source: Source;
  /** Whether the problem is the key at `pointer` rather than its value. */
  atKey?: boolean;
  /** Offset in the text, in UTF-16 code units, of a problem that no pointer leads to, such as a syntax error. */
  offset?: number;
}

/**
 * Looks up the lines and columns of diagnostics, and sorts them by text, line and column. Costs a pass over each text
 * that has diagnostics, so call it only to show them.
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
        return { severity, code, message, uri: source.uri, pointer, ...position(offset) };
      });
  });
}

/** The diagnostic at the place where its value was written: in an overlay, if the value comes from there. */
export function atOrigin(diagnostic: UnlocatedDiagnostic): UnlocatedDiagnostic {
  const { source: { originOf }, offset } = diagnostic;
  return originOf === undefined || offset !== undefined ? diagnostic : { ...diagnostic, ...originOf(diagnostic) };
}

/** Sets the severities of diagnostics to those chosen for their rules, and leaves out those of rules that are off. */
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
