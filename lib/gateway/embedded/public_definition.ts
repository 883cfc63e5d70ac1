import type { Document } from "../../openapi/document.ts";
import { publishedDefinition } from "../../openapi/published.ts";
import type { Act } from "./request_context.ts";

/** Serves a definition as JSON, without extensions and disabled operations. */
export function createPublicDefinition(document: Document): Act {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(publishedDefinition(document));
    const mediaType = "application/json";
    return {
      response: new Response(text, { headers: { "content-type": mediaType } }),
      mediaType,
      source: "definition",
    };
  };
}
