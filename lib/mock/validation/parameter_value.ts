import type { Operation } from "../../openapi/operation.ts";
import type { Parameter } from "../../openapi/parameter.ts";
import { fromJson } from "../../wire/json.ts";
import { describeParameter, formsOf } from "./parameter.ts";
import { createParameterReader, type RequestParts } from "../../wire/parameter_reader.ts";
import { toValue } from "../../wire/text_value.ts";

/** Reads the value that a parameter has in a request; `undefined` where it has none, or can't be read. */
export type ParameterValueReader = (parts: RequestParts) => unknown;

/**
 * Makes the reader of a parameter's value, of the types that its schema wants.
 *
 * @param siblings All parameters of the operation.
 */
export function createParameterValueReader(
  operation: Operation,
  parameter: Parameter,
  siblings: readonly Parameter[],
): ParameterValueReader {
  const named = describeParameter(operation, parameter, { formats: {}, siblings });
  const read = createParameterReader(operation, parameter, named);
  const forms = parameter.content === undefined ? formsOf(named.hints, parameter) : ["scalar" as const];
  return (parts) => {
    for (const form of forms) {
      const reading = read?.(parts, form);
      if (reading?.kind === "value") return reading.value;
      if (reading?.kind !== "text") continue;
      if (parameter.content === undefined) return toValue(reading.text, named.hints);
      const decoded = fromJson(String(reading.text));
      return decoded.kind === "value" ? decoded.value : undefined;
    }
    return undefined;
  };
}
