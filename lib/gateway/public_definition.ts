import { EXTENSION } from "../openapi/extension.ts";
import type { Document } from "../openapi/document.ts";
import type { Act } from "./exchange.ts";

/** Makes what serves a definition as JSON, as its author wrote it but for what it tells the gateway. */
export function createPublicDefinition({ written }: Document): Act {
  let text: string | undefined;
  return () => {
    text ??= JSON.stringify(written.value, (key, value) => key === EXTENSION ? undefined : value);
    const mediaType = "application/json";
    return {
      response: new Response(text, { headers: { "content-type": mediaType } }),
      mediaType,
      source: "definition",
    };
  };
}
