/**
 * The version of gw.
 *
 * @module
 */
import config from "../deno.json" with { type: "json" };

/** The commit; `deno task bundle` (scripts/bundle.ts) writes it into this text. */
const COMMIT = "@commit@";

/** What `gw --version` prints: `gw 0.1.0`, and in a bundle the commit too: `gw 0.1.0 (1a2b3c4)`. */
export function versionText(): string {
  return COMMIT.startsWith("@") ? `gw ${config.version}` : `gw ${config.version} (${COMMIT})`;
}
