import { createContentChooser } from "../../mock/validation/content.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child, entries, isObject, type Node } from "../../schema/json/node.ts";
import { follow, referenceOf } from "../../schema/json/reference.ts";

/** How an operation declares the response with a given status. */
export interface DeclaredResponse {
  /**
   * How the operation declares the response. `inline`: by its status code, with an object that an overlay can add to.
   * `reference`: by its status code, with a `$ref`. `other`: by a range (`4XX`) or `default`. `none`: not at all.
   */
  readonly place: "inline" | "reference" | "other" | "none";
  /** The Response Object, after its `$ref` was followed; `undefined` if there is none. */
  readonly node: Node<"Response"> | undefined;
  readonly content: readonly DeclaredContent[];
}

export interface DeclaredContent {
  readonly mediaType: string;
  /** The Media Type Object, after its `$ref` was followed. */
  readonly node: Node<"MediaType">;
  /** Whether the response contains the Media Type Object itself, and not a `$ref` to it. */
  readonly isInline: boolean;
}

/**
 * Finds the response that an operation declares for a status: by its code, then by its range (`4XX`), then `default`.
 */
export function declaredResponse({ document, node }: Operation, status: number): DeclaredResponse {
  const responses = follow(document, child(node, "responses"));
  const byKey = new Map(entries(responses).map(([key, written]) => [key.toUpperCase(), written]));
  const exact = byKey.get(String(status));
  const written = exact ?? byKey.get(`${Math.floor(status / 100)}XX`) ?? byKey.get("DEFAULT");
  const response = written && follow(document, written);
  if (written === undefined || response === undefined || !isObject(response.value)) {
    return { place: "none", node: undefined, content: [] };
  }
  const isReference = referenceOf(written) !== undefined;
  return {
    place: exact === undefined ? "other" : isReference ? "reference" : "inline",
    node: response,
    content: entries(child(response, "content")).map(([mediaType, media]) => ({
      mediaType,
      node: follow(document, media),
      isInline: referenceOf(media) === undefined,
    })),
  };
}

/** The schema of a response's body in a media type; `undefined` if the operation declares none. */
export function schemaOf(operation: Operation, status: number, mediaType: string): Node<"Schema"> | undefined {
  const { content } = declaredResponse(operation, status);
  const chosen = content[createContentChooser(content.map(({ mediaType }) => mediaType))(mediaType)];
  const schema = chosen && child(chosen.node, "schema");
  return schema?.value === undefined ? undefined : schema;
}
