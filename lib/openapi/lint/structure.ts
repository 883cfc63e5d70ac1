import { dialectOf } from "../../schema/dialect.ts";
import type { Document } from "../document.ts";
import type { Version } from "../../schema/dialect.ts";
import { loadFormats } from "../../schema/format.ts";
import { isObject, type JsonObject } from "../../schema/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { parseMediaType } from "../../http/media_type.ts";
import { explain } from "./explain.ts";
import type { Kind } from "../../schema/kinds.ts";
import type { PlacedObject } from "./objects.ts";
import { findAtEach } from "./report.ts";
import type { SchemaError } from "./schema_errors.ts";

/** What Ajv makes of a schema. */
interface Validate {
  (value: unknown): unknown;
  errors?: SchemaError[] | null;
}

/** Validators by version, compiled once for all definitions that are checked with them. */
export type Validators = Map<Version, ReturnType<typeof loadValidators>>;

/** Finds the objects that are not what the OpenAPI schema of the definition's version wants. */
export async function checkStructure(
  document: Document,
  objects: readonly PlacedObject[],
  most?: number,
  validators: Validators = new Map(),
): Promise<UnlocatedDiagnostic[]> {
  const loading = validators.get(document.version) ?? loadValidators(document);
  validators.set(document.version, loading);
  const validatorOf = await loading;
  return findAtEach(objects, (object) => {
    if (!isJudged(document, object)) return [];
    const { kind, node } = object;
    const validate = validatorOf(kind, isLarge(node.value) ? "first" : "all");
    if (validate === undefined || validate(node.value) === true) return [];
    // A schema may say itself that it follows another draft of JSON Schema.
    if (kind === "Schema" && isOfOlderDraft(document, object)) return [];
    return explain(validate.errors ?? [], kind)
      .map((diagnostic) => ({ ...diagnostic, source: node.source, pointer: node.pointer + diagnostic.pointer }));
  }, most);
}

/** More entries than this in one object, and only its first violation is reported: nobody reads ten thousand. */
const MOST_ENTRIES = 10_000;

function isLarge(object: unknown): boolean {
  if (!isObject(object)) return false;
  const values = Object.values(object);
  return values.length > MOST_ENTRIES ||
    values.some((value) => typeof value === "object" && value !== null && Object.keys(value).length > MOST_ENTRIES);
}

/** Whether an object must have the form of its kind: what stands beside a `$ref` counts for nothing in most places. */
function isJudged({ version }: Document, { kind, node, isReference }: PlacedObject): boolean {
  // Before OpenAPI 3.1 `additionalProperties` is the one schema that may be true or false; its parent's form says so.
  if (kind === "Schema" && typeof node.value === "boolean" && node.pointer.endsWith("/additionalProperties")) {
    return false;
  }
  if (!isReference || kind === "PathItem") return true;
  return kind === "Schema" && (version === "3.1" || version === "3.2");
}

function isOfOlderDraft(document: Document, { node }: PlacedObject): boolean {
  return document.version !== "2.0" && document.version !== "3.0" && dialectOf(document, node).referenceStandsAlone;
}

/** How many violations of an object a validator reports. */
type Thoroughness = "first" | "all";

/** The validators of a version's objects, each compiled when the first such object is met. */
async function loadValidators(
  { version }: Document,
): Promise<(kind: Kind, thoroughness: Thoroughness) => Validate | undefined> {
  const [{ Ajv2020 }, formats, schemas] = await Promise.all([
    import("../../schema/ajv.ts"),
    loadFormats(),
    loadObjectSchemas(version),
  ]);
  const compilers = { first: createCompiler("first"), all: createCompiler("all") };
  const validators = { first: new Map<Kind, Validate>(), all: new Map<Kind, Validate>() };
  return (kind, thoroughness) => {
    const schema = schemas[kind];
    if (schema === undefined) return undefined;
    const validate = validators[thoroughness].get(kind) ?? compilers[thoroughness].compile(schema) as Validate;
    validators[thoroughness].set(kind, validate);
    return validate;
  };

  function createCompiler(thoroughness: Thoroughness): InstanceType<typeof Ajv2020> {
    const ajv = new Ajv2020({
      allErrors: thoroughness === "all",
      addUsedSchema: false,
      formats: {
        "media-range": (text: string) => parseMediaType(text) !== undefined,
        ...Object.fromEntries(FORMATS.map((name) => [name, formats.get(name)?.accepts ?? true])),
      },
      logger: false,
      strict: false,
      validateSchema: false,
      verbose: true,
    });
    // Ajv's own compares each item with each other.
    ajv.removeKeyword("uniqueItems");
    ajv.addKeyword({
      keyword: "uniqueItems",
      type: "array",
      validate: (isUnique: boolean, items: readonly unknown[]) =>
        !isUnique || new Set(items.map((item) => JSON.stringify(item))).size === items.length,
    });
    return ajv;
  }
}

/** The schema of each kind of object that a version has. `deno task schemas` cuts them from the published ones. */
type ObjectSchemas = Readonly<Partial<Record<Kind, JsonObject>>>;

async function loadObjectSchemas(version: Version): Promise<ObjectSchemas> {
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

/** The formats that the schemas of OpenAPI use. */
const FORMATS = ["email", "regex", "uri", "uri-reference"];
