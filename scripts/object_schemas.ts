/**
 * Cuts the published schemas of OpenAPI into one JSON Schema for each kind of object, for `deno task schemas`, which
 * writes lib/openapi/lint/schemas/. A cut schema doesn't restrict the objects inside its object. So each object is
 * validated by itself: mistakes in one object don't hide those in another, and a message names the object.
 *
 * @module
 */
import type { Version } from "../lib/schema/dialect.ts";
import { type Kind, KINDS } from "../lib/schema/kinds.ts";
import { isObject, type JsonObject } from "../lib/schema/json/node.ts";
import { parsePointer } from "../lib/schema/json/pointer.ts";

export const VERSIONS: readonly Version[] = ["2.0", "3.0", "3.1", "3.2"];

export function fileOf(version: Version): URL {
  return new URL(`../lib/openapi/lint/schemas/${version}.json`, import.meta.url);
}

/** The text of the file for a version, with one line for each kind. */
export async function objectSchemas(version: Version): Promise<string> {
  const schemas = await cutSchemas(version);
  const lines = [...schemas].map(([kind, schema]) => `  ${JSON.stringify(kind)}: ${JSON.stringify(schema)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

/** The published schema of a version, and where it describes each kind of object. */
interface Published {
  root: JsonObject;
  /** Returns the name of the entry in `$defs` or `definitions` that describes a kind. */
  nameOf: (kind: Kind) => string;
  /** The schemas of kinds that have no entry in `$defs` or `definitions`. */
  others: Partial<Record<Kind, JsonObject>>;
  /** Schemas that the published schema refers to, by URI without fragment. */
  external: Readonly<Record<string, JsonObject>>;
}

/** Makes the schema of each kind of object in a version. The schemas contain no references. */
async function cutSchemas(version: Version): Promise<ReadonlyMap<Kind, JsonObject>> {
  const published = await loadPublished(version);
  const definitions = definitionsOf(published.root);
  const parts = new Set(KINDS.map(published.nameOf));
  const schemas = new Map<Kind, JsonObject>();
  for (const kind of KINDS) {
    const other = published.others[kind];
    const schema = other ?? (kind === "OpenAPI" ? published.root : definitions[published.nameOf(kind)]);
    if (!isObject(schema)) continue;
    const root = other?.["$defs"] === undefined ? published.root : other;
    const cut = cutSchema(schema, { published, parts, root, inside: [] });
    if (isObject(cut)) schemas.set(kind, cut);
  }
  return schemas;
}

async function loadPublished(version: Version): Promise<Published> {
  switch (version) {
    case "2.0": {
      const [{ default: root }, { default: draft04 }] = await Promise.all([
        import("@seriousme/openapi-schema-validator/schemas/v2.0/schema.json", { with: { type: "json" } }),
        import("ajv-draft-04/dist/refs/json-schema-draft-04.json", { with: { type: "json" } }),
      ]);
      const { schema, securityDefinitions } = root.definitions;
      const type = { anyOf: [{ const: "file" }, schema.properties.type] };
      return {
        root,
        nameOf: (kind) => NAMES_20[kind] ?? kind.charAt(0).toLowerCase() + kind.slice(1),
        others: {
          OpenAPI: { ...root, properties: { ...root.properties, securityDefinitions: { type: "object" } } },
          Schema: { ...schema, properties: { ...schema.properties, type } },
          SecurityScheme: securityDefinitions.additionalProperties,
        },
        external: { "http://json-schema.org/draft-04/schema": draft04 },
      };
    }
    case "3.0": {
      const { default: root } = await import(
        "@seriousme/openapi-schema-validator/schemas/v3.0/schema.json",
        { with: { type: "json" } }
      );
      return { root, nameOf: (kind) => kind, others: {}, external: {} };
    }
    case "3.1": {
      const { default: root } = await import(
        "@seriousme/openapi-schema-validator/schemas/v3.1/schema.json",
        { with: { type: "json" } }
      );
      const others = { Schema: await loadJsonSchema(), Discriminator: DISCRIMINATOR_31, XML: XML_31 };
      return { root, nameOf: kebabCase, others, external: {} };
    }
    case "3.2": {
      const { default: root } = await import(
        "@seriousme/openapi-schema-validator/schemas/v3.2/schema.json",
        { with: { type: "json" } }
      );
      const others = { Schema: await loadJsonSchema(), Discriminator: DISCRIMINATOR_32, XML: XML_32 };
      return { root, nameOf: kebabCase, others, external: {} };
    }
  }
}

const NAMES_20: Partial<Record<Kind, string>> = { ExternalDocumentation: "externalDocs", XML: "xml" };

function kebabCase(kind: Kind): string {
  return kind === "Callback" ? "callbacks" : kind.replace(/([a-z])([A-Z])/g, "$1-$2").toLowerCase();
}

/** The meta-schema of JSON Schema 2020-12, with all vocabularies merged into one schema. */
async function loadJsonSchema(): Promise<JsonObject> {
  const vocabularies = await Promise.all([
    import("ajv/dist/refs/json-schema-2020-12/meta/core.json", { with: { type: "json" } }),
    import("ajv/dist/refs/json-schema-2020-12/meta/applicator.json", { with: { type: "json" } }),
    import("ajv/dist/refs/json-schema-2020-12/meta/unevaluated.json", { with: { type: "json" } }),
    import("ajv/dist/refs/json-schema-2020-12/meta/validation.json", { with: { type: "json" } }),
    import("ajv/dist/refs/json-schema-2020-12/meta/meta-data.json", { with: { type: "json" } }),
    import("ajv/dist/refs/json-schema-2020-12/meta/format-annotation.json", { with: { type: "json" } }),
    import("ajv/dist/refs/json-schema-2020-12/meta/content.json", { with: { type: "json" } }),
  ]);
  const schemas: JsonObject[] = vocabularies.map(({ default: schema }) => schema);
  return {
    type: ["object", "boolean"],
    properties: Object.assign({}, ...schemas.map(({ properties }) => properties)),
    $defs: Object.assign({}, ...schemas.map(({ $defs }) => $defs)),
  };
}

/**
 * The Discriminator and XML Objects of OpenAPI 3.1 and 3.2. Their published schemas are part of a vocabulary's
 * meta-schema, so they are copied here.
 */
const DISCRIMINATOR_31 = {
  type: "object",
  required: ["propertyName"],
  properties: {
    propertyName: { type: "string" },
    mapping: { type: "object", additionalProperties: { type: "string" } },
  },
  patternProperties: { "^x-": true },
  additionalProperties: false,
};
const DISCRIMINATOR_32 = {
  ...DISCRIMINATOR_31,
  properties: { ...DISCRIMINATOR_31.properties, defaultMapping: { type: "string" } },
};
const XML_31 = {
  type: "object",
  properties: {
    name: { type: "string" },
    namespace: { type: "string", format: "uri-reference" },
    prefix: { type: "string" },
    attribute: { type: "boolean" },
    wrapped: { type: "boolean" },
  },
  patternProperties: { "^x-": true },
  additionalProperties: false,
};
const XML_32 = {
  ...XML_31,
  properties: { ...XML_31.properties, nodeType: { enum: ["element", "attribute", "text", "cdata", "none"] } },
};

/** A place in a published schema, while it is being cut. */
interface Place {
  published: Published;
  /** The names of definitions that describe a kind of object. */
  parts: ReadonlySet<string>;
  /** The schema that the reference `#` leads to. */
  root: JsonObject;
  /** The entries of `$defs` or `definitions` that contain the place, to detect recursion. */
  inside: readonly unknown[];
}

/** Names of definitions that stand for another kind of object, or for a reference to it. */
const PLACEHOLDERS = /^(?:.*-or-reference|schema|reference|Reference|jsonReference|fileSchema|responseValue)$/;

const MAPS = new Set(["properties", "patternProperties", "dependentSchemas"]);
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords that restrict no values, and keywords that `cutSchema` replaces. */
const IGNORED = new Set([
  "$ref",
  "id",
  "$id",
  "$schema",
  "$anchor",
  "$dynamicAnchor",
  "$comment",
  "title",
  "description",
  "default",
  "definitions",
  "$defs",
]);

/**
 * Replaces the references in a schema by their targets, or by `true` if the target describes another kind of object.
 */
function cutSchema(schema: unknown, place: Place): unknown {
  if (!isObject(schema)) return schema;
  if (schema["$dynamicRef"] !== undefined) return true;
  const cut: JsonObject = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (!IGNORED.has(keyword)) cut[keyword] = cutKeyword(keyword, value, place);
  }
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = cut[keyword];
    if (Array.isArray(branches) && branches.includes(true)) delete cut[keyword];
  }
  if (Array.isArray(cut["oneOf"])) selectBranches(cut, cut["oneOf"].filter(isObject));
  // In draft 4, `exclusiveMinimum` is a boolean that makes `minimum` exclusive.
  if (cut["exclusiveMinimum"] === true) cut["exclusiveMinimum"] = cut["minimum"];

  const target = typeof schema["$ref"] === "string" ? cutReference(schema["$ref"], place) : true;
  const alone = Object.keys(cut).length === 0;
  if (target === true) return alone ? true : cut;
  return alone ? target : { ...cut, allOf: [target, ...(Array.isArray(cut["allOf"]) ? cut["allOf"] : [])] };
}

function cutKeyword(keyword: string, value: unknown, place: Place): unknown {
  if (MAPS.has(keyword) && isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, cutSchema(part, place)]));
  }
  if (LISTS.has(keyword) && Array.isArray(value)) return value.map((branch) => cutSchema(branch, place));
  return keyword === "const" ? value : cutSchema(value, place);
}

/** The target of a reference; `true` if it describes another kind of object, or contains the place itself. */
function cutReference(reference: string, place: Place): unknown {
  const [uri = "", pointer = ""] = reference.split("#");
  const root = uri === "" ? place.root : place.published.external[uri];
  const tokens = parsePointer(pointer);
  const [, name = "", deeper] = tokens;
  if (root === place.published.root && deeper === undefined && (place.parts.has(name) || PLACEHOLDERS.test(name))) {
    return true;
  }
  let target: unknown = root;
  for (const token of tokens) target = isObject(target) ? target[token] : undefined;
  if (root === undefined || target === undefined) throw new Error(`${reference} leads nowhere`);
  return place.inside.includes(target)
    ? true
    : cutSchema(target, { ...place, root, inside: [...place.inside, target] });
}

/** Properties whose value selects a branch of a `oneOf`, such as `in` of a Parameter Object. */
const SELECTORS = ["in", "type", "flow"];

/**
 * Replaces a `oneOf` by `if` and `then` for each value of a property such as `in`. Otherwise the branches for other
 * values would report violations too.
 */
function selectBranches(schema: JsonObject, branches: readonly JsonObject[], selectors = SELECTORS): void {
  for (const [index, property] of selectors.entries()) {
    const values = branches.map((branch) => valuesOf(branch, property));
    if (values.includes(undefined)) continue;
    const groups = Map.groupBy(branches, (branch) => JSON.stringify(valuesOf(branch, property)));
    if (groups.size === 1) continue;
    const known = { properties: { [property]: { enum: [...new Set(values.flatMap((some) => some ?? []))] } } };
    const conditions = [...groups].map(([values, group]) => {
      const then: JsonObject = group.length === 1 ? { ...group[0] } : { oneOf: group };
      if (group.length > 1) selectBranches(then, group, selectors.slice(index + 1));
      return { if: { properties: { [property]: { enum: JSON.parse(values) } }, required: [property] }, then };
    });
    delete schema["oneOf"];
    schema["allOf"] = [...(Array.isArray(schema["allOf"]) ? schema["allOf"] : []), known, ...conditions];
    return;
  }
}

function valuesOf(schema: JsonObject, property: string): unknown[] | undefined {
  const properties = schema["properties"];
  const own = isObject(properties) ? properties[property] : undefined;
  if (isObject(own) && Array.isArray(own["enum"])) return own["enum"];
  const conditions = Array.isArray(schema["allOf"]) ? schema["allOf"].filter(isObject) : [];
  return conditions.map((condition) => valuesOf(condition, property)).find((values) => values !== undefined);
}

function definitionsOf(root: JsonObject): JsonObject {
  const definitions = root["definitions"] ?? root["$defs"];
  return isObject(definitions) ? definitions : {};
}

if (import.meta.main) {
  for (const version of VERSIONS) await Deno.writeTextFile(fileOf(version), await objectSchemas(version));
}
