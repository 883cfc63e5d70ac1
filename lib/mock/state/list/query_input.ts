import { type Hints, readHints } from "../../../schema/hints.ts";
import { child, entries, isObject, type Node } from "../../../schema/json/node.ts";
import { follow } from "../../../schema/json/reference.ts";
import type { Schema, Type } from "../../../schema/schema.ts";
import type { Operation } from "../../../openapi/operation.ts";
import { listParameters } from "../../../openapi/parameter.ts";
import type { RequestParts } from "../../../wire/parameter_reader.ts";
import type { ValueFormats } from "../../../wire/value_format.ts";
import { createParameterValueReader } from "../../validation/parameter.ts";
import { valueAt } from "../../../schema/json/pointer.ts";

/** The parts of a request that select items: its query and, of a search by POST, its body. */
export interface ListParts extends RequestParts {
  /** The decoded body; `undefined` if there is none. */
  readonly body: unknown;
}

/**
 * A parameter that may select items: a query parameter, a property of the body of a search by POST, or a property of an
 * object in one of them, such as `size` of `page[size]`.
 */
export interface QueryInput {
  /** The name in the request: `limit`, `page[size]`. */
  readonly name: string;
  /** The parts of the name: `page` and `size` for `page[size]`. */
  readonly tokens: readonly string[];
  /** The types that the schema allows; empty for any type. */
  readonly types: ReadonlySet<Type>;
  readonly schemas: readonly Schema[];
  /** The description of the parameter; may be empty. */
  readonly description: string;
  readonly isInBody: boolean;
  /** Reads the value from a request; `undefined` if it is absent. */
  readonly read: (parts: ListParts) => unknown;
}

/** Limit of the nesting of properties in a parameter: 2 for `filter[price][gte]`. */
const MOST_DEPTH = 2;
const MOST_INPUTS = 500;

/**
 * Lists the parameters of an operation's query, the properties of its request body and, for objects, their properties,
 * each with its reader.
 */
export function listInputs(operation: Operation, formats: ValueFormats): QueryInput[] {
  const parameters = listParameters(operation);
  const inputs: QueryInput[] = [];
  for (const parameter of parameters) {
    if (parameter.in !== "query") continue;
    const { name, schema, content, node, style, explode } = parameter;
    const hints = readHints(operation.document, content?.schema ?? schema, "request");
    const read = createParameterValueReader(operation, parameter, parameters, formats);
    const description = isObject(node.value) ? String(node.value["description"] ?? "") : "";
    const isFlat = style === "form" && explode;
    collect(inputs, { name, tokens: tokensOf(name), description, isInBody: false, read }, hints, isFlat, 0);
  }
  const body = bodySchemaOf(operation);
  if (body === undefined) return inputs;
  const hints = readHints(operation.document, body, "request");
  for (const name of hints.propertyNames) {
    const property = hints.property(name);
    const written = property.schemas[0]?.node.value;
    const description = isObject(written) ? String(written["description"] ?? "") : "";
    const read = ({ body }: ListParts): unknown => valueAt(body, [name]) ?? undefined;
    collect(inputs, { name, tokens: tokensOf(name), description, isInBody: true, read }, property, false, 0);
  }
  return inputs;
}

/** The schema of the JSON request body, or of its first media type if none is JSON. */
export function bodySchemaOf({ document, node, method }: Operation): Node<"Schema"> | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  const medias = entries(child(follow(document, child(node, "requestBody")), "content"));
  const [, media] = medias.find(([mediaType]) => /[/+]json\b/i.test(mediaType)) ?? medias[0] ?? [];
  const schema = media && child(follow(document, media), "schema");
  return schema?.value === undefined ? undefined : schema;
}

function collect(
  inputs: QueryInput[],
  input: Omit<QueryInput, "types" | "schemas">,
  hints: Hints,
  isFlat: boolean,
  depth: number,
): void {
  if (inputs.length >= MOST_INPUTS) return;
  const { types, schemas } = hints;
  inputs.push({ ...input, types, schemas });
  if (!types.has("object") || depth >= MOST_DEPTH) return;
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
      false,
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
