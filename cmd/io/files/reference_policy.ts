import { lookup } from "node:dns/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ReferencePolicy } from "../../../lib/openapi/reference_policy.ts";
import { toUri } from "./location.ts";

export const ALLOW_REMOTE_REFS = {
  description: "Let definitions refer to files outside their repository, and those given by URL to other origins.",
} as const;

/**
 * Makes the policy for the references of a command's definitions.
 *
 * @param operands All definitions of the command line.
 */
export function createReferencePolicy(
  { operands, allowRemoteRefs = false }: { operands: readonly string[]; allowRemoteRefs?: boolean },
): ReferencePolicy {
  const home = ReferencePolicy.homeFolder(Deno.env.get);
  const { cwd, realPath, stat, readTextFile } = Deno;
  const world = ReferencePolicy.worldOf({
    cwd,
    home,
    realPath,
    stat,
    readTextFile,
    lookup,
    pathToFileURL,
    fileURLToPath,
  });
  return new ReferencePolicy(world, {
    definitions: operands.map(toUri),
    allowRemoteRefs,
    option: "--allow-remote-refs",
  });
}
