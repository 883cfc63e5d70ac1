/** What Ajv says of one keyword, with all errors and in verbose mode. */
export interface SchemaError {
  keyword: string;
  /** Where in the value, as a JSON Pointer. */
  instancePath: string;
  /** Where in the schema. */
  schemaPath: string;
  params: Readonly<Record<string, unknown>>;
  /** The keyword's value. */
  schema?: unknown;
  /** The schema that the keyword is in. */
  parentSchema?: unknown;
  /** The value that breaks it. */
  data?: unknown;
  /** The name that breaks it, where names are judged. */
  propertyName?: string;
}

/** A choice between schemas (`oneOf`, `anyOf`), of which the value fits none that is nearer than others. */
export interface Choice extends SchemaError {
  /** The errors of its branches, the nearest first. */
  branches: readonly (readonly SchemaError[])[];
}

/**
 * Leaves out errors that follow from others: of a choice between schemas all but those of the branch that was meant, and
 * whatever else a value of the wrong type breaks.
 */
export function essentialErrors(errors: readonly SchemaError[]): (SchemaError | Choice)[] {
  const chosen = chooseBranches(errors);
  const mistyped = new Set(chosen.filter(({ keyword }) => keyword === "type").map(({ instancePath }) => instancePath));
  return chosen.filter(({ keyword, instancePath }) => keyword === "type" || !mistyped.has(instancePath));
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
    ({ schemaPath }) => schemaPath.slice(choice.schemaPath.length + 1).split("/", 1)[0],
  );
  const branches = [...byBranch.values()].map(chooseBranches)
    .sort((a, b) => remoteness(a, choice) - remoteness(b, choice));
  const [nearest] = branches;
  // Fields of which one is needed, or types of which one would do, are better told together.
  const isOneQuestion = ["required", "type"].some((keyword) =>
    branches.every((branch) => branch.length === 1 && branch[0]?.keyword === keyword)
  );
  return nearest === undefined || (branches.length > 1 && isOneQuestion) ? [{ ...choice, branches }] : nearest;
}

/** How far a value is from a branch: that of another type is farthest, then one with other fields, then another form. */
function remoteness(branch: readonly SchemaError[], { instancePath }: SchemaError): number {
  const hasHere = (keyword: string): boolean =>
    branch.some((error) => error.keyword === keyword && error.instancePath === instancePath);
  const hasForm = branch.some(({ keyword }) => keyword === "pattern");
  return (hasHere("type") ? 10_000 : 0) + (hasHere("required") ? 100 : 0) + (hasForm ? 10 : 0) + branch.length;
}

/** Whether an error is of a branch of a choice, for the same value. */
function isUnder(error: SchemaError, choice: SchemaError): boolean {
  return error.schemaPath.startsWith(`${choice.schemaPath}/`) &&
    (error.instancePath === choice.instancePath || error.instancePath.startsWith(`${choice.instancePath}/`));
}
