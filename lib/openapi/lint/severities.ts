import type { RuleCode, Severity } from "../rules.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";

/** How bad kinds of problems are, where it isn't what gw thinks; `off` leaves them out. */
export type Severities = Readonly<Partial<Record<RuleCode, Severity | "off">>>;

/** Gives problems the severities that their kinds are set to, and leaves out those that are off. */
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
