import { valueAt } from "../component_uses.ts";
import type { JsonObject } from "../../schema/node.ts";
import { formatPointer, parsePointer } from "../../schema/pointer.ts";
import type { Violation } from "../../schema/violation.ts";

/** A violation, with the parts of the value and of the schema that it is about. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer in the value. */
  readonly pointer: string;
  /** JSON Pointer of the keyword in the schemas. */
  readonly schemaPointer: string;
  /** The keyword's value: the values of an `enum`, the schemas of a `oneOf`. */
  readonly wanted: unknown;
  /** The schema that contains the keyword. */
  readonly schema: unknown;
  /** The value that breaks the keyword. */
  readonly value: unknown;
  /** The property that is missing, unknown or badly named. */
  readonly property: string | undefined;
}

/** Looks up the parts of a value and of its schema that violations are about. */
export function toSchemaErrors(
  violations: readonly Violation[],
  schemas: JsonObject,
  value: unknown,
): SchemaError[] {
  return violations.map(({ keyword, path, schema: schemaPointer, property }) => {
    const pointer = formatPointer(path);
    const wanted = valueAt(schemas, schemaPointer);
    return {
      keyword: wanted === false && keyword === "not" ? "false schema" : keyword,
      pointer,
      schemaPointer,
      wanted,
      schema: valueAt(schemas, formatPointer(parsePointer(schemaPointer).slice(0, -1))),
      value: valueAt(value, pointer),
      property,
    };
  });
}

/**
 * The violation of a `oneOf` or `anyOf` whose branches are explained together, as none is nearer to the value than the
 * others.
 */
export interface Choice extends SchemaError {
  /** The errors of each branch of a `oneOf` or `anyOf`, beginning with the branch nearest to the value. */
  branches: readonly (readonly SchemaError[])[];
}

/**
 * Leaves out errors that follow from other errors. Of a failed `oneOf` or `anyOf`, only the errors of the branch
 * nearest to the value remain. Of a value with the wrong type, only the error of `type` remains.
 */
export function essentialErrors(errors: readonly SchemaError[]): (SchemaError | Choice)[] {
  const chosen = chooseBranches(errors);
  const mistyped = new Set(chosen.filter(({ keyword }) => keyword === "type").map(({ pointer }) => pointer));
  return chosen.filter(({ keyword, pointer }) => keyword === "type" || !mistyped.has(pointer));
}

function chooseBranches(errors: readonly SchemaError[]): (SchemaError | Choice)[] {
  const choices = errors.filter(({ keyword }) => keyword === "oneOf" || keyword === "anyOf");
  const outermost = choices.filter((error) => !choices.some((other) => isUnder(error, other)));
  const others = errors.filter((error) => !outermost.some((choice) => error === choice || isUnder(error, choice)));
  return [...others, ...outermost.flatMap((choice) => chooseBranch(choice, errors))];
}

function chooseBranch(choice: SchemaError, errors: readonly SchemaError[]): (SchemaError | Choice)[] {
  const byBranch = Map.groupBy(
    errors.filter((error) => isUnder(error, choice)),
    ({ schemaPointer }) => schemaPointer.slice(choice.schemaPointer.length + 1).split("/", 1)[0],
  );
  const branches = [...byBranch.values()].map(chooseBranches)
    .sort((a, b) => remoteness(a, choice) - remoteness(b, choice));
  const [nearest] = branches;
  // Alternative required fields, and alternative types, are explained together.
  const isOneQuestion = ["required", "type"].some((keyword) =>
    branches.every((branch) => branch.length === 1 && branch[0]?.keyword === keyword)
  );
  return nearest === undefined || (branches.length > 1 && isOneQuestion) ? [{ ...choice, branches }] : nearest;
}

/** The distance of a value from a branch: greatest for another type, then for missing fields, then for another pattern. */
function remoteness(branch: readonly SchemaError[], { pointer }: SchemaError): number {
  const hasHere = (keyword: string): boolean =>
    branch.some((error) => error.keyword === keyword && error.pointer === pointer);
  const hasForm = branch.some(({ keyword }) => keyword === "pattern");
  return (hasHere("type") ? 10_000 : 0) + (hasHere("required") ? 100 : 0) + (hasForm ? 10 : 0) + branch.length;
}

/**
 * Whether an error comes from a branch of the `oneOf` or `anyOf` whose violation is `choice`, for the same value or a
 * part of it.
 */
function isUnder(error: SchemaError, choice: SchemaError): boolean {
  return error.schemaPointer.startsWith(`${choice.schemaPointer}/`) &&
    (error.pointer === choice.pointer || error.pointer.startsWith(`${choice.pointer}/`));
}
