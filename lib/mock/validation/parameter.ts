import { isPercentEncoded } from "../../http/url/url.ts";
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
import type { Form, ParameterReading } from "../../wire/parameter_style.ts";
import { fromJson } from "../../wire/json.ts";
import { findValue, toValue } from "../../wire/text_value.ts";
import { ValidatorLoader } from "../../wire/chooser.ts";
import { NO_VIOLATIONS, type RequestViolation, schemaViolations, violation, warningViolation } from "./violation.ts";

export type ParameterCheck = (
  parts: RequestParts,
) => readonly RequestViolation[] | Promise<readonly RequestViolation[]>;

export interface ParameterContext {
  validator: DocumentValidator;
  /** The formats of arrays and objects in queries. */
  formats: ValueFormats;
  siblings: readonly Parameter[];
  /**
   * Query parameters for the mock server itself, such as `__code`. A parameter that collects all query parameters (a
   * free-form object) ignores them, unless its schema declares a property of that name. Default: none.
   */
  ownQueries?: ReadonlySet<string>;
}

/** Finds the violations of a parameter's value. Returns `undefined` if the request doesn't have the parameter. */
type ValueCheck = (
  parts: RequestParts,
) => readonly RequestViolation[] | Promise<readonly RequestViolation[]> | undefined;

const SCALARS: readonly Type[] = ["string", "number", "integer", "boolean", "null"];
/**
 * Forms to try last if the schema's `type` doesn't name them. A schema with `properties` but without `type` also allows
 * scalars and arrays.
 */
const FALLBACK_FORMS: readonly Form[] = ["scalar", "array"];
const NO_QUERIES: ReadonlySet<string> = new Set();
const UTF8 = new TextEncoder();

/**
 * Makes the check of a parameter.
 *
 * @returns `undefined` if every request is valid with regard to the parameter.
 */
export function createParameterCheck(
  operation: Operation,
  parameter: Parameter,
  context: ParameterContext,
): ParameterCheck | undefined {
  const { in: part, name, required, deprecated, content } = parameter;
  const schema = content?.schema ?? parameter.schema;
  if (schema === undefined && !required && !deprecated) return undefined;
  const named = namedValueOf(operation, parameter, context);
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
    if (parameter.allowEmptyValue && written?.every((value) => value === "")) return NO_VIOLATIONS;
    const checked = checkValue(parts);
    if (checked === undefined) return reportAbsence(parts);
    if (!deprecated) return checked;
    return checked instanceof Promise ? checked.then(withDeprecation) : withDeprecation(checked);
  };

  function withDeprecation(found: readonly RequestViolation[]): readonly RequestViolation[] {
    return [...found, warningViolation(part, name, "deprecated", "is deprecated")];
  }

  function reportAbsence({ query }: RequestParts): readonly RequestViolation[] {
    const spelling = part === "query" && query.size > 0 ? findOtherSpelling(query, forms, named) : undefined;
    if (required) return [violation(part, name, "required", `is required${spelling ? `, ${spelling}` : ""}`)];
    return spelling === undefined ? NO_VIOLATIONS : [warningViolation(part, name, "style", `is expected ${spelling}`)];
  }
}

function namedValueOf(
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
 * Makes the check of a parameter with a `style`. Its text may be read in several forms (scalar, array, object); it is
 * valid if one of the readings is.
 */
function createStyleCheck(
  { in: part, name, schema }: Parameter,
  { hints, validators }: NamedValue,
  forms: readonly Form[],
  read: ParameterReader,
  validator: DocumentValidator,
): ValueCheck {
  const check = schema && validator.checkOf(schema, "request");
  const others = FALLBACK_FORMS.filter((form) => !forms.includes(form));

  return (parts) => {
    let violations: readonly RequestViolation[] | undefined;
    for (const form of forms) {
      const reading = read(parts, form);
      if (reading.kind === "absent") continue;
      const found = checkReading(reading);
      if (hasNoErrors(found)) return found;
      violations ??= found;
    }
    if (check === undefined) return violations;
    if (violations === undefined && !others.some((form) => read(parts, form).kind === "text")) return undefined;
    return searchAll(parts, check, violations);
  };

  function checkReading(reading: Exclude<ParameterReading, { kind: "absent" }>): readonly RequestViolation[] {
    if (reading.kind === "malformed") return [violation(part, name, "style", reading.message)];
    if (check === undefined) return NO_VIOLATIONS;
    const violationsOf = (value: unknown): readonly RequestViolation[] => schemaViolations(part, name, check(value));
    if (reading.kind === "value") return violationsOf(reading.value);
    const found = violationsOf(toValue(reading.text, hints));
    if (reading.whole === undefined || hasNoErrors(found)) return found;
    const ofWhole = violationsOf(toValue(reading.whole, hints));
    return hasNoErrors(ofWhole) ? ofWhole : found;
  }

  /**
   * Tries all values that the text may represent, such as `1` as a number and as a string, in any form. If none is
   * valid, returns `violations`.
   */
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
      if (hasNoErrors(others)) return others;
      found ??= others;
    }
    return found ?? NO_VIOLATIONS;
  }
}

function hasNoErrors(violations: readonly RequestViolation[]): boolean {
  return violations.every(({ severity }) => severity === "Warning");
}

/** Makes the check of a parameter with `content`: its text is decoded by a media type. */
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
        if (prepared === undefined || content === undefined || reading.kind !== "text") return NO_VIOLATIONS;
        return checkContent(part, name, UTF8.encode(String(reading.text)), content.mediaType, prepared);
    }
  };
}

/** The forms (scalar, array, object) that a parameter's value may have by its types, the likeliest first. */
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

/**
 * Reads the value of a parameter from a request. Returns `undefined` if the request doesn't have the parameter, or if
 * the value is malformed.
 */
export type ParameterValueReader = (parts: RequestParts) => unknown;

/**
 * Makes the reader of a parameter's value. It converts texts to the types in the parameter's schema.
 *
 * @param siblings All parameters of the operation.
 * @param formats The formats of queries that replace those in the definition.
 */
export function createParameterValueReader(
  operation: Operation,
  parameter: Parameter,
  siblings: readonly Parameter[],
  formats: ValueFormats = {},
): ParameterValueReader {
  const named = namedValueOf(operation, parameter, { formats, siblings });
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
