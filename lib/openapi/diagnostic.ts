import { createLineIndex } from "./position.ts";
import type { RuleCode, Severity } from "./rules.ts";
import type { Finding } from "./source.ts";

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
 * Gives findings their lines and columns, and sorts them by these, text by text. Costs a pass over each text that a
 * finding is in, so ask when there is somebody to read them.
 */
export function toDiagnostics(findings: readonly Finding[]): Diagnostic[] {
  const offsets = new Map<Finding, number>();
  const bySource = Map.groupBy(findings, (finding) => finding.source);
  for (const [source, found] of bySource) {
    const pointed = found.filter((finding) => finding.offset === undefined);
    const located = pointed.length > 0 ? source.locate(pointed) : [];
    pointed.forEach((finding, index) => offsets.set(finding, located[index] ?? 0));
  }
  return [...bySource].flatMap(([source, found]) => {
    const position = createLineIndex(source.text());
    return found
      .map((finding) => ({ finding, offset: finding.offset ?? offsets.get(finding) ?? 0 }))
      .sort((a, b) => a.offset - b.offset)
      .map(({ finding: { severity, code, message, pointer }, offset }) => {
        return { severity, code, message, uri: source.uri, pointer, ...position(offset) };
      });
  });
}
