import type { Overlay } from "./read_overlay.ts";

/**
 * Reads an Overlay document, of version 1.0 or 1.1. Doesn't throw for an invalid text: its problems are among the
 * diagnostics of each definition that it is given to.
 *
 * @param overlay The overlay, as YAML or JSON in UTF-8, or as an object.
 * @param options `uri`: where the overlay comes from. Default: `overlay`.
 * @returns The overlay, for the option `overlays` of {@linkcode parseDocument}.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseDocument } from "../document.ts";
 *
 * const overlay = await parseOverlay(`
 * overlay: 1.1.0
 * info: {title: A title for tests, version: 1.0.0}
 * actions:
 *   - target: $.info
 *     update: {title: Pets for tests}
 * `);
 * const pets = "openapi: 3.1.0\ninfo: {title: Pets, version: 1.0.0}\npaths: {}";
 * const { root } = await parseDocument(pets, { overlays: [overlay] });
 * assert.deepEqual(root.value, { openapi: "3.1.0", info: { title: "Pets for tests", version: "1.0.0" }, paths: {} });
 * ```
 */
export async function parseOverlay(
  overlay: string | Uint8Array | Record<string, unknown>,
  { uri = "overlay" }: { uri?: string } = {},
): Promise<Overlay> {
  const { readOverlay } = await import("./read_overlay.ts");
  return await readOverlay(uri, overlay);
}
