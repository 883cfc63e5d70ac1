import { EXTENSION, readLevel } from "../extension/extension.ts";
import type { Level } from "../extension/settings.ts";
import { child } from "../../schema/node.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import { type Kind, oneOfKind } from "../../schema/kinds.ts";
import type { PlacedObject } from "./objects.ts";
import { atKey, warning } from "./report.ts";

/** The objects that have an `x-svc` of their own. */
export const LEVELS: Partial<Record<Kind, Level>> = { OpenAPI: "root", PathItem: "path", Operation: "operation" };

/** Finds what is wrong with each `x-svc`, and those that nobody reads. */
export function checkExtensions(objects: readonly PlacedObject[]): UnlocatedDiagnostic[] {
  return objects.flatMap(({ kind, node }) => {
    const level = LEVELS[kind];
    if (level !== undefined) return readLevel(node, level).diagnostics;
    const extension = child(node, EXTENSION);
    if (extension.value === undefined || kind === "Example") return [];
    const message = `\`${EXTENSION}\` has no meaning in ${oneOfKind(kind)}; ` +
      "move it to the operation, the path or the top of the definition.";
    return [atKey(warning("misplaced-extension", message, extension))];
  });
}
