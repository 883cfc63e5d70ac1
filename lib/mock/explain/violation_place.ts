import { essence, parseMediaType } from "../../http/media_type.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import { child, entries, items, type Node } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import type { RequestViolation } from "../validation/violation.ts";

/** Limit of the schemas that are followed to a place in a body. */
const MOST_DEPTH = 32;

/**
 * The place in the definition that a violation concerns: the parameter, the schema of the part of the body, or the
 * security requirements. `undefined` if the definition says nothing about it.
 *
 * @param contentType The header `Content-Type` of the request.
 */
export function placeOfViolation(
  operation: Operation,
  { location: [part, name = "", ...within], code }: RequestViolation,
  contentType: string | null,
): Node | undefined {
  if (code === "security") {
    const own = child(operation.node, "security");
    return own.value === undefined ? child(operation.document.root, "security") : own;
  }
  if (part === "body") return placeInBody(operation, name === "" ? [] : [name, ...within], contentType);
  return listParameters(operation).find((parameter) =>
    parameter.in === part &&
    (parameter.name === name || part === "header" && parameter.name.toLowerCase() === name.toLowerCase())
  )?.node;
}

function placeInBody(
  { document, node }: Operation,
  tokens: readonly string[],
  contentType: string | null,
): Node | undefined {
  const body = follow(document, child(node, "requestBody"));
  if (body.value === undefined) return undefined;
  const content = entries(child(body, "content"));
  const sent = essenceOf(contentType ?? "");
  const [, media] = content.find(([mediaType]) => essenceOf(mediaType) === sent) ?? content[0] ?? [];
  if (media === undefined) return body;
  let place = follow(document, child(follow(document, media), "schema"));
  for (const token of tokens.slice(0, MOST_DEPTH)) {
    const next = partOf(place, token);
    if (next === undefined) break;
    place = next;
  }
  return place.value === undefined ? body : place;

  /** The schema of a property or of the items, also where `allOf`, `oneOf` or `anyOf` declares it. */
  function partOf(schema: Node<"Schema">, token: string, depth = 0): Node<"Schema"> | undefined {
    const property = child(child(schema, "properties"), token);
    if (property.value !== undefined) return follow(document, property);
    const element = child(schema, "items");
    if (element.value !== undefined && /^\d+$/.test(token)) return follow(document, element);
    if (depth >= MOST_DEPTH) return undefined;
    for (const keyword of ["allOf", "oneOf", "anyOf"] as const) {
      for (const branch of items(child(schema, keyword))) {
        const found = partOf(follow(document, branch), token, depth + 1);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}

function essenceOf(mediaType: string): string {
  const parsed = parseMediaType(mediaType);
  return parsed === undefined ? mediaType : essence(parsed);
}
