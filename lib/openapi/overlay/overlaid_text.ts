import { dump } from "js-yaml";
import { EXACT_DUMP_SCHEMA } from "../text/exact_yaml.ts";
import type { Bundle } from "../bundle.ts";
import type { Document } from "../document.ts";
import { writeJson } from "../../schema/json/json.ts";

/**
 * Writes a definition with its overlays applied as one text, in the format of the definition (JSON or YAML). Comments
 * are lost.
 *
 * @returns `undefined` if no overlay was applied.
 */
export function overlaidText({ written: { source } }: Document): Bundle | undefined {
  if (source.originOf === undefined) return undefined;
  const { value, isJson } = source;
  return {
    text: isJson ? `${writeJson(value, 2)}\n` : dump(value, { lineWidth: -1, noRefs: true, schema: EXACT_DUMP_SCHEMA }),
    isJson,
    originOf: (pointer) => ({ source, pointer }),
  };
}
