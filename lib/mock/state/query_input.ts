import { type Hints, readHints } from "../../schema/hints.ts";
import { isObject } from "../../schema/node.ts";
import type { Schema, Type } from "../../schema/schema.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters, type Parameter } from "../../openapi/parameter.ts";
import type { RequestParts } from "../../wire/parameter_reader.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { createParameterValueReader } from "../validation/parameter.ts";

/** A query parameter, or a property of an object in a query parameter, such as `size` of `page[size]`. */
export interface QueryInput {
  /** The name in the query: `limit`, `page[size]`. */
  readonly name: string;
  /** The parts of the name: `page` and `size` for `page[size]`. */
  readonly tokens: readonly string[];
  /** The types that the schema allows; empty for any type. */
  readonly types: ReadonlySet<Type>;
  readonly schemas: readonly Schema[];
  /** The description of the parameter; may be empty. */
  readonly description: string;
  /** Reads the value from a request; `undefined` if it is absent. */
  readonly read: (parts: RequestParts) => unknown;
}

/** Limit of the nesting of properties in a parameter: 2 for `filter[price][gte]`. */
const MOST_DEPTH = 2;
const MOST_INPUTS = 500;

/** Lists the parameters of an operation's query and, for objects, their properties, each with its reader. */
export function listQueryInputs(operation: Operation, formats: ValueFormats): QueryInput[] {
  const parameters = listParameters(operation);
  const inputs: QueryInput[] = [];
  for (const parameter of parameters) {
    if (parameter.in !== "query") continue;
    const { name, schema, content, node } = parameter;
    const hints = readHints(operation.document, content?.schema ?? schema, "request");
    const read = createParameterValueReader(operation, parameter, parameters, formats);
    const description = isObject(node.value) ? String(node.value["description"] ?? "") : "";
    collect(inputs, { name, tokens: tokensOf(name), description, read }, hints, parameter, 0);
  }
  return inputs;
}

function collect(
  inputs: QueryInput[],
  input: Omit<QueryInput, "types" | "schemas">,
  hints: Hints,
  parameter: Parameter,
  depth: number,
): void {
  if (inputs.length >= MOST_INPUTS) return;
  const { types, schemas } = hints;
  inputs.push({ ...input, types, schemas });
  if (!types.has("object") || depth >= MOST_DEPTH) return;
  const isFlat = parameter.style === "form" && parameter.explode && depth === 0;
  for (const property of hints.propertyNames) {
    collect(
      inputs,
      {
        ...input,
        name: isFlat ? property : `${input.name}[${property}]`,
        tokens: isFlat ? tokensOf(property) : [...input.tokens, property],
        read: (parts) => {
          const outer = input.read(parts);
          return isObject(outer) && Object.hasOwn(outer, property) ? outer[property] : undefined;
        },
      },
      hints.property(property),
      parameter,
      depth + 1,
    );
  }
}

/** The parts of a name between brackets and dots: `page` and `size` for `page[size]`. */
function tokensOf(name: string): string[] {
  return name.split(/[[\].]+/).filter((token) => token !== "");
}

export function keywordOf<Keyword extends keyof Schema>(
  { schemas }: Pick<QueryInput, "schemas">,
  keyword: Keyword,
): Schema[Keyword] | undefined {
  return schemas.find((schema) => schema[keyword] !== undefined)?.[keyword];
}

/**
 * The values of `enum` or `const` in the schemas, or in the schemas of an array's elements. `undefined` if there are
 * none.
 */
export function listedValues(schemas: readonly Schema[]): readonly unknown[] | undefined {
  for (const { enum: values, const: only, items } of schemas) {
    if (values !== undefined) return values;
    if (only !== undefined) return [only.value];
    const ofItems = items?.enum;
    if (ofItems !== undefined) return ofItems;
  }
  return undefined;
}
