import { isPercentEncoded } from "../../http/url.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Parameter } from "../../openapi/parameter.ts";
import type { SchemaCompiler } from "../../schema/schema_compiler.ts";
import { checkContent, prepareContent } from "./content.ts";
import { findOtherSpelling, type NamedValue, type QueryFormats } from "../../wire/named_value.ts";
import type { RequestParts } from "../../wire/parts.ts";
import { createParameterReader, decoderOf, type ParameterReader } from "../../wire/parameter_reader.ts";
import { type JsonType, type SchemaTypes, schemaTypes } from "../../wire/schema_types.ts";
import type { Form, Reading } from "../../wire/style.ts";
import { toValue } from "../../wire/scalar.ts";
import { FINE, type RequestViolation, schemaViolations, violation, warning } from "./violation.ts";

/** Finds out what is wrong with one parameter of a request. */
export type ParameterCheck = (
  parts: RequestParts,
) => readonly RequestViolation[] | Promise<readonly RequestViolation[]>;

/** What parameters are checked by, beside what the definition says of them. */
export interface ParameterContext {
  compiler: SchemaCompiler;
  formats: QueryFormats;
  /** All parameters of the operation. */
  siblings: readonly Parameter[];
  /** Queries that are meant for the server, such as `__code`, unless the parameter describes them. Default: none. */
  ownQueries?: ReadonlySet<string>;
}

/** Judges a parameter's value; `undefined` when the request doesn't have it. */
type Judge = (
  parts: RequestParts,
) => readonly RequestViolation[] | Promise<readonly RequestViolation[]> | undefined;

const SCALARS: readonly JsonType[] = ["string", "number", "integer", "boolean", "null"];
const NO_QUERIES: ReadonlySet<string> = new Set();
const UTF8 = new TextEncoder();

/**
 * Makes the check of a parameter.
 *
 * @returns `undefined` when no request can break what the definition says of it.
 */
export function createParameterCheck(
  operation: Operation,
  parameter: Parameter,
  context: ParameterContext,
): ParameterCheck | undefined {
  const { in: part, name, required, deprecated, content } = parameter;
  const schema = content?.schema ?? parameter.schema;
  if (schema === undefined && !required && !deprecated) return undefined;
  const named = describeParameter(operation, parameter, context);
  const read = createParameterReader(operation, parameter, named);
  if (read === undefined) return undefined;
  const forms = formsOf(named.types, parameter);
  const judge = content === undefined
    ? createStyleJudge(parameter, named.types, forms, read, context.compiler)
    : createContentJudge(operation, parameter, read, context.compiler);

  return (parts) => {
    const written = part === "query" ? parts.query.get(name) : undefined;
    if (written?.some((value) => !isPercentEncoded(value))) {
      return [violation(part, name, "encoding", "is badly percent-encoded")];
    }
    if (parameter.allowEmptyValue && written?.every((value) => value === "")) return FINE;
    const judged = judge(parts);
    if (judged === undefined) return reportAbsence(parts);
    if (!deprecated) return judged;
    return judged instanceof Promise ? judged.then(withDeprecation) : withDeprecation(judged);
  };

  function withDeprecation(found: readonly RequestViolation[]): readonly RequestViolation[] {
    return [...found, warning(part, name, "deprecated", "is deprecated")];
  }

  function reportAbsence({ query }: RequestParts): readonly RequestViolation[] {
    const spelling = part === "query" && query.size > 0 ? findOtherSpelling(query, forms, named) : undefined;
    if (required) return [violation(part, name, "required", `is required${spelling ? `, ${spelling}` : ""}`)];
    return spelling === undefined ? FINE : [warning(part, name, "style", `is expected ${spelling}`)];
  }
}

/** What the reading of a parameter depends on. */
export function describeParameter(
  operation: Operation,
  parameter: Parameter,
  { formats, siblings, ownQueries = NO_QUERIES }: Omit<ParameterContext, "compiler">,
): NamedValue {
  const others = siblings.filter((sibling) => sibling.in === parameter.in && sibling !== parameter);
  const isQuery = parameter.in === "query" || parameter.in === "querystring";
  const described = schemaTypes(operation.document, parameter.content?.schema ?? parameter.schema);
  const own = isQuery && ownQueries.size > 0 ? ownQueries.difference(described.propertyNames) : NO_QUERIES;
  return {
    parameter,
    types: parameter.content === undefined ? described : schemaTypes(operation.document, parameter.schema),
    formats,
    others: new Set([...others.map(({ name }) => name), ...own]),
    ownQueries: own,
    decode: decoderOf(parameter),
  };
}

/** Judges a value that is written in a style: in the form that fits its schema, if there is one. */
function createStyleJudge(
  { in: part, name, schema }: Parameter,
  types: SchemaTypes,
  forms: readonly Form[],
  read: ParameterReader,
  compiler: SchemaCompiler,
): Judge {
  const check = schema && compiler.compile(schema, "request");

  return (parts) => {
    let violations: readonly RequestViolation[] | undefined;
    for (const form of forms) {
      const reading = read(parts, form);
      if (reading.kind === "absent") continue;
      const found = judge(reading);
      if (found.every(({ severity }) => severity === "Warning")) return found;
      violations ??= found;
    }
    return violations;
  };

  function judge(reading: Exclude<Reading, { kind: "absent" }>): readonly RequestViolation[] {
    if (reading.kind === "malformed") return [violation(part, name, "style", reading.message)];
    if (check === undefined) return FINE;
    if (reading.kind === "value") return schemaViolations(part, name, check(reading.value));
    const found = check(toValue(reading.text, types));
    // Where the schema also allows strings, what looks like a number may have been meant as one of them.
    return found.length === 0 || check(reading.text).length === 0 ? FINE : schemaViolations(part, name, found);
  }
}

/** Judges a value that is written in a media type of its own. */
function createContentJudge(
  { document }: Operation,
  { in: part, name, content }: Parameter,
  read: ParameterReader,
  compiler: SchemaCompiler,
): Judge {
  const prepared = content && prepareContent(document, compiler, content.mediaType, content.node);
  return (parts) => {
    const reading = read(parts, "scalar");
    switch (reading.kind) {
      case "absent":
        return undefined;
      case "malformed":
        return [violation(part, name, "style", reading.message)];
      default:
        if (prepared === undefined || content === undefined || reading.kind !== "text") return FINE;
        return checkContent(part, name, UTF8.encode(String(reading.text)), content.mediaType, prepared);
    }
  };
}

/** The forms that a value may have, the likeliest first. */
export function formsOf({ allowed }: SchemaTypes, { style }: Pick<Parameter, "style">): Form[] {
  const isDelimited = style === "spaceDelimited" || style === "pipeDelimited";
  if (allowed.size === 0) {
    if (style === "deepObject") return ["object", "array", "scalar"];
    return isDelimited ? ["array", "scalar"] : ["scalar", "array"];
  }
  const forms: Form[] = [];
  if (SCALARS.some((type) => allowed.has(type))) forms.push("scalar");
  if (allowed.has("array")) forms.push("array");
  if (allowed.has("object")) forms.push("object");
  return forms;
}
