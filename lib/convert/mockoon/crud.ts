/**
 * Converts CRUD routes of Mockoon (list, create, read, replace, update and delete by one route) into the operations of
 * a resource. `x-svc.mocking.stateful` makes gw keep its items.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { Leftover } from "../conversion.ts";
import type { Bucket, MockoonRoute } from "./environment.ts";
import { parseMockoonJson } from "./parse_json.ts";
import { isTemplated, readTemplate } from "./template.ts";

const JSON_TYPE = "application/json";

/** The query parameters by which Mockoon pages and sorts a list. */
const LIST_PARAMETERS = ["page", "limit", "sort", "order"].map((name) => ({
  name,
  in: "query",
  schema: { type: name === "page" || name === "limit" ? "integer" : "string" },
}));

/** The suffixes of query parameters that filter a list in both Mockoon and gw: `age_gte=18`. */
const COMPARISONS = ["eq", "ne", "gt", "gte", "lt", "lte"];

/** The items of a Mockoon data bucket, which a CRUD route serves. */
interface Collection {
  item: ItemSchema;
  /** The items; absent if gw generates them from the schema. */
  examples?: JsonObject[];
  /** The number of items that Mockoon starts with. */
  count: number;
}

/** The path items of a collection and of its items, which all CRUD routes with the same data share. */
export interface CrudPaths {
  /** The name of the data bucket. */
  name: string;
  list: JsonObject;
  item: JsonObject;
  /** The number of items that Mockoon starts with. */
  count: number;
  isGenerated: boolean;
}

/**
 * Creates the conversion of CRUD routes. It converts each data bucket once, however many routes serve it.
 *
 * @param buckets The data buckets by id.
 * @returns A function that converts a route, to the same object for the same data; `undefined` if its data isn't a list
 * of objects.
 */
export function createCrudConversion(
  buckets: ReadonlyMap<string, Bucket>,
  leftovers: Leftover[],
): (route: MockoonRoute) => CrudPaths | undefined {
  const known = new Map<string, CrudPaths | undefined>();
  return ({ responses: [response], pointer }) => {
    const bucket = response && buckets.get(response.bucket);
    if (response === undefined || bucket === undefined) {
      leftovers.push({ pointer, message: "This CRUD route has no data bucket. Write its operations by hand." });
      return undefined;
    }
    const { crudKey } = response;
    const cacheKey = JSON.stringify([bucket.id, crudKey]);
    const crud = known.has(cacheKey) ? known.get(cacheKey) : convertBucket(bucket, crudKey, leftovers);
    known.set(cacheKey, crud);
    if (crud !== undefined && crudKey.includes(".")) {
      leftovers.push({
        pointer: `${response.pointer}/crudKey`,
        message: "gw makes ids in such a place only where the definition's schema has them: check with gw resources.",
      });
    }
    return crud;
  };
}

/** Converts a data bucket; `undefined` if it isn't a list of objects. */
function convertBucket(bucket: Bucket, key: string, leftovers: Leftover[]): CrudPaths | undefined {
  const collection = collectionOf(bucket, key, leftovers);
  if (collection === undefined) {
    leftovers.push({
      pointer: bucket.pointer,
      message: "gw keeps lists of objects only. Write the operations of this data by hand (documentation, page state).",
    });
    return undefined;
  }
  const { count, examples } = collection;
  return { name: bucket.name, ...pathItems(collection), count, isGenerated: examples === undefined };
}

/** Reads the items of a data bucket; `undefined` if they aren't objects. */
function collectionOf(bucket: Bucket, key: string, leftovers: Leftover[]): Collection | undefined {
  const template = isTemplated(bucket.value) ? readTemplate(bucket.value) : undefined;
  if (template === undefined) {
    const items = parseMockoonJson(bucket.value);
    if (!Array.isArray(items) || !items.every(isObject)) return undefined;
    return { item: itemSchema(items, key), examples: items, count: items.length };
  }
  for (const left of new Set(template.left)) {
    leftovers.push({
      pointer: `${bucket.pointer}/value`,
      message: `gw has nothing for {{${left}}}: it generates a text there.`,
    });
  }
  const { items, minItems } = template.schema;
  if (isObject(items) && isObject(items["properties"])) {
    return { item: { ...items, properties: items["properties"] as ItemSchema["properties"] }, count: Number(minItems) };
  }
  if (!Array.isArray(template.sample) || !template.sample.every(isObject)) return undefined;
  leftovers.push({
    pointer: `${bucket.pointer}/value`,
    message: "The templates became fixed values: gw begins with these items.",
  });
  return { item: itemSchema(template.sample, key), examples: template.sample, count: template.sample.length };
}

/** Makes the path items of a collection and of its items. */
function pathItems({ item, examples }: Collection): { list: JsonObject; item: JsonObject } {
  const body = { required: true, content: { [JSON_TYPE]: { schema: { type: "object" } } } };
  const answer = (description: string, media: JsonObject = { schema: item }): JsonObject => ({
    description,
    content: { [JSON_TYPE]: media },
  });
  const missing = { description: "No such item", content: { [JSON_TYPE]: { example: {} } } };
  const items = {
    ...answer("The items", {
      schema: { type: "array", items: item },
      ...examples === undefined ? {} : { example: examples },
    }),
    headers: { "X-Total-Count": { schema: { type: "integer" } } },
  };
  const filters = Object.entries(item.properties)
    .flatMap(([name, { type }]) =>
      COMPARISONS.map((comparison) => ({
        name: `${name}_${comparison}`,
        in: "query",
        schema: type === undefined ? {} : { type },
      }))
    );
  return {
    list: {
      "x-svc": { mocking: { stateful: true } },
      get: { parameters: [...LIST_PARAMETERS, ...filters], responses: { "200": items } },
      post: { requestBody: body, responses: { "201": answer("Created") } },
    },
    item: {
      "x-svc": { mocking: { stateful: true } },
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      get: { responses: { "200": answer("The item"), "404": missing } },
      put: { requestBody: body, responses: { "200": answer("Replaced"), "404": missing } },
      patch: { requestBody: body, responses: { "200": answer("Changed"), "404": missing } },
      delete: {
        responses: { "200": { description: "Deleted", content: { [JSON_TYPE]: { example: {} } } }, "404": missing },
      },
    },
  };
}

interface ItemSchema extends JsonObject {
  properties: Record<string, { type?: string | string[] }>;
}

/** Infers the schema of items: the properties that occur in them, with the types of their values. */
function itemSchema(items: readonly JsonObject[], key: string): ItemSchema {
  const typesByName = new Map<string, Set<string>>();
  for (const [name, value] of items.flatMap((item) => Object.entries(item))) {
    const types = typesByName.get(name) ?? new Set();
    typesByName.set(name, types.add(typeOf(value)));
  }
  const properties = Object.fromEntries(
    [...typesByName].map(([name, types]) => [name, { type: types.size === 1 ? [...types].join() : [...types] }]),
  );
  return { type: "object", ...typesByName.has(key) ? { required: [key] } : {}, properties };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" ? Number.isInteger(value) ? "integer" : "number" : typeof value;
}
