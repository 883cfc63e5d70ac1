import { DIST } from "../../scripts/package/build.ts";
import { executableOf, PLATFORMS } from "../../scripts/package/names.ts";
import { packages } from "./support.ts";

/** Provides the executable that the packages of this source tree carry; `undefined` on a platform without one. */
export async function provideExecutable(): Promise<string | undefined> {
  const platform = PLATFORMS.find(({ target }) => target === Deno.build.target);
  if (platform === undefined) return undefined;
  await packages();
  return `${DIST}/${executableOf(platform)}`;
}
