import { isObject, type JsonObject } from "../../schema/json/node.ts";

/**
 * Moves the named examples of a converted Swagger 2.0 definition to `examples` of OpenAPI 3.0. Swagger 2.0 allows one
 * example for each media type of a response. Definitions with several have them in the extension `x-examples`:
 *
 * ```yaml
 * responses:
 *   "200":
 *     description: A pet
 *     schema: {$ref: "#/definitions/Pet"}
 *     x-examples:
 *       application/json:
 *         tom: {value: {name: Tom}}
 * ```
 */
export function moveNamedExamples(operation: JsonObject): void {
  const responses = operation["responses"];
  if (!isObject(responses)) return;
  for (const response of Object.values(responses)) {
    if (!isObject(response) || !isObject(response["x-examples"])) continue;
    const { "x-examples": named } = response;
    delete response["x-examples"];
    const content: JsonObject = isObject(response["content"]) ? response["content"] : {};
    // In Swagger 2.0 a response has one schema for all its media types.
    const schema = Object.values(content).map((media) => isObject(media) ? media["schema"] : undefined).find(isObject);
    for (const [mediaType, examples] of Object.entries(named)) {
      if (!isObject(examples)) continue;
      const media = isObject(content[mediaType]) ? content[mediaType] : schema === undefined ? {} : { schema };
      const own = isObject(media["examples"]) ? media["examples"] : {};
      content[mediaType] = { ...media, examples: { ...own, ...examples } };
    }
    response["content"] = content;
  }
}
