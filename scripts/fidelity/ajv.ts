/**
 * Validates generated bodies with Ajv, against the schema as written in the definition. It shares no code with the
 * generator, which therefore can't hide its own faults.
 *
 * @module
 */

import { Ajv2020, type AnySchema } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { RE2JS } from "re2js";

type Json = Record<string, unknown>;

/** Lists the violations of a response body; empty for a valid one. */
export type FindErrors = (body: unknown, schema: unknown) => string[];

/** Keywords that contain a schema. Below: keywords that contain lists of schemas, and schemas by name. */
const SCHEMA = [
  "additionalProperties",
  "items",
  "additionalItems",
  "not",
  "contains",
  "propertyNames",
  "if",
  "then",
  "else",
  "unevaluatedProperties",
  "unevaluatedItems",
];
const SCHEMAS = ["allOf", "anyOf", "oneOf", "prefixItems"];
const NAMED_SCHEMAS = ["properties", "patternProperties", "dependentSchemas"];
const NUMBERS = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains",
];
const TYPES = ["null", "boolean", "integer", "number", "string", "array", "object"];

/**
 * Makes the Ajv validator for the response bodies of one definition.
 *
 * @param options `coerces`: whether Ajv changes the bodies to fit: `"5"` to `5` for a number, also with loss.
 */
export function createAjvValidator(definition: Json, { coerces = false } = {}): FindErrors {
  const is30 = !/^3\.[1-9]/.test(String(definition["openapi"]));
  const ajv = new Ajv2020({
    allErrors: true,
    coerceTypes: coerces ? "array" : false,
    code: { regExp: Object.assign(coerces ? readBoundedPattern : readPattern, { code: "RegExp" }) },
    logger: false,
    strict: false,
    validateSchema: false,
    verbose: true,
  });
  addFormats.default(ajv);
  ajv.addKeyword({
    keyword: JSON_TEXT,
    type: "string",
    validate: (id: string, text: string) => holdsJson(text, id),
    error: { message: "must hold JSON text that fits contentSchema" },
  });
  // From OpenAPI 3.1 on `format` is an annotation, so an example that breaks it may stand in a body as it is written.
  const kept = new Set(is30 ? [] : scalarsOfExamples(definition, false));
  const added = new Set<string>();
  const contents = new Map<unknown, string>();

  return (body, schema) => {
    const converted = convert(schema, hiddenNames(schema)) as AnySchema;
    const validate = ajv.compile(converted);
    // Otherwise Ajv keeps the code of each schema until its end.
    ajv.removeSchema(converted);
    if (validate(body)) return [];
    return (validate.errors ?? []).filter(({ keyword, data }) => keyword !== "format" || !kept.has(data)).slice(0, 5)
      .map(({ instancePath, keyword, message, schemaPath }) =>
        `${instancePath || "/"} ${keyword}: ${message} (${schemaPath})`
      );
  };

  function convert(schema: unknown, hidden: ReadonlySet<string>): unknown {
    if (!isObject(schema)) return schema === false ? false : {};
    const reference = schema["$ref"];
    const converted: Json = typeof reference === "string" ? { $ref: addTarget(reference, hidden) } : {};
    if (is30 && typeof reference === "string") return converted;
    for (const keyword of SCHEMA) {
      const part = schema[keyword];
      if (isObject(part) || typeof part === "boolean") converted[keyword] = convertPart(part, keyword, hidden);
    }
    for (const keyword of SCHEMAS) {
      const parts = schema[keyword];
      if (Array.isArray(parts) && parts.length > 0) {
        converted[keyword] = parts.map((part) => convertPart(part, keyword, hidden));
      }
    }
    for (const keyword of NAMED_SCHEMAS) {
      const parts = schema[keyword];
      if (!isObject(parts)) continue;
      converted[keyword] = Object.fromEntries(
        Object.entries(parts).filter(([, part]) => isObject(part) || typeof part === "boolean")
          .map((
            [name, part],
          ) => [name, keyword === "properties" && isHidden(part) ? false : convertPart(part, keyword, hidden)]),
      );
    }
    if (Array.isArray(schema["items"])) {
      converted["prefixItems"] = schema["items"].map((part) => convertPart(part, "prefixItems", hidden));
      delete converted["items"];
      if (converted["additionalItems"] !== undefined) converted["items"] = converted["additionalItems"];
    }
    delete converted["additionalItems"];
    convertScalars(schema, converted, hidden);
    const { contentSchema } = schema;
    if (!is30 && isJsonText(schema) && isObject(contentSchema)) converted[JSON_TEXT] = addContent(contentSchema);
    return converted;
  }

  function convertPart(part: unknown, keyword: string, hidden: ReadonlySet<string>): unknown {
    const isInPlace = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"].includes(keyword);
    return convert(part, isInPlace ? hidden.union(hiddenNames(part)) : hiddenNames(part));
  }

  function convertScalars(schema: Json, converted: Json, hidden: ReadonlySet<string>): void {
    const types = [schema["type"]].flat().filter((type) => TYPES.includes(String(type)));
    if (types.length > 0) {
      converted["type"] = is30 && schema["nullable"] === true ? [...new Set([...types, "null"])] : types;
    }
    for (const keyword of NUMBERS) if (typeof schema[keyword] === "number") converted[keyword] = schema[keyword];
    for (const [exclusive, bound] of [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]] as const) {
      if (typeof schema[exclusive] === "number") converted[exclusive] = schema[exclusive];
      if (schema[exclusive] !== true || converted[bound] === undefined) continue;
      converted[exclusive] = converted[bound];
      delete converted[bound];
    }
    if (Array.isArray(schema["enum"])) {
      if (schema["enum"].length > 0) converted["enum"] = schema["enum"];
      else converted["not"] = {};
    }
    // The author of `{type: string, enum: [1, 2]}`, which no value satisfies, meant the values that are listed, as they
    // are written or as values of that type.
    if (Array.isArray(schema["enum"]) && !schema["enum"].some((value) => types.some((type) => isOfType(value, type)))) {
      delete converted["type"];
      const asType = types.includes("string") ? String : Number;
      converted["enum"] = [...schema["enum"], ...schema["enum"].map((value: unknown) => asType(value))];
    }
    if (Object.hasOwn(schema, "const")) converted["const"] = schema["const"];
    if (schema["uniqueItems"] === true) converted["uniqueItems"] = true;
    for (const keyword of ["format", "pattern"]) {
      if (typeof schema[keyword] === "string") converted[keyword] = schema[keyword];
    }
    if (Array.isArray(schema["required"])) {
      converted["required"] = schema["required"].filter((name) => typeof name === "string" && !hidden.has(name));
    }
    if (isObject(schema["dependentRequired"])) converted["dependentRequired"] = schema["dependentRequired"];
  }

  /** Adds the target of a reference to Ajv. Returns the id of the schema there. */
  function addTarget(reference: string, hidden: ReadonlySet<string>): string {
    const target = resolve(reference);
    const names = hidden.union(hiddenNames(target));
    const id = `definition:${encodeURIComponent(reference)}:${encodeURIComponent([...names].sort().join())}`;
    if (!added.has(id)) {
      added.add(id);
      const converted = target === undefined ? {} : convert(target, names);
      ajv.addSchema((typeof converted === "boolean" ? { allOf: [converted] } : converted) as AnySchema, id);
    }
    return id;
  }

  /** Adds the schema of JSON texts in strings to Ajv. Returns the id of the schema there. */
  function addContent(schema: Json): string {
    let id = contents.get(schema);
    if (id === undefined) {
      contents.set(schema, id = `content:${contents.size}`);
      ajv.addSchema(convert(schema, hiddenNames(schema)) as AnySchema, id);
    }
    return id;
  }

  /** Whether a string is JSON text that is valid against a schema of Ajv. */
  function holdsJson(text: string, id: string): boolean {
    try {
      return ajv.getSchema(id)?.(JSON.parse(text)) === true;
    } catch (error) {
      if (error instanceof SyntaxError) return false;
      throw error;
    }
  }

  function resolve(reference: string): unknown {
    if (reference === "#") return definition;
    if (!reference.startsWith("#/")) return undefined;
    let text = reference.slice(2);
    try {
      text = decodeURIComponent(text);
    } catch {
      // The reference contains a `%` without being percent-encoded.
    }
    let value: unknown = definition;
    for (const token of text.split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"))) {
      for (
        let hops = 0;
        isObject(value) && typeof value["$ref"] === "string" && !Object.hasOwn(value, token) && hops < 9;
        hops++
      ) {
        value = resolve(value["$ref"]);
      }
      if ((!isObject(value) && !Array.isArray(value)) || !Object.hasOwn(value, token)) return undefined;
      value = (value as Json)[token];
    }
    return value;
  }

  function isHidden(property: unknown, depth = 0): boolean {
    if (!isObject(property) || depth > 8) return false;
    const reference = property["$ref"];
    if (typeof reference === "string" && isHidden(resolve(reference), depth + 1)) return true;
    if (typeof reference === "string" && is30) return false;
    const members = property["allOf"];
    return property["writeOnly"] === true ||
      (Array.isArray(members) && members.some((member) => isHidden(member, depth + 1)));
  }

  /** The `writeOnly` properties of a schema. A response may lack them even if `required` lists them. */
  function hiddenNames(schema: unknown, seen = new Set<unknown>()): Set<string> {
    const names = new Set<string>();
    if (!isObject(schema) || seen.has(schema)) return names;
    seen.add(schema);
    const reference = schema["$ref"];
    if (typeof reference === "string") hiddenNames(resolve(reference), seen).forEach((name) => names.add(name));
    if (typeof reference === "string" && is30) return names;
    if (isObject(schema["properties"])) {
      for (const [name, property] of Object.entries(schema["properties"])) if (isHidden(property)) names.add(name);
    }
    for (const member of Array.isArray(schema["allOf"]) ? schema["allOf"] : []) {
      hiddenNames(member, seen).forEach((name) => names.add(name));
    }
    return names;
  }
}

/** A keyword that is used instead of `contentSchema`, which Ajv doesn't assert. Its value is the id of a schema. */
const JSON_TEXT = "jsonText";

/** Whether a schema describes strings that are JSON text without an encoding. */
function isJsonText({ contentMediaType, contentEncoding }: Json): boolean {
  return contentEncoding === undefined && /^application\/(?:[^;]*\+)?json\b/i.test(String(contentMediaType));
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "object") return isObject(value);
  const kind: string = typeof value;
  return kind === type;
}

/** The texts and numbers in the values of `example`, `examples`, and all that they contain. */
function* scalarsOfExamples(value: unknown, isExample: boolean): Generator<unknown> {
  if (typeof value !== "object" || value === null) {
    if (isExample) yield value;
    return;
  }
  for (const [key, part] of Object.entries(value)) {
    yield* scalarsOfExamples(part, isExample || key === "example" || key === "examples");
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Compiles a pattern as Ajv does, but accepts patterns that are invalid with the flag `u`. A pattern that is invalid
 * without it too matches every string.
 */
function readPattern(pattern: string): RegExp {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Falls through to a more tolerant attempt.
    }
  }
  return /(?:)/;
}

/**
 * Compiles a pattern that takes linear time, where RE2 knows its constructs. A text that somebody wrote may take for ever
 * with `RegExp`, unlike one that was generated from the pattern.
 */
function readBoundedPattern(pattern: string): { test: (text: string) => boolean } {
  try {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.matcher(text).find() };
  } catch {
    return readPattern(pattern);
  }
}
