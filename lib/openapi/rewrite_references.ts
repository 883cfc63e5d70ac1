import { isObject, type JsonObject } from "../schema/json/node.ts";
import { DATA, SCANNED_MAPS } from "./text/scan.ts";

/** How references are rewritten. */
export interface Rewriting {
  /** Gives the new text of a reference. */
  readonly rewrite: (reference: string) => string;
  /** Replaces an object as a whole; `undefined` for an object that is kept. */
  readonly replace?: (object: JsonObject) => { readonly value: unknown } | undefined;
  /** Copies data of the API. Default: it is kept. */
  readonly data?: (value: unknown) => unknown;
}

/**
 * Copies a value, and rewrites its references: each `$ref`, each `externalValue`, and those of `mapping` in a
 * discriminator. A `$ref` inside data of the API, such as an example, isn't a reference.
 *
 * @param isMap Whether the keys of the value are names that the author chooses, rather than keywords.
 */
export function rewriteReferences(value: unknown, rewriting: Rewriting, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => rewriteReferences(item, rewriting));
  if (!isObject(value)) return value;
  const replaced = rewriting.replace?.(value);
  if (replaced !== undefined) return replaced.value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (!isMap && (key === "$ref" || key === "externalValue") && typeof part === "string") {
        return [key, rewriting.rewrite(part)];
      }
      if (!isMap && key === "discriminator" && isObject(part)) return [key, rewriteMapping(part, rewriting)];
      if (!isMap && DATA.has(key)) return [key, rewriting.data === undefined ? part : rewriting.data(part)];
      return [key, rewriteReferences(part, rewriting, !isMap && SCANNED_MAPS.has(key))];
    }),
  );
}

function rewriteMapping(discriminator: JsonObject, { rewrite }: Rewriting): JsonObject {
  const { mapping } = discriminator;
  if (!isObject(mapping)) return discriminator;
  const entries = Object.entries(mapping).map(([name, target]) => [
    name,
    typeof target === "string" && /[#/]|\.(json|ya?ml)$/.test(target) ? rewrite(target) : target,
  ]);
  return { ...discriminator, mapping: Object.fromEntries(entries) };
}
