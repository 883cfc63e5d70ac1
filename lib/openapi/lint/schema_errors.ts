import type { JsonObject } from "../../schema/json/node.ts";
import { formatPointer, parsePointer, valueAt } from "../../schema/json/pointer.ts";
import type { Violation } from "../../schema/violation.ts";

/** A violation of an OpenAPI schema, with the parts of the value and of the schema that its message needs. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer of the invalid part, relative to the value. */
  readonly pointer: string;
  /** JSON Pointer of the violated keyword in the file of the OpenAPI schemas. */
  readonly schemaPointer: string;
  /** The value of the violated keyword: the list of an `enum`, or the schemas of a `oneOf`. */
  readonly wanted: unknown;
  readonly schema: unknown;
  /** The invalid part of the value. */
  readonly value: unknown;
  /** The name of the property that is missing, unknown or malformed. */
  readonly property: string | undefined;
}

/** Looks up the parts of a value and of its schema for each violation. */
export function toSchemaErrors(
  violations: readonly Violation[],
  schemas: JsonObject,
  value: unknown,
): SchemaError[] {
  return violations.map(({ keyword, path, schema: schemaPointer, property }) => {
    const pointer = formatPointer(path);
    const wanted = valueAt(schemas, parsePointer(schemaPointer));
    return {
      keyword: wanted === false && keyword === "not" ? "false schema" : keyword,
      pointer,
      schemaPointer,
      wanted,
      schema: valueAt(schemas, parsePointer(schemaPointer).slice(0, -1)),
      value: valueAt(value, parsePointer(pointer)),
      property,
    };
  });
}

/**
 * A violation of a `oneOf` or `anyOf` whose branches are explained in one message, because the branches require
 * different fields or types of the same value.
 */
export interface SchemaChoice extends SchemaError {
  /** The errors of each branch, beginning with the branch that the value comes nearest to. */
  branches: readonly (readonly SchemaError[])[];
}

/**
 * Leaves out errors that are consequences of others. Of a failed `oneOf` or `anyOf`, only the errors of the branch
 * nearest to the value remain. Of a value with the wrong type, only the error of `type` remains.
 */
export function essentialErrors(errors: readonly SchemaError[]): (SchemaError | SchemaChoice)[] {
  const chosen = chooseBranches(errors);
  const mistyped = new Set(chosen.filter(({ keyword }) => keyword === "type").map(({ pointer }) => pointer));
  return chosen.filter(({ keyword, pointer }) => keyword === "type" || !mistyped.has(pointer));
}

function chooseBranches(errors: readonly SchemaError[]): (SchemaError | SchemaChoice)[] {
  const choices = errors.filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf");
  const outermost = choices.filter((error) => !choices.some((other) => isUnder(error, other)));
  const others = errors.filter((error) => !outermost.some((choice) => error === choice || isUnder(error, choice)));
  return [...others, ...outermost.flatMap((choice) => chooseBranch(choice, errors))];
}

function chooseBranch(choice: SchemaError, errors: readonly SchemaError[]): (SchemaError | SchemaChoice)[] {
  const byBranch = Map.groupBy(
    errors.filter((error) => isUnder(error, choice)),
    ({ schemaPointer }) => schemaPointer.slice(choice.schemaPointer.length + 1).split("/", 1)[0],
  );
  const branches = [...byBranch.values()].map(chooseBranches)
    .sort((a, b) => distanceFrom(a, choice) - distanceFrom(b, choice));
  const [nearest] = branches;
  // If each branch only requires another field, or only another type, one message lists the alternatives.
  const isOneMessage = ["required", "type"].some((keyword) =>
    branches.every((branch) => branch.length === 1 && branch[0]?.keyword === keyword)
  );
  return nearest === undefined || (branches.length > 1 && isOneMessage) ? [{ ...choice, branches }] : nearest;
}

/**
 * The distance of a value from a branch. A wrong type weighs more than a missing field, which weighs more than a wrong
 * pattern.
 */
function distanceFrom(branch: readonly SchemaError[], { pointer }: SchemaError): number {
  const hasHere = (keyword: string): boolean =>
    branch.some((error) => error.keyword === keyword && error.pointer === pointer);
  const hasForm = branch.some(({ keyword }) => keyword === "pattern");
  return (hasHere("type") ? 10_000 : 0) + (hasHere("required") ? 100 : 0) + (hasForm ? 10 : 0) + branch.length;
}

/**
 * Whether an error belongs to a branch of the `oneOf` or `anyOf` of `choice`, and is about the same value or a part of
 * it.
 */
function isUnder(error: SchemaError, choice: SchemaError): boolean {
  return error.schemaPointer.startsWith(`${choice.schemaPointer}/`) &&
    (error.pointer === choice.pointer || error.pointer.startsWith(`${choice.pointer}/`));
}
