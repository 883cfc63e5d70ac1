import { text } from "./flag.ts";

/** The arguments that name overlays, for a command that a message shows. */
export function overlayArguments(overlays: readonly string[]): string[] {
  return overlays.flatMap((overlay) => ["--overlay", overlay]);
}

/** The flag `--overlay`, of every command that reads definitions. */
export const OVERLAY_FLAG = {
  value: "FILE",
  read: text,
  many: true,
  description:
    "Overlay to apply before anything else: a file or a URL; several times, in this order. See docs/overlays.md.",
} as const;
