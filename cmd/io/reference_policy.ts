import { lookup } from "node:dns/promises";
import { pathToFileURL } from "node:url";
import { ReferencePolicy, type ReferenceWorld } from "../../lib/openapi/reference_policy.ts";
import { toPath, toUri } from "./location.ts";

export const ALLOW_REMOTE_REFS = {
  description: "Let definitions refer to files outside their repository, and those given by URL to other origins.",
} as const;

/** Milliseconds for looking up a host name. A name that takes longer is left to the connection. */
const TIMEOUT = 5_000;

/**
 * Makes the policy for the references of a command's definitions.
 *
 * @param operands All definitions of the command line.
 */
export function createReferencePolicy(
  { operands, allowRemoteRefs = false }: { operands: readonly string[]; allowRemoteRefs?: boolean },
): ReferencePolicy {
  const workingFolder = pathToFileURL(Deno.cwd()).href;
  const home = ReferencePolicy.homeFolder(Deno.env.get);
  const world = { workingFolder, home: home ? pathToFileURL(home).href : undefined, inspect, read, addressesOf };
  return new ReferencePolicy(world, {
    definitions: operands.map(toUri),
    allowRemoteRefs,
    option: "--allow-remote-refs",
  });
}

const inspect: ReferenceWorld["inspect"] = async (uri) => {
  const path = await Deno.realPath(toPath(uri) ?? uri);
  const { isFile, isDirectory } = await Deno.stat(path);
  return { uri: pathToFileURL(path).href, kind: isFile ? "file" : isDirectory ? "folder" : "other" };
};

const read: ReferenceWorld["read"] = (uri) => Deno.readTextFile(toPath(uri) ?? uri);

const addressesOf: ReferenceWorld["addressesOf"] = async (hostname) => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error("there was no answer in time")), TIMEOUT);
  try {
    const found = await Promise.race([lookup(hostname, { all: true }), late]);
    return found.map(({ address }) => address);
  } finally {
    clearTimeout(timer);
  }
};
