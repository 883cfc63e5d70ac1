import { essence, parseMediaType } from "../../../http/media_type.ts";
import { applyJsonPatch, type Patched } from "./json_patch.ts";
import { applyFormFields, applyMergePatch, replaceProperties } from "./merge_patch.ts";

export type { Patched };

/** How a request body changes an item; see {@linkcode applyPatch}. */
export type PatchFormat = "json-patch" | "merge-patch" | "properties" | "form";

/** The format of a patch, by the media type of the request body. */
export function patchFormatOf(mediaType: string): PatchFormat {
  const parsed = parseMediaType(mediaType);
  switch (parsed === undefined ? "" : essence(parsed)) {
    case "application/json-patch+json":
      return "json-patch";
    case "application/merge-patch+json":
    case "application/strategic-merge-patch+json":
      return "merge-patch";
    case "application/x-www-form-urlencoded":
    case "multipart/form-data":
      return "form";
    default:
      return "properties";
  }
}

/**
 * Applies a patch to a value. The given value isn't changed. The result shares unchanged parts with it.
 *
 * - `json-patch`: RFC 6902.
 * - `merge-patch`: RFC 7396.
 * - `properties`: properties of the patch replace those of the value. `null` is a value, and inner objects aren't
 *   merged.
 * - `form`: objects are merged; an empty text removes a property of an inner object.
 *
 * @param patch The decoded body of the request.
 */
export function applyPatch(format: PatchFormat, value: unknown, patch: unknown): Patched {
  switch (format) {
    case "json-patch":
      return applyJsonPatch(value, patch);
    case "merge-patch":
      return { kind: "value", value: applyMergePatch(value, patch) };
    case "properties":
      return { kind: "value", value: replaceProperties(value, patch) };
    case "form":
      return { kind: "value", value: applyFormFields(value, patch) };
  }
}
