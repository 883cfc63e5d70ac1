import { listParameters } from "../../../openapi/parameter.ts";
import { readHints } from "../../../schema/hints.ts";
import type { JsonObject } from "../../../schema/json/node.ts";
import { splitRequest } from "../../../wire/parameter_reader.ts";
import type { ValueFormats } from "../../../wire/value_format.ts";
import type { Binding } from "../../infer/resource.ts";
import { createParameterValueReader } from "../../validation/parameter.ts";
import type { StateRequest } from "../state_request.ts";

/** Reads the fields of an item from query parameters: `POST /projects?name=Blue`. */
export type QueryFields = (request: Pick<StateRequest, "headers" | "path" | "query" | "pathParameters">) => JsonObject;

const QUERY: ReadonlySet<"query"> = new Set(["query"]);
const NONE: QueryFields = () => ({});

/**
 * Finds the query parameters that set fields of the item, for operations that change an item without a request body.
 */
export function queryFieldsOf(binding: Binding, formats: ValueFormats): QueryFields {
  const { operation, resource, kind, requestEnvelope } = binding;
  const changes = kind !== "list" && kind !== "count" && kind !== "read" && kind !== "delete";
  if (!changes || requestEnvelope !== undefined) return NONE;
  const { propertyNames } = readHints(resource.document, resource.schema, "response");
  const parameters = listParameters(operation);
  const readers = parameters.flatMap((parameter) =>
    parameter.in === "query" && propertyNames.has(parameter.name)
      ? [{ name: parameter.name, read: createParameterValueReader(operation, parameter, parameters, formats) }]
      : []
  );
  if (readers.length === 0) return NONE;
  return ({ headers, path, query, pathParameters }) => {
    const parts = splitRequest(headers, { path, query, pathParameters }, QUERY);
    const fields = readers.map(({ name, read }): [string, unknown] => [name, read(parts)]);
    return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
  };
}
