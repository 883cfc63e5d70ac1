import { isPercentEncoded } from "../../http/url.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Parameter } from "../../openapi/parameter.ts";
import type { Check, DocumentValidator } from "../../schema/document_validator.ts";
import { checkContent, prepareContent } from "./content.ts";
import { findOtherSpelling, type NamedValue } from "../../wire/named_value.ts";
import type { ValueFormats } from "../../wire/value_format.ts";
import { type Hints, readHints } from "../../schema/hints.ts";
import type { Type } from "../../schema/schema.ts";
import {
  createParameterReader,
  decoderOf,
  type ParameterReader,
  type RequestParts,
} from "../../wire/parameter_reader.ts";
import type { Form, Reading } from "../../wire/parameter_style.ts";
import { fromJson } from "../../wire/json.ts";
import { findValue, toValue } from "../../wire/text_value.ts";
import { ValidatorLoader } from "../../wire/chooser.ts";
import { FINE, type RequestViolation, schemaViolations, violation, warning } from "./violation.ts";

/** Finds the violations of one parameter of a request. */
export type ParameterCheck = (
  parts: RequestParts,
) => readonly RequestViolation[] | Promise<readonly RequestViolation[]>;

/** The context of the checks of an operation's parameters. */
export interface ParameterContext {
  validator: DocumentValidator;
  /** The formats of queries. */
  formats: ValueFormats;
  /** All parameters of the operation. */
  siblings: readonly Parameter[];
  /**
   * Queries for the mock server itself, such as `__code`. They aren't read into a parameter that takes any query,
   * unless its schema has a property of that name. Default: none.
   */
  ownQueries?: ReadonlySet<string>;
}

/** Checks a parameter's value; `undefined` when the request doesn't have it. */
type ValueCheck = (
  parts: RequestParts,
) => readonly RequestViolation[] | Promise<readonly RequestViolation[]> | undefined;

const SCALARS: readonly Type[] = ["string", "number", "integer", "boolean", "null"];
/** Forms to try last if the types in the schema don't name them: keywords for objects alone allow other values, too. */
const SIMPLE_FORMS: readonly Form[] = ["scalar", "array"];
const NO_QUERIES: ReadonlySet<string> = new Set();
const UTF8 = new TextEncoder();

/**
 * Makes the check of a parameter.
 *
 * @returns `undefined` when no request can break a rule about the parameter.
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
  const forms = formsOf(named.hints, parameter);
  const checkValue = content === undefined
    ? createStyleCheck(parameter, named, forms, read, context.validator)
    : createContentCheck(operation, parameter, read, context);

  return (parts) => {
    const written = part === "query" ? parts.query.get(name) : undefined;
    if (written?.some((value) => !isPercentEncoded(value))) {
      return [violation(part, name, "encoding", "is badly percent-encoded")];
    }
    if (parameter.allowEmptyValue && written?.every((value) => value === "")) return FINE;
    const checked = checkValue(parts);
    if (checked === undefined) return reportAbsence(parts);
    if (!deprecated) return checked;
    return checked instanceof Promise ? checked.then(withDeprecation) : withDeprecation(checked);
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

/** Collects what the reader of a parameter needs to know. */
function describeParameter(
  operation: Operation,
  parameter: Parameter,
  { formats, siblings, ownQueries = NO_QUERIES }: Omit<ParameterContext, "validator">,
): NamedValue {
  const others = siblings.filter((sibling) => sibling.in === parameter.in && sibling !== parameter);
  const isQuery = parameter.in === "query" || parameter.in === "querystring";
  const validators = new ValidatorLoader();
  const { document } = operation;
  const described = readHints(document, parameter.content?.schema ?? parameter.schema, "request", validators);
  const own = isQuery && ownQueries.size > 0
    ? new Set([...ownQueries].filter((name) => !described.propertyNames.has(name)))
    : NO_QUERIES;
  return {
    parameter,
    hints: parameter.content === undefined ? described : readHints(document, parameter.schema, "request", validators),
    validators,
    formats: parameter.in === "query" ? formats : {},
    others: new Set([...others.map(({ name }) => name), ...own]),
    ownQueries: own,
    decode: decoderOf(parameter),
  };
}

/**
 * Checks a value that is written in a style. It may be read in several forms (scalar, array, object): one must be
 * valid.
 */
function createStyleCheck(
  { in: part, name, schema }: Parameter,
  { hints, validators }: NamedValue,
  forms: readonly Form[],
  read: ParameterReader,
  validator: DocumentValidator,
): ValueCheck {
  const check = schema && validator.checkOf(schema, "request");
  const others = SIMPLE_FORMS.filter((form) => !forms.includes(form));

  return (parts) => {
    let violations: readonly RequestViolation[] | undefined;
    for (const form of forms) {
      const reading = read(parts, form);
      if (reading.kind === "absent") continue;
      const found = checkReading(reading);
      if (isFine(found)) return found;
      violations ??= found;
    }
    if (check === undefined) return violations;
    if (violations === undefined && !others.some((form) => read(parts, form).kind === "text")) return undefined;
    return searchAll(parts, check, violations);
  };

  function checkReading(reading: Exclude<Reading, { kind: "absent" }>): readonly RequestViolation[] {
    if (reading.kind === "malformed") return [violation(part, name, "style", reading.message)];
    if (check === undefined) return FINE;
    const value = reading.kind === "value" ? reading.value : toValue(reading.text, hints);
    return schemaViolations(part, name, check(value));
  }

  /** Tries all values that the text may represent, in any form; if none is valid, returns the violations. */
  async function searchAll(
    parts: RequestParts,
    check: Check,
    violations: readonly RequestViolation[] | undefined,
  ): Promise<readonly RequestViolation[]> {
    let found = violations;
    for (const form of [...forms, ...others]) {
      const reading = read(parts, form);
      if (reading.kind !== "text") continue;
      const others = schemaViolations(part, name, check(await findValue(reading.text, hints, validators)));
      if (isFine(others)) return others;
      found ??= others;
    }
    return found ?? FINE;
  }
}

function isFine(violations: readonly RequestViolation[]): boolean {
  return violations.every(({ severity }) => severity === "Warning");
}

/** Checks a value that is written in a media type, since its parameter has `content`. */
function createContentCheck(
  { document }: Operation,
  { in: part, name, content }: Parameter,
  read: ParameterReader,
  { validator, formats }: Pick<ParameterContext, "validator" | "formats">,
): ValueCheck {
  const prepared = content &&
    prepareContent(document, validator, content.mediaType, content.node, "request", formats);
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
export function formsOf({ types }: Pick<Hints, "types">, { style }: Pick<Parameter, "style">): Form[] {
  const isDelimited = style === "spaceDelimited" || style === "pipeDelimited";
  if (types.size === 0) {
    if (style === "deepObject") return ["object", "array", "scalar"];
    return isDelimited ? ["array", "scalar"] : ["scalar", "array"];
  }
  const forms: Form[] = [];
  if (SCALARS.some((type) => types.has(type))) forms.push("scalar");
  if (types.has("array")) forms.push("array");
  if (types.has("object")) forms.push("object");
  return forms;
}

/** Reads the value that a parameter has in a request; `undefined` where it has none, or can't be read. */
export type ParameterValueReader = (parts: RequestParts) => unknown;

/**
 * Makes the reader of a parameter's value, which converts texts to the types of its schema.
 *
 * @param siblings All parameters of the operation.
 * @param formats The formats of queries, where they differ from the definition's.
 */
export function createParameterValueReader(
  operation: Operation,
  parameter: Parameter,
  siblings: readonly Parameter[],
  formats: ValueFormats = {},
): ParameterValueReader {
  const named = describeParameter(operation, parameter, { formats, siblings });
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
