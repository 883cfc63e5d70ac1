import { parseMediaType } from "../../http/media_type.ts";
import { loadPatternReader } from "../../regexp/pattern.ts";
import { dialectOf, type Version } from "../../schema/dialect.ts";
import { type Format, loadFormats } from "../../schema/format.ts";
import type { Kind } from "../../schema/kinds.ts";
import { child, isObject, type JsonObject, type Node, rootOf } from "../../schema/json/node.ts";
import { createSchemaReader, type SchemaReader } from "../../schema/schema_reader.ts";
import type { Source } from "../../schema/json/source.ts";
import { createValidator, type Validator } from "../../schema/validator.ts";
import type { Violation } from "../../schema/violation.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import type { Document } from "../document.ts";
import { explain } from "./explain.ts";
import type { PlacedObject } from "./objects.ts";
import { findAtEach } from "./report.ts";
import { toSchemaErrors } from "./schema_errors.ts";

/** A cache of the validators of objects by version of OpenAPI, shared by the checks of several definitions. */
export type Validators = Map<Version, Promise<ObjectValidator>>;

/** Finds objects that are invalid against the OpenAPI Specification's own schema for the version of the definition. */
export async function checkStructure(
  document: Document,
  objects: readonly PlacedObject[],
  most?: number,
  validators: Validators = new Map(),
): Promise<UnlocatedDiagnostic[]> {
  const loading = validators.get(document.version) ?? loadObjectValidator(document.version);
  validators.set(document.version, loading);
  const validator = await loading;
  return findAtEach(objects, (object) => {
    if (!isChecked(document, object)) return [];
    const { kind, node } = object;
    const violations = validator.violationsOf(kind, node.value);
    // A Schema Object whose `$schema` names an older draft of JSON Schema is skipped: the OpenAPI schema describes
    // another dialect.
    if (violations.length === 0 || (kind === "Schema" && isOfOlderDraft(document, object))) return [];
    return explain(toSchemaErrors(violations, validator.schemas, node.value), kind)
      .map((diagnostic) => ({ ...diagnostic, source: node.source, pointer: node.pointer + diagnostic.pointer }));
  }, most);
}

/**
 * Whether an object is validated against the schema of its kind. A Reference Object isn't, since its target replaces
 * it.
 */
function isChecked({ version }: Document, { kind, node, isReference }: PlacedObject): boolean {
  // `additionalProperties` may be a boolean in any version, so the schema of the enclosing object validates it. The
  // schema for Schema Objects of OpenAPI 3.0 would refuse a boolean.
  if (kind === "Schema" && typeof node.value === "boolean" && node.pointer.endsWith("/additionalProperties")) {
    return false;
  }
  if (!isReference || kind === "PathItem") return true;
  return kind === "Schema" && (version === "3.1" || version === "3.2");
}

function isOfOlderDraft(document: Document, { node }: PlacedObject): boolean {
  return document.version !== "2.0" && document.version !== "3.0" && dialectOf(document, node).referenceStandsAlone;
}

/** Limit of the violations that are listed for one object. */
const MOST_VIOLATIONS = 10_000;

/**
 * Limit of the keys of an object, and of the entries in each of its fields. For a larger object, only the first
 * violation is listed.
 */
const MOST_ENTRIES = 10_000;

function isLarge(object: unknown): boolean {
  if (!isObject(object)) return false;
  const values = Object.values(object);
  return values.length > MOST_ENTRIES ||
    values.some((value) => typeof value === "object" && value !== null && Object.keys(value).length > MOST_ENTRIES);
}

class ObjectValidator {
  /**
   * The schema of each kind of object. `deno task schemas` cuts these schemas out of the one that OpenAPI publishes for
   * the version.
   */
  readonly schemas: JsonObject;
  readonly #validator: Validator;
  readonly #reader: SchemaReader;
  readonly #root: Node;

  constructor(schemas: JsonObject, validator: Validator) {
    this.schemas = schemas;
    this.#validator = validator;
    const source: Source = { uri: "", value: schemas, isJson: true, isShared: false, text: () => "", locate: () => [] };
    this.#root = rootOf(source);
    this.#reader = createSchemaReader({
      version: "3.1",
      root: rootOf(source) as Node<"OpenAPI">,
      sources: new Map([["", source]]),
      named: new Map(),
    }, "response");
  }

  violationsOf(kind: Kind, value: unknown): readonly Violation[] {
    if (!Object.hasOwn(this.schemas, kind)) return [];
    const schema = this.#reader.read(child(this.#root, kind));
    if (this.#validator.isValid(value, schema)) return [];
    const most = isLarge(value) ? 1 : MOST_VIOLATIONS;
    return this.#validator.violationsOf(value, schema, most);
  }
}

async function loadObjectValidator(version: Version): Promise<ObjectValidator> {
  const [schemas, known, readPattern] = await Promise.all([loadSchemas(version), loadFormats(), loadPatternReader()]);
  const formats = new Map(FORMATS.flatMap((name): [string, Format][] => {
    const format = known.get(name);
    return format === undefined ? [] : [[name, format]];
  }));
  return new ObjectValidator(schemas, createValidator(formats.set("media-range", MEDIA_RANGE), readPattern));
}

async function loadSchemas(version: Version): Promise<JsonObject> {
  switch (version) {
    case "2.0":
      return (await import("./schemas/2.0.json", { with: { type: "json" } })).default;
    case "3.0":
      return (await import("./schemas/3.0.json", { with: { type: "json" } })).default;
    case "3.1":
      return (await import("./schemas/3.1.json", { with: { type: "json" } })).default;
    case "3.2":
      return (await import("./schemas/3.2.json", { with: { type: "json" } })).default;
  }
}

/** The formats that the schemas of OpenAPI use, except for `media-range`. */
const FORMATS = ["email", "regex", "uri", "uri-reference"];

const MEDIA_RANGE: Format = {
  type: "string",
  accepts: (value) => typeof value !== "string" || parseMediaType(value) !== undefined,
};
