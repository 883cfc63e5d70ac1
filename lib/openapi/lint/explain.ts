import { suggest } from "../../http/message.ts";
import { pathMeant } from "./path_spelling.ts";
import { isObject } from "../../schema/json/node.ts";
import { escapeToken, parsePointer } from "../../schema/json/pointer.ts";
import type { RuleCode } from "../rules.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { list, quote, show } from "../../schema/wording.ts";
import { type Kind, nameOfKind } from "../../schema/kinds.ts";
import { essentialErrors, type SchemaChoice, type SchemaError } from "./schema_errors.ts";
import { isNumber } from "../../schema/json/value.ts";

/**
 * Turns violations of the OpenAPI Specification's own schema into diagnostics with advice. Leaves out violations that
 * don't tell the author what to do.
 *
 * @module
 */

/** A diagnostic of an object in a definition; `pointer` is relative to the object. */
export type ObjectDiagnostic = Pick<UnlocatedDiagnostic, "severity" | "code" | "message" | "pointer"> & {
  atKey?: boolean;
};

/** Makes the diagnostics of an object from its violations. */
export function explain(errors: readonly SchemaError[], kind: Kind): ObjectDiagnostic[] {
  const diagnostics = essentialErrors(errors).flatMap((error) => explainError(error, errors, kind));
  const firsts = new Map(diagnostics.map((diagnostic) => [`${diagnostic.pointer} ${diagnostic.message}`, diagnostic]));
  return [...firsts.values()];
}

function explainError(
  error: SchemaError | SchemaChoice,
  errors: readonly SchemaError[],
  kind: Kind,
): ObjectDiagnostic[] {
  const { keyword, wanted, pointer, value, property } = error;
  const label = labelOf(pointer, kind);
  const diagnose = (
    code: RuleCode,
    message: string,
  ): ObjectDiagnostic[] => [{ severity: "error", code, message, pointer }];
  const badValue = (expected: string): ObjectDiagnostic[] => {
    const advice = isUnquoted(error) ? "; put it in quotes" : "";
    return diagnose("bad-value", `${label} must be ${expected}, not ${show(value)}${advice}.`);
  };

  switch (keyword) {
    case "if":
    case "contains":
      return [];
    case "required":
      if (kind === "Responses") return diagnose("missing-field", NO_RESPONSE);
      if (kind === "Parameter" && property === "required") {
        return diagnose("missing-field", "A path parameter needs `required: true`.");
      }
      return diagnose("missing-field", `${label} needs the field ${quote(property ?? "")}.`);
    case "additionalProperties":
    case "unevaluatedProperties":
      return unknownField(error, property ?? "", errors, kind);
    case "false schema":
      return diagnose("misplaced-field", `${label} can't stand beside the other fields; remove it.`);
    case "type":
      return badValue(describeTypes(wanted));
    case "enum":
      return badValue(oneOf(wanted, value));
    case "const":
      return badValue(show(wanted));
    case "format":
      if (property !== undefined) return [];
      // A warning, not an error: `format` is an annotation in JSON Schema, and many published definitions contain
      // malformed addresses.
      return badValue(FORMATS[String(wanted)] ?? `of the format ${String(wanted)}`)
        .map((diagnostic) => ({ ...diagnostic, severity: "warning" }));
    case "pattern":
      return property === undefined ? badValue(describePattern(String(wanted))) : [];
    case "propertyNames":
      return badName(error, errors, kind);
    case "not":
      if (property !== undefined) return [];
      return diagnose("misplaced-field", explainNot(error, label));
    case "oneOf":
    case "anyOf":
      return explainChoice(error, label, badValue, diagnose);
    case "minItems":
    case "minProperties":
      if (kind === "Responses") return diagnose("missing-field", NO_RESPONSE);
      return diagnose("bad-value", `${label} is empty; it needs an entry at least.`);
    case "maxProperties":
      return diagnose("bad-value", `${label} can have only ${String(wanted)} entry.`);
    case "uniqueItems":
      // `checkParameterLists` reports this instead, with the name of the repeated parameter.
      if (pointer.endsWith("/parameters")) return [];
      return diagnose("bad-value", `${label} has the same item twice; remove one.`);
    case "minimum":
      return badValue(`${String(wanted)} or more`);
    case "exclusiveMinimum":
      return badValue(`more than ${String(wanted)}`);
    default:
      return badValue(`as the specification wants it (${keyword})`);
  }
}

/** Explains an unknown field, or a known field that isn't allowed in combination with other fields of the object. */
function unknownField(
  error: SchemaError,
  field: string,
  errors: readonly SchemaError[],
  kind: Kind,
): ObjectDiagnostic[] {
  const known = fieldsOf(error.schema);
  const pointer = `${error.pointer}/${escapeToken(field)}`;
  const label = labelOf(error.pointer, kind);
  const diagnose = (
    code: RuleCode,
    message: string,
  ): ObjectDiagnostic[] => [{ severity: "error", code, message, pointer, atKey: true }];
  if (field.startsWith("x-") || known.has(field)) {
    // The violation may be a consequence of another one: a subschema allows its fields only if the object is valid
    // against it.
    if (errors.some(({ keyword }) => keyword !== error.keyword && keyword !== "if")) return [];
    return diagnose("misplaced-field", `${quote(field)} can't stand here: ${label} has it only with other settings.`);
  }
  if (field === "$ref") return diagnose("bad-value", "`$ref` must be a string that says where the object is.");
  if (kind === "Paths" && error.pointer === "") {
    return diagnose("bad-path", `The path ${quote(field)} must start with \`/\`: write ${quote(pathMeant(field))}.`);
  }
  if (kind === "Responses" && error.pointer === "") {
    const wanted = "an HTTP status code such as `200`, a range such as `2XX`, or `default`";
    return diagnose("bad-status", `The key ${quote(field)} must be ${wanted}.`);
  }
  const version = error.pointer === "" ? laterVersionOf(kind, field) : undefined;
  if (version !== undefined) {
    const advice = `Write \`openapi: ${version}.0\`, or remove it.`;
    return diagnose("unknown-field", `${label} has a field ${quote(field)} only from OpenAPI ${version} on. ${advice}`);
  }
  const [nearest] = suggest(field, known);
  const advice = nearest === undefined ? "Remove it, or begin its name with `x-`." : `Did you mean ${quote(nearest)}?`;
  return diagnose("unknown-field", `${label} has no field ${quote(field)}. ${advice}`);
}

const NO_RESPONSE = "The Responses Object needs a response at least.";

/** The fields that a schema allows in an object: those in `properties`, also of its subschemas for the same object. */
function fieldsOf(schema: unknown): Set<string> {
  const fields = new Set<string>();
  if (!isObject(schema)) return fields;
  if (isObject(schema["properties"])) Object.keys(schema["properties"]).forEach((field) => fields.add(field));
  const { allOf, anyOf, oneOf, dependentSchemas } = schema;
  const parts = [allOf, anyOf, oneOf].flatMap((list) => Array.isArray(list) ? list : []);
  const dependent = isObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
  for (const part of [...parts, ...dependent, schema["if"], schema["then"], schema["else"]]) {
    fieldsOf(part).forEach((field) => fields.add(field));
  }
  return fields;
}

function badName(
  { pointer, property = "" }: SchemaError,
  errors: readonly SchemaError[],
  kind: Kind,
): ObjectDiagnostic[] {
  const cause = errors.find((error) =>
    error.property === property && error.pointer === pointer && NAME_KEYWORDS.has(error.keyword)
  );
  const expected = cause?.keyword === "format"
    ? FORMATS[String(cause.wanted)]
    : cause?.keyword === "not"
    ? "a method that has no field of its own"
    : cause?.keyword === "pattern"
    ? describePattern(String(cause.wanted))
    : undefined;
  return [{
    severity: cause?.keyword === "format" ? "warning" : "error",
    code: "bad-name",
    message: `The name ${quote(property)} in ${labelOf(pointer, kind)} must be ${expected ?? "another one"}.`,
    pointer: `${pointer}/${escapeToken(property)}`,
    atKey: true,
  }];
}

/** Keywords in the `propertyNames` of the OpenAPI schemas, which decide whether a name is allowed. */
const NAME_KEYWORDS = new Set(["format", "not", "pattern"]);

function explainNot({ wanted }: SchemaError, label: string): string {
  const required = isObject(wanted) && Array.isArray(wanted["required"]) ? wanted["required"].map(String) : [];
  if (required.length > 1) return `${label} can't have both ${list(required, "and")}; remove one of them.`;
  if (required.length === 1) return `${label} can't have the field ${list(required)} beside its others; remove it.`;
  return `${label} needs an entry at least that doesn't begin with \`x-\`.`;
}

function explainChoice(
  choice: SchemaError | SchemaChoice,
  label: string,
  badValue: (expected: string) => ObjectDiagnostic[],
  diagnose: (code: RuleCode, message: string) => ObjectDiagnostic[],
): ObjectDiagnostic[] {
  const errors = "branches" in choice ? choice.branches.flat() : [];
  if (errors.length > 0 && errors.every(({ keyword }) => keyword === "required")) {
    const fields = errors.map(({ property = "" }) => property);
    return diagnose("missing-field", `${label} needs one of the fields ${list(fields, "or")}.`);
  }
  if (errors.length > 0 && errors.every(({ keyword }) => keyword === "type")) {
    return badValue(errors.map(({ wanted }) => describeTypes(wanted)).join(" or "));
  }
  // Several branches of the `oneOf` are valid, so the object has fields that exclude each other.
  const { wanted, value } = choice;
  const fields = Array.isArray(wanted)
    ? wanted.flatMap((branch) => isObject(branch) && Array.isArray(branch["required"]) ? branch["required"] : [])
    : [];
  const given = fields.map(String).filter((field) => isObject(value) && Object.hasOwn(value, field));
  if (given.length > 1) {
    return diagnose("misplaced-field", `${label} can't have both ${list(given, "and")}; remove one of them.`);
  }
  return diagnose("bad-value", `${label} has none of the forms that the specification gives it.`);
}

/** The name of an object, or of a field in it, in messages: `The Operation Object`, `` `tags[0]` ``. */
function labelOf(pointer: string, kind: Kind): string {
  if (pointer === "") return `The ${nameOfKind(kind)}`;
  const tokens = parsePointer(pointer);
  const path = tokens.map((token, index) => /^\d+$/.test(token) ? `[${token}]` : index === 0 ? token : `.${token}`);
  return `\`${path.join("")}\``;
}

const TYPES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  string: "a string",
};

function describeTypes(types: unknown): string {
  const names = Array.isArray(types) ? types.map(String) : String(types).split(",");
  return names.map((name) => TYPES[name] ?? name).join(" or ");
}

/** Whether YAML parsed a number or a boolean where the author most likely means a string: `version: 1.0`. */
function isUnquoted({ keyword, wanted, value }: SchemaError): boolean {
  return keyword === "type" && wanted === "string" && (isNumber(value) || typeof value === "boolean");
}

const FORMATS: Readonly<Record<string, string>> = {
  "email": "an e-mail address",
  "media-range": "a media type such as `application/json`",
  "regex": "a regular expression (ECMA-262)",
  "uri": "an absolute URI",
  "uri-reference": "a URI",
};

function describePattern(pattern: string): string {
  const version = /^\^3\\\.(\d)/.exec(pattern)?.[1];
  if (version !== undefined) return `a version such as \`3.${version}.0\``;
  if (pattern.startsWith("^[Bb][Ee]")) return "`bearer`";
  if (pattern === "^[^{}]+$") return "a name without braces";
  if (pattern === "^/" || pattern === "^\\/") return "a path that starts with `/`";
  if (pattern.startsWith("^[a-zA-Z0-9")) return "of letters, digits, `.`, `_` and `-`";
  if (pattern.startsWith("^\\$")) return "a runtime expression such as `$request.body#/id`";
  return `of the form ${pattern}`;
}

function oneOf(values: unknown, data: unknown): string {
  const allowed = Array.isArray(values) ? values : [];
  if (allowed.length === 1) return show(allowed[0]);
  const [nearest] = typeof data === "string" ? suggest(data, allowed.filter((value) => typeof value === "string")) : [];
  const text = `one of ${allowed.map((value) => typeof value === "string" ? quote(value) : show(value)).join(", ")}`;
  return nearest === undefined ? text : `${text} (perhaps ${quote(nearest)})`;
}

/** Fields that OpenAPI 3.1 or 3.2 has added to objects of earlier versions. */
const LATER: Partial<Record<Kind, Readonly<Record<string, "3.1" | "3.2">>>> = {
  OpenAPI: { webhooks: "3.1", jsonSchemaDialect: "3.1", $self: "3.2" },
  Info: { summary: "3.1" },
  License: { identifier: "3.1" },
  Server: { name: "3.2" },
  Components: { pathItems: "3.1", mediaTypes: "3.2" },
  PathItem: { query: "3.2", additionalOperations: "3.2" },
  MediaType: { description: "3.2", itemSchema: "3.2", itemEncoding: "3.2", prefixEncoding: "3.2" },
  Encoding: { encoding: "3.2", itemEncoding: "3.2", prefixEncoding: "3.2" },
  Response: { summary: "3.2" },
  Example: { dataValue: "3.2", serializedValue: "3.2" },
  Tag: { summary: "3.2", parent: "3.2", kind: "3.2" },
  Discriminator: { defaultMapping: "3.2" },
  XML: { nodeType: "3.2" },
  SecurityScheme: { deprecated: "3.2" },
  OAuthFlows: { deviceAuthorization: "3.2" },
};

/** The version of OpenAPI that has added a field to an object; `undefined` for fields of 3.0 and for unknown ones. */
function laterVersionOf(kind: Kind, field: string): "3.1" | "3.2" | undefined {
  const fields = LATER[kind];
  return fields !== undefined && Object.hasOwn(fields, field) ? fields[field] : undefined;
}
