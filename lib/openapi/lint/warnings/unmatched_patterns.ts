import type { Pattern, ReadPattern } from "../../../regexp/pattern.ts";
import { child, entries, type Node } from "../../../schema/json/node.ts";
import type { UnlocatedDiagnostic } from "../../diagnostic.ts";
import { atKey, warning } from "../report.ts";

/** Finds patterns that can't be matched in little time, in whole or in part. */
export function checkPatterns(schema: Node<"Schema">, readPattern: ReadPattern): UnlocatedDiagnostic[] {
  const pattern = child(schema, "pattern");
  const assumes = typeof pattern.value === "string" ? readPattern(pattern.value)?.assumes : undefined;
  const named = entries(child(schema, "patternProperties")).flatMap(([name, node]) => {
    const assumes = readPattern(name)?.assumes;
    return assumes === undefined ? [] : [atKey(toWarning(assumes, node))];
  });
  return assumes === undefined ? named : [toWarning(assumes, pattern), ...named];
}

function toWarning(assumes: NonNullable<Pattern["assumes"]>, node: Node): UnlocatedDiagnostic {
  const message = assumes === "all"
    ? "This pattern takes too long to match, so gw takes all texts for valid. Shorten it, or nest its groups and " +
      "repetitions less."
    : "The look-behind, word boundaries and back-references of this pattern take too long to match, so gw takes them " +
      "for matched. Write the pattern without them, or repeat fewer of its parts.";
  return warning("unmatched-pattern", message, node);
}
