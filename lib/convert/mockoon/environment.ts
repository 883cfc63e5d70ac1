/**
 * Reads environment files of Mockoon 9 (`lastMigration` 33). A field that is missing, or has another type, gets
 * Mockoon's default.
 *
 * @see {@link https://mockoon.com/docs/latest/mockoon-data-files/data-files-location/ Mockoon's data files}
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";

/** An environment of Mockoon: a mock server with its routes. */
export interface Environment {
  readonly name: string;
  readonly prefix: string;
  readonly latency: number;
  readonly port: number | undefined;
  readonly hostname: string;
  readonly hasCors: boolean;
  readonly headers: readonly Header[];
  readonly routes: readonly MockoonRoute[];
  readonly buckets: readonly Bucket[];
  readonly proxy: string | undefined;
  readonly tls: JsonObject | undefined;
  readonly callbacks: number;
}

/** A header of a response. Its value may be a Handlebars template. */
export interface Header {
  readonly key: string;
  readonly value: string;
}

/** A route of Mockoon. `pointer` is its JSON Pointer in the environment file. */
export interface MockoonRoute {
  readonly pointer: string;
  readonly type: string;
  readonly method: string;
  readonly endpoint: string;
  readonly documentation: string;
  readonly mode: string | undefined;
  readonly isStreamed: boolean;
  readonly responses: readonly RouteResponse[];
}

/**
 * A response of a route; a route has several, which rules choose among. `pointer` is its JSON Pointer in the
 * environment file.
 */
export interface RouteResponse {
  readonly pointer: string;
  readonly status: number;
  readonly label: string;
  readonly body: string;
  readonly bodyType: string;
  readonly filePath: string;
  readonly bucket: string;
  readonly headers: readonly Header[];
  readonly latency: number;
  readonly rules: readonly MockoonRule[];
  readonly needsAllRules: boolean;
  readonly hasTemplates: boolean;
  readonly isDefault: boolean;
  readonly fallsBackTo404: boolean;
  readonly crudKey: string;
  readonly callbacks: number;
}

/**
 * A condition on requests, under which Mockoon chooses a response. `pointer` is its JSON Pointer in the environment
 * file.
 */
export interface MockoonRule {
  readonly pointer: string;
  readonly target: string;
  readonly modifier: string;
  readonly value: string;
  readonly operator: string;
  readonly isInverted: boolean;
}

/** A data bucket of Mockoon: a body that several responses share. */
export interface Bucket {
  readonly pointer: string;
  readonly id: string;
  readonly name: string;
  readonly value: string;
}

/** Tells whether a value is an environment file of Mockoon. */
export function isEnvironment(value: unknown): value is JsonObject {
  return isObject(value) && Array.isArray(value["routes"]) && typeof value["lastMigration"] === "number";
}

export function readEnvironment(value: JsonObject): Environment {
  const tls = value["tlsOptions"];
  return {
    name: stringIn(value, "name"),
    prefix: stringIn(value, "endpointPrefix"),
    latency: numberIn(value, "latency"),
    port: numberIn(value, "port") || undefined,
    hostname: stringIn(value, "hostname"),
    hasCors: value["cors"] !== false,
    headers: headersIn(value),
    routes: objectsIn(value, "routes").map(([item, index]) => readRoute(item, `/routes/${index}`)),
    buckets: objectsIn(value, "data").map(([item, index]) => ({
      pointer: `/data/${index}`,
      id: stringIn(item, "id"),
      name: stringIn(item, "name"),
      value: stringIn(item, "value"),
    })),
    proxy: value["proxyMode"] === true ? stringIn(value, "proxyHost") : undefined,
    tls: isObject(tls) && tls["enabled"] === true ? tls : undefined,
    callbacks: objectsIn(value, "callbacks").length,
  };
}

function readRoute(value: JsonObject, pointer: string): MockoonRoute {
  return {
    pointer,
    type: stringIn(value, "type") || "http",
    method: stringIn(value, "method").toLowerCase(),
    endpoint: stringIn(value, "endpoint"),
    documentation: stringIn(value, "documentation"),
    mode: stringIn(value, "responseMode") || undefined,
    isStreamed: stringIn(value, "streamingMode") !== "",
    responses: objectsIn(value, "responses").map(([item, index]) =>
      readResponse(item, `${pointer}/responses/${index}`)
    ),
  };
}

function readResponse(value: JsonObject, pointer: string): RouteResponse {
  return {
    pointer,
    status: numberIn(value, "statusCode") || 200,
    label: stringIn(value, "label"),
    body: stringIn(value, "body"),
    bodyType: stringIn(value, "bodyType") || "INLINE",
    filePath: stringIn(value, "filePath"),
    bucket: stringIn(value, "databucketID"),
    headers: headersIn(value),
    latency: numberIn(value, "latency"),
    rules: objectsIn(value, "rules").map(([item, index]) => ({
      pointer: `${pointer}/rules/${index}`,
      target: stringIn(item, "target"),
      modifier: stringIn(item, "modifier"),
      value: stringIn(item, "value"),
      operator: stringIn(item, "operator") || "equals",
      isInverted: item["invert"] === true,
    })),
    needsAllRules: value["rulesOperator"] === "AND",
    hasTemplates: value["disableTemplating"] !== true,
    isDefault: value["default"] === true,
    fallsBackTo404: value["fallbackTo404"] === true,
    crudKey: stringIn(value, "crudKey") || "id",
    callbacks: objectsIn(value, "callbacks").length,
  };
}

function headersIn(value: JsonObject): Header[] {
  return objectsIn(value, "headers")
    .map(([item]) => ({ key: stringIn(item, "key"), value: stringIn(item, "value") }))
    .filter(({ key }) => key !== "");
}

function stringIn(value: JsonObject, key: string): string {
  const item = value[key];
  return typeof item === "string" ? item : "";
}

function numberIn(value: JsonObject, key: string): number {
  const item = value[key];
  return typeof item === "number" && Number.isFinite(item) ? item : 0;
}

/** Returns the objects in the array at a key, with their indexes; an empty list if there is no array. */
function objectsIn(value: JsonObject, key: string): [JsonObject, number][] {
  const list = value[key];
  if (!Array.isArray(list)) return [];
  return list.flatMap((item, index): [JsonObject, number][] => isObject(item) ? [[item, index]] : []);
}
