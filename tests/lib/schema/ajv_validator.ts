/**
 * A validator that uses Ajv, an independent implementation of JSON Schema. Tests compare gw's validator with this one.
 * Both use gw's reader of schemas, formats and patterns.
 *
 * @module
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import { Name } from "ajv/dist/compile/codegen/index.js";
import { evaluatedPropsToName } from "ajv/dist/compile/util.js";
import { callRef } from "ajv/dist/vocabularies/core/ref.js";
import { loadPatternReader } from "../../../lib/regexp/pattern.ts";
import { COMBINATORS, type SchemaDocument } from "../../../lib/schema/dialect.ts";
import type { Check } from "../../../lib/schema/document_validator.ts";
import { equalityKey } from "../../../lib/schema/json/equal.ts";
import { loadFormats } from "../../../lib/schema/format.ts";
import type { JsonObject, Node } from "../../../lib/schema/json/node.ts";
import { escapeToken, parsePointer } from "../../../lib/schema/json/pointer.ts";
import type { Direction, Schema } from "../../../lib/schema/schema.ts";
import { createSchemaReader } from "../../../lib/schema/schema_reader.ts";
import { OutOfSteps, spend, type Steps, withinSteps } from "../../../lib/regexp/steps.ts";
import type { Violation } from "../../../lib/schema/violation.ts";

/** A keyword that stands for `$ref` in schemas for Ajv. Its value is the number of the target schema. */
const REFERENCE = "reference";
/**
 * A keyword that makes Ajv track at run time which properties and items were evaluated. By default, Ajv tracks as much
 * as it can at compile time; then it forgets what was evaluated beside a branch that isn't taken, if the branch
 * contains a reference.
 */
const TRACKING = "tracking";

/** A compiled schema. Ajv stores the errors of the last call in this function. */
interface Validate {
  (value: unknown, context?: unknown): unknown;
  errors?: AjvError[] | null;
  evaluated?: unknown;
}

/** A violation as Ajv reports it. */
interface AjvError {
  instancePath: string;
  keyword: string;
  params: Record<string, unknown>;
  message?: string;
  parentSchema?: unknown;
}

/** The number of schemas that are compiled together. Subschemas beyond this are compiled when a value reaches them. */
const MOST_IN_ONE = 300;
/** Limits for the validation of one value: the number of calls of validators, and of compiled schemas. */
const MOST_STEPS = { left: 400_000, schemas: 10_000 };

interface AjvSteps extends Steps {
  schemas: number;
}

/** A schema that is being written for Ajv, with the subschemas that are compiled with it. */
interface Piece {
  readonly schemas: Set<Schema>;
  /** The number of schemas in this piece and of references in it. */
  size: number;
}

interface Compiler {
  /** Makes the validator of a schema, which is compiled at its first call. */
  readonly create: (schema: Schema) => Validate;
  /** Finds the schema that an Ajv error is about, by the error's `parentSchema`. */
  readonly schemaOf: (written: unknown) => Schema | undefined;
}

/**
 * Makes a validator by Ajv for the schemas of a document. If the validation of a value exceeds the limits, it returns
 * no violations: Ajv's steps grow exponentially for schemas that share subschemas.
 */
export async function createAjvValidator(
  document: SchemaDocument,
): Promise<{ checkOf: (node: Node, direction: Direction) => Check }> {
  const [formats, readPattern] = await Promise.all([loadFormats(), loadPatternReader()]);
  const steps: AjvSteps = { ...MOST_STEPS };
  const compiler = createCompiler(steps, formats, readPattern);
  return {
    checkOf: (node, direction) => {
      const validate = compiler.create(createSchemaReader(document, direction).read(node));
      return (value) => {
        Object.assign(steps, MOST_STEPS);
        return withinSteps(
          () => validate(value) === true ? [] : (validate.errors ?? []).map((error) => toViolation(error, compiler)),
          () => [],
        );
      };
    },
  };
}

function toViolation(error: AjvError, { schemaOf }: Compiler): Violation {
  const schema = schemaOf(error.parentSchema);
  return {
    path: parsePointer(error.instancePath),
    keyword: error.keyword,
    message: messageOf(error),
    schema: schema === undefined ? "" : `${schema.node.pointer}/${escapeToken(error.keyword)}`,
  };
}

function messageOf({ message, keyword, params }: AjvError): string {
  const text = message ?? `must pass "${keyword}"`;
  if (keyword === "additionalProperties") return `${text}: ${JSON.stringify(params["additionalProperty"])}`;
  if (keyword === "unevaluatedProperties") return `${text}: ${JSON.stringify(params["unevaluatedProperty"])}`;
  if (keyword === "enum") return `${text}: ${listed(params["allowedValues"])}`;
  if (keyword === "const") return `${text}: ${JSON.stringify(params["allowedValue"])}`;
  return text;
}

function listed(values: unknown): string {
  if (!Array.isArray(values)) return "";
  const shown = values.slice(0, 10).map((value) => JSON.stringify(value)).join(", ");
  return values.length > 10 ? `${shown}, …` : shown;
}

function createCompiler(
  steps: AjvSteps,
  formats: Awaited<ReturnType<typeof loadFormats>>,
  readPattern: Awaited<ReturnType<typeof loadPatternReader>>,
): Compiler {
  /** Reads a pattern for Ajv. The object needs `toString`, since Ajv compares patterns by their text. */
  const regExp = (pattern: string): { test: (text: string) => boolean; toString: () => string } => ({
    test: (text) => readPattern(pattern)?.test(text) ?? true,
    toString: () => pattern,
  });
  const ajv = new Ajv2020({
    allErrors: true,
    code: { regExp: Object.assign(regExp, { code: "new RegExp" }) },
    formats: Object.fromEntries(
      [...formats].map(([name, { type, accepts }]) =>
        type === "number" ? [name, { type, validate: accepts }] : [name, { validate: accepts }]
      ),
    ),
    addUsedSchema: false,
    logger: false,
    // Compare by a tolerance: 0.07 must be a multiple of 0.01, but its binary fraction isn't.
    multipleOfPrecision: 9,
    // A property such as `constructor` counts only if it is the value's own property, not an inherited one.
    ownProperties: true,
    strict: false,
    validateSchema: false,
    verbose: true,
  });
  const targets: Validate[] = [];
  const numbers = new Map<Schema, number>();
  const written = new WeakMap<object, Schema>();
  ajv.addKeyword({
    keyword: REFERENCE,
    code: (context) => callRef(context, context.gen.scopeValue("validate", { ref: targets[context.schema] })),
  });
  ajv.addKeyword({
    keyword: TRACKING,
    before: "not",
    code: ({ gen, it }) => {
      if (it.props !== true && !(it.props instanceof Name)) it.props = evaluatedPropsToName(gen, it.props);
      if (it.items !== true && !(it.items instanceof Name)) it.items = gen.var("items", it.items ?? 0);
    },
  });
  for (const keyword of ["readOnly", "writeOnly"]) {
    ajv.removeKeyword(keyword);
    ajv.addKeyword({ keyword, validate: () => false, error: { message: `must not be there: it is ${keyword}` } });
  }
  // Ajv's own implementation compares all pairs of items, which takes too long.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    validate: (_: boolean, items: readonly unknown[]) => new Set(items.map(equalityKey)).size === items.length,
    error: { message: "must not have the same item twice" },
  });

  return {
    create: createValidator,
    schemaOf: (json) => typeof json === "object" && json !== null ? written.get(json) : undefined,
  };

  function numberOf(schema: Schema): number {
    let number = numbers.get(schema);
    if (number === undefined) {
      numbers.set(schema, number = targets.length);
      targets.push(createValidator(schema));
    }
    return number;
  }

  /** Makes a validator that is compiled at its first call. */
  function createValidator(schema: Schema): Validate {
    let compiled: Validate | undefined;
    const open = new Set<unknown>();
    const validator: Validate = (value, context) => {
      // Recursion: a validation of the same value by the same schema is under way already.
      if (open.has(value)) return true;
      spend(steps, 1);
      open.add(value);
      try {
        compiled ??= compile(schema);
        const valid = compiled(value, context);
        validator.errors = compiled.errors ?? null;
        validator.evaluated = compiled.evaluated;
        return valid;
      } finally {
        open.delete(value);
      }
    };
    validator.evaluated = {};
    return validator;
  }

  function compile(schema: Schema): Validate {
    const piece: Piece = { schemas: new Set(), size: 0 };
    const json = toJsonSchema(schema, piece);
    if ((steps.schemas -= piece.size) < 0) throw new OutOfSteps();
    return ajv.compile(json) as Validate;
  }

  /**
   * Writes a schema for Ajv. A `$ref`, and a subschema that the piece already contains, becomes a {@linkcode
   * REFERENCE}.
   */
  function toJsonSchema(schema: Schema, piece: Piece): JsonObject {
    const json: JsonObject = {};
    written.set(json, schema);
    const { schemas } = piece;
    piece.size += 1 + (schema.references?.length ?? 0);
    if (schemas.has(schema) || schemas.size >= MOST_IN_ONE) {
      return Object.assign(json, { [REFERENCE]: numberOf(schema) });
    }
    schemas.add(schema);
    const write = (part: Schema): JsonObject => toJsonSchema(part, piece);
    if (schema.never !== undefined) {
      return Object.assign(json, schema.never === "false" ? { not: {} } : { [schema.never]: true });
    }
    if (schema.anyOf ?? schema.oneOf ?? schema.if ?? schema.dependentSchemas) json[TRACKING] = true;
    if (schema.types !== undefined) json["type"] = schema.types;
    // Ajv refuses an empty `enum`, which no value satisfies; `not: {}` means the same.
    if (schema.enum?.length === 0) json["not"] = {};
    else if (schema.enum !== undefined) json["enum"] = schema.enum;
    if (schema.const !== undefined) json["const"] = schema.const.value;
    for (const keyword of SCALARS) if (schema[keyword] !== undefined) json[keyword] = schema[keyword];
    for (const keyword of PARTS) {
      const part = keyword === "items" && schema.prefixItems !== undefined ? undefined : schema[keyword];
      if (part !== undefined) json[keyword] = part.never === "false" ? false : write(part);
    }
    // Put `if` into a branch of `anyOf`. Of an `if` that fails, Ajv counts properties as evaluated; of a branch that
    // fails, it doesn't.
    if (schema.if !== undefined) json["if"] = { [TRACKING]: true, anyOf: [write(schema.if)] };
    for (const keyword of COMBINATORS) {
      const members = schema[keyword];
      if (members !== undefined) json[keyword] = members.map(write);
    }
    for (const keyword of MAPS) {
      const members = schema[keyword];
      if (members !== undefined) json[keyword] = fromEntries([...members], write);
    }
    if (schema.dependentRequired !== undefined) {
      json["dependentRequired"] = fromEntries([...schema.dependentRequired], (names) => names);
    }
    const references = (schema.references ?? []).map(({ target }) => target())
      .filter((target) => target !== undefined).map((target) => ({ [REFERENCE]: numberOf(target) }));
    // A schema object has one value per keyword, so a second reference becomes a member of `allOf`.
    const [first, ...others] = references;
    Object.assign(json, first);
    const apart = [...others, ...tupleOf(schema, write), ...conditionOf(schema, write)];
    if (apart.length > 0) json["allOf"] = [...schema.allOf?.map(write) ?? [], ...apart];
    if (schema.not !== undefined && schema.enum?.length !== 0) json["not"] = write(schema.not);
    return json;
  }

  /**
   * An `if` without `then` and `else`, which Ajv leaves out, although it counts as evaluating properties. As a branch
   * beside `{}` it does so and can't fail.
   */
  function conditionOf(schema: Schema, write: (part: Schema) => JsonObject): JsonObject[] {
    if (schema.if === undefined || (schema.then ?? schema.else) !== undefined) return [];
    return [{ [TRACKING]: true, anyOf: [write(schema.if), {}] }];
  }

  /**
   * `prefixItems` and `items`, as a member of `allOf`. If they stand in an `if` and the array is shorter than
   * `prefixItems`, Ajv skips the keywords beside them.
   */
  function tupleOf({ node, prefixItems, items }: Schema, write: (part: Schema) => JsonObject): JsonObject[] {
    if (prefixItems === undefined) return [];
    const json: JsonObject = { prefixItems: prefixItems.map(write) };
    if (items !== undefined) json["items"] = items.never === "false" ? false : write(items);
    written.set(json, { node });
    return [json];
  }
}

const SCALARS = [
  "format",
  "multipleOf",
  "minimum",
  "exclusiveMinimum",
  "maximum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "pattern",
  "minContains",
  "maxContains",
  "minItems",
  "maxItems",
  "uniqueItems",
  "required",
  "minProperties",
  "maxProperties",
] as const;
const PARTS = [
  "items",
  "unevaluatedItems",
  "contains",
  "additionalProperties",
  "unevaluatedProperties",
  "propertyNames",
  "then",
  "else",
] as const;
const MAPS = ["properties", "patternProperties", "dependentSchemas"] as const;

/** `Object.fromEntries` with a function for the values. Unlike an assignment, it makes `__proto__` a normal key. */
function fromEntries<Value, Written>(
  pairs: [string, Value][],
  write: (value: Value) => Written,
): Record<string, Written> {
  return Object.fromEntries(pairs.map(([name, value]) => [name, write(value)]));
}
