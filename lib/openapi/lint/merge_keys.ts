import { mergeKeysIn } from "../text/yaml_text.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import type { Source } from "../../schema/json/source.ts";

/** Limit of the merge keys that are reported for a text. */
const MOST_KEYS = 100;

/**
 * Finds the merge keys `<<` of a YAML text. They belong to YAML 1.1: a parser of YAML 1.2 reads a key named `<<`, such
 * as a response of this status.
 */
export function checkMergeKeys(source: Source): UnlocatedDiagnostic[] {
  if (source.isJson || source.value === undefined) return [];
  const text = source.text();
  if (!text.includes("<<")) return [];
  const message =
    "YAML 1.2, which OpenAPI is written in, has no merge keys: some parsers read a key named `<<` here. " +
    "Write the keys out, or refer by `$ref`.";
  return mergeKeysIn(text).slice(0, MOST_KEYS).map((offset) => {
    return { severity: "warning", code: "merge-key", message, source, pointer: "", offset };
  });
}
