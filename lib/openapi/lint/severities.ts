import type { RuleCode, Severity } from "../rules.ts";
import type { Finding } from "../source.ts";

/** How bad kinds of problems are, where it isn't what gw thinks; `off` leaves them out. */
export type Severities = Readonly<Partial<Record<RuleCode, Severity | "off">>>;

/** Gives problems the severities that their kinds are set to, and leaves out those that are off. */
export function withSeverities(findings: readonly Finding[], severities: Severities): readonly Finding[] {
  if (Object.keys(severities).length === 0) return findings;
  return findings.flatMap((finding) => {
    const severity = severities[finding.code] ?? finding.severity;
    if (severity === "off") return [];
    return severity === finding.severity ? [finding] : [{ ...finding, severity }];
  });
}
