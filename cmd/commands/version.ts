/**
 * The version of gw.
 *
 * @module
 */
import config from "../../deno.json" with { type: "json" };

/** The commit. `deno task bundle` (scripts/bundle.ts) replaces this placeholder. */
const COMMIT = "@commit@";

/** The output of `gw --version`: `gw 0.1.0`, and in a bundle the commit too: `gw 0.1.0 (1a2b3c4)`. */
export function versionText(): string {
  return COMMIT.startsWith("@") ? `gw ${config.version}` : `gw ${config.version} (${COMMIT})`;
}
