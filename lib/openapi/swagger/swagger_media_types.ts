import { isObject, type JsonObject } from "../../schema/json/node.ts";

/**
 * Adds the media types of `produces` that the conversion has left out of a response. In Swagger 2.0 a response is
 * offered in all of them. The library drops those without an example if its schema says little, such as
 * `{type: object}`.
 *
 * @param response The converted response.
 * @param written The response of the Swagger 2.0 definition.
 * @param produces The media types of the operation, else of the definition.
 */
export function restoreMediaTypes(response: JsonObject, written: unknown, produces: unknown): void {
  if (!isObject(written) || !isObject(written["schema"])) return;
  const types = Array.isArray(produces) ? produces.filter((type) => typeof type === "string") : [];
  const content: JsonObject = isObject(response["content"]) ? response["content"] : {};
  if (types.every((type) => Object.hasOwn(content, type))) return;
  const schemas = Object.values(content).map((media) => isObject(media) ? media["schema"] : undefined);
  const schema = schemas.find((schema) => schema !== undefined) ?? written["schema"];
  const all = types.map((type) => [type, Object.hasOwn(content, type) ? content[type] : { schema }] as const);
  response["content"] = Object.fromEntries([
    ...all,
    ...Object.entries(content).filter(([type]) => !types.includes(type)),
  ]);
}
