import { DIST } from "../../scripts/package/build.ts";
import { executableOf, PLATFORMS } from "../../scripts/package/names.ts";
import { packages } from "./support.ts";

/**
 * The path of an executable made from these sources, as the packages contain it; `undefined` on a platform without one.
 */
export async function provideExecutable(): Promise<string | undefined> {
  const platform = PLATFORMS.find(({ target }) => target === Deno.build.target);
  if (platform === undefined) return undefined;
  await packages();
  return `${DIST}/${executableOf(platform)}`;
}
