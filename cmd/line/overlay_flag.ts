import { text } from "./flag.ts";

/** The `--overlay` arguments of a command line that a message suggests. */
export function overlayArguments(overlays: readonly string[]): string[] {
  return overlays.flatMap((overlay) => ["--overlay", overlay]);
}

/** The flag `--overlay`, of every command that reads definitions. */
export const OVERLAY_FLAG = {
  value: "FILE",
  read: text,
  many: true,
  description: "Overlay to apply before anything else: a file or a URL; several times, in this order.",
} as const;
