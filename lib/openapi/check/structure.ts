import { dialectOf } from "../dialect.ts";
import type { Document } from "../document.ts";
import { loadFormats } from "../format.ts";
import { isObject, type JsonObject } from "../node.ts";
import type { Finding } from "../source.ts";
import { parseMediaType } from "../../http/media_type.ts";
import { explain, type SchemaError } from "./explain.ts";
import { loadObjectSchemas } from "./object_schema.ts";
import type { Kind, PlacedObject } from "./objects.ts";

/** What Ajv makes of a schema. */
interface Validate {
  (value: unknown): unknown;
  errors?: SchemaError[] | null;
}

/** Finds the objects that are not what the OpenAPI schema of the definition's version wants. */
export async function checkStructure(document: Document, objects: readonly PlacedObject[]): Promise<Finding[]> {
  const validatorOf = await loadValidators(document);
  return objects.flatMap((object) => {
    if (!isJudged(document, object)) return [];
    const { kind, node } = object;
    const validate = validatorOf(kind);
    if (validate === undefined || validate(node.value) === true) return [];
    // A schema may say itself that it follows another draft of JSON Schema.
    if (kind === "Schema" && isOfOlderDraft(document, object)) return [];
    return explain(validate.errors ?? [], kind)
      .map((fault) => ({ ...fault, source: node.source, pointer: node.pointer + fault.pointer }));
  });
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

/** The validators of a version's objects, each compiled when the first such object is met. */
async function loadValidators({ version }: Document): Promise<(kind: Kind) => Validate | undefined> {
  const [{ Ajv2020 }, formats, schemas] = await Promise.all([
    import("../ajv.ts"),
    loadFormats(),
    loadObjectSchemas(version),
  ]);
  const ajv = new Ajv2020({
    allErrors: true,
    addUsedSchema: false,
    formats: {
      "media-range": (text: string) => parseMediaType(text) !== undefined,
      ...Object.fromEntries(
        ["email", "regex", "uri", "uri-reference"].map((name) => [name, formats.get(name)?.accepts ?? true]),
      ),
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
  const validators = new Map<Kind, Validate>();
  return (kind) => {
    const schema: JsonObject | undefined = schemas.get(kind);
    if (!isObject(schema)) return undefined;
    const known = validators.get(kind) ?? ajv.compile(schema) as Validate;
    validators.set(kind, known);
    return known;
  };
}
