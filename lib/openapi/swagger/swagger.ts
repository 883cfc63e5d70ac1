/**
 * Converts Swagger 2.0 to OpenAPI 3.0 with a library, and completes what the library doesn't convert: references to
 * bodies, and named examples.
 *
 * @module
 * @see {@link https://spec.openapis.org/oas/v2.0.html OpenAPI Specification 2.0}
 */
import { messageOf } from "../../http/message.ts";
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import type { Place, Source } from "../../schema/json/source.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import type { ReadSource } from "../text/source.ts";
import { TAB_DELIMITED } from "../definition_keys.ts";
import { moveNamedExamples } from "./swagger_examples.ts";
import { restoreMediaTypes } from "./swagger_media_types.ts";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch"];

/** Replacements, in this order, that turn a JSON Pointer of the converted definition into one of the original text. */
const WRITTEN: readonly (readonly [RegExp, string])[] = [
  [/^\/components\/schemas(?=\/|$)/, "/definitions"],
  [/^\/components\/(?:parameters|requestBodies)(?=\/|$)/, "/parameters"],
  [/^\/components\/responses(?=\/|$)/, "/responses"],
  [/^\/components\/securitySchemes(?=\/|$)/, "/securityDefinitions"],
  [/\/content\/([^/]+)\/(?:example|examples\/default\/value)(?=\/|$)/, "/examples/$1"],
  [/\/content\/([^/]+)\/examples(?=\/|$)/, "/x-examples/$1"],
  [/\/content\/[^/]+/, ""],
  [/\/requestBody(?=\/|$)/, "/parameters"],
];

/**
 * Converts a definition of Swagger 2.0 to OpenAPI 3.0.
 *
 * @returns A source with the converted value. Its `locate` finds places of the converted value in the Swagger 2.0 text;
 * a place without counterpart has the offset of its nearest enclosing value.
 */
export function convertSwagger(source: Source): ReadSource {
  if (!isObject(source.value)) return { source, diagnostics: [] };
  let converted: unknown;
  try {
    const copy = structuredClone(source.value);
    prepareParameters(copy);
    converted = upgradeFromTwoToThree(copy);
  } catch (error) {
    return refuse(source, messageOf(error));
  }
  if (!isObject(converted)) return { source, diagnostics: [] };
  for (const [path, pathItem] of Object.entries(partsOf(converted, "paths"))) {
    if (!isObject(pathItem)) continue;
    moveBodyReferences(pathItem);
    const written = partsOf(partsOf(source.value, "paths"), path);
    for (const method of METHODS) {
      const operation = pathItem[method];
      if (!isObject(operation)) continue;
      restoreResponses(partsOf(operation, "responses"), partsOf(written, method), source.value["produces"]);
      moveNamedExamples(operation);
      moveTabDelimited(operation);
    }
  }
  restoreResponses(partsOf(partsOf(converted, "components"), "responses"), source.value, undefined);
  // `definitions` is kept beside the converted schemas, because other texts may refer to `#/definitions/…`.
  const value = { ...converted, definitions: source.value["definitions"] };
  const { originOf } = source;
  const convertedSource: Source = {
    ...source,
    value,
    locate: (places) => source.locate(places.map(toWritten)),
    ...(originOf === undefined ? {} : { originOf: (place) => originOf(toWritten(place)) }),
  };
  return { source: convertedSource, diagnostics: [] };
}

/**
 * Removes `parameters` that are no list, for which the library throws, and marks the parameters with `collectionFormat:
 * tsv`, which it reads as if they had none.
 */
function prepareParameters(definition: JsonObject): void {
  const pathItems = Object.values(isObject(definition["paths"]) ? definition["paths"] : {}).filter(isObject);
  const operations = pathItems.flatMap((pathItem) => METHODS.map((method) => pathItem[method]).filter(isObject));
  const shared = isObject(definition["parameters"]) ? Object.values(definition["parameters"]) : [];
  const owners = [...pathItems, ...operations];
  for (const owner of owners) if (!Array.isArray(owner["parameters"])) delete owner["parameters"];
  const declared = owners.flatMap(({ parameters }) => Array.isArray(parameters) ? parameters : []);
  for (const parameter of [...shared, ...declared]) {
    if (isObject(parameter) && parameter["collectionFormat"] === "tsv") parameter[TAB_DELIMITED] = true;
  }
}

/** Moves the marks of tabs from the schemas of a form's properties to their Encoding Objects. */
function moveTabDelimited(operation: JsonObject): void {
  for (const media of Object.values(partsOf(partsOf(operation, "requestBody"), "content")).filter(isObject)) {
    for (const [name, property] of Object.entries(partsOf(partsOf(media, "schema"), "properties"))) {
      if (!isObject(property) || property[TAB_DELIMITED] !== true) continue;
      delete property[TAB_DELIMITED];
      media["encoding"] = { ...partsOf(media, "encoding"), [name]: { [TAB_DELIMITED]: true } };
    }
  }
}

/** Reports a definition that the library can't convert, for example because a field is missing. */
function refuse(source: Source, reason: string): ReadSource {
  const message = `This definition of Swagger 2.0 can't be converted: ${reason.replace(/\.$/, "")}.`;
  const refusal: UnlocatedDiagnostic = { severity: "error", code: "bad-swagger", message, source, pointer: "" };
  return { source, diagnostics: [refusal] };
}

/** Adds the media types that the responses of an operation, or of the definition, have lost. */
function restoreResponses(responses: JsonObject, written: JsonObject, inherited: unknown): void {
  for (const [name, response] of Object.entries(partsOf(written, "responses"))) {
    restoreMediaTypes(partsOf(responses, name), response, written["produces"] ?? inherited);
  }
}

function partsOf(value: JsonObject, key: string): JsonObject {
  const parts = Object.hasOwn(value, key) ? value[key] : undefined;
  return isObject(parts) ? parts : {};
}

/** Moves references to bodies from `parameters`, where the library leaves them, to `requestBody`. */
function moveBodyReferences(pathItem: JsonObject): void {
  const inherited = takeBody(pathItem);
  for (const method of METHODS) {
    const operation = pathItem[method];
    if (!isObject(operation)) continue;
    const body = takeBody(operation) ?? inherited;
    if (body !== undefined) operation["requestBody"] ??= body;
  }
}

/** Removes the reference to a body from the `parameters` of an operation or a path, and returns it. */
function takeBody(owner: JsonObject): unknown {
  const parameters = owner["parameters"];
  if (!Array.isArray(parameters)) return undefined;
  const isBody = (parameter: unknown): boolean =>
    isObject(parameter) && String(parameter["$ref"]).startsWith("#/components/requestBodies/");
  owner["parameters"] = parameters.filter((parameter) => !isBody(parameter));
  return parameters.find(isBody);
}

function toWritten({ pointer, ...place }: Place): Place {
  return {
    ...place,
    pointer: WRITTEN.reduce((written, [pattern, replacement]) => written.replace(pattern, replacement), pointer),
  };
}
