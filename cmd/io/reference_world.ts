import { lookup } from "node:dns/promises";
import { pathToFileURL } from "node:url";
import { ReferenceBounds, type ReferenceWorld } from "../../lib/openapi/reference_bounds.ts";
import { toPath, toUri } from "./location.ts";
import { reasonOf } from "./read.ts";

/** Milliseconds for looking up a host name. A name that takes longer is left to the connection. */
const TIMEOUT = 5_000;

/**
 * Makes the bounds of the references of a command line.
 *
 * @param operands All definitions of the command line.
 */
export function createReferenceBounds(operands: readonly string[], allowRemoteRefs = false): ReferenceBounds {
  const world = { workingFolder: pathToFileURL(Deno.cwd()).href, inspect, read, addressesOf };
  return new ReferenceBounds(world, {
    definitions: operands.map(toUri),
    allowRemoteRefs,
    advice: "--allow-remote-refs allows it",
  });
}

const inspect: ReferenceWorld["inspect"] = async (uri) => {
  try {
    const path = await Deno.realPath(toPath(uri) ?? uri);
    const { isFile, isDirectory } = await Deno.stat(path);
    return { uri: pathToFileURL(path).href, kind: isFile ? "file" : isDirectory ? "folder" : "other" };
  } catch (error) {
    throw new Error(reasonOf(error), { cause: error });
  }
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
