/**
 * Names of the properties of error bodies.
 *
 * @module
 */
import { plainName } from "./words.ts";

/** What a property of an item in `errors` means. */
export type ErrorMeaning = "message" | "code" | "place" | "part" | "pointer" | "source" | "severity" | "value";

/** For each meaning, the usual names of such properties, in lower case without separators. */
const NAMES: Readonly<Record<ErrorMeaning, readonly string[]>> = {
  message: ["message", "msg", "detail", "description", "reason", "errormessage"],
  code: ["code", "type", "keyword", "rule", "errorcode"],
  place: ["field", "property", "name", "param", "parameter", "path", "key", "loc", "location"],
  part: ["in"],
  pointer: ["pointer", "jsonpointer", "instancepath"],
  source: ["source"],
  severity: ["severity"],
  value: ["input", "value", "received", "given", "actual", "rejectedvalue", "invalidvalue", "inputvalue"],
};

const MEANINGS: ReadonlyMap<string, ErrorMeaning> = new Map(
  (Object.keys(NAMES) as ErrorMeaning[]).flatMap((meaning) =>
    NAMES[meaning].map((name): [string, ErrorMeaning] => [name, meaning])
  ),
);

/** The meaning of a property of an item in a list of errors; `undefined` if its name tells none. */
export function errorMeaningOf(name: string): ErrorMeaning | undefined {
  return MEANINGS.get(plainName(name));
}

/** Names that mean the refused parameter, or its value, also beside other properties of an error. */
const SUBJECTS: ReadonlyMap<string, "place" | "value"> = new Map([
  ...["param", "parameter", "field", "property"].map((name): [string, "place"] => [name, "place"]),
  ...["input", "rejectedvalue", "invalidvalue", "inputvalue"].map((name): [string, "value"] => [name, "value"]),
]);

/** Whether a property of an error is the refused parameter or its value. */
export function subjectRoleOf(name: string): "place" | "value" | undefined {
  return SUBJECTS.get(plainName(name));
}
