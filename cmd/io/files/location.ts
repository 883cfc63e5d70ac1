/**
 * Converts the locations of definitions and servers: operands of a command line, URIs, paths, endpoints.
 *
 * @module
 */
import { relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { createRedactor } from "../../../lib/observe/secrets/redactor.ts";

/** The operand for standard input. */
export const STDIN = "-";

/** The URI of an operand of a command line: a path, a URL of `http`, `https` or `file`, or `-`. */
export function toUri(operand: string): string {
  return /^(https?|file):\/\//i.test(operand) ? new URL(operand).href : pathToFileURL(operand).href;
}

/** Tells whether a URI is fetched over the network. */
export function isRemote(uri: string): boolean {
  return /^https?:/.test(uri);
}

/**
 * The path of a `file` URI; `undefined` for other URIs, and for those that no path has: with an encoded slash or NUL, or,
 * except on Windows, with another host.
 */
export function toPath(uri: string): string | undefined {
  if (!uri.startsWith("file:") || /%00/.test(uri)) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

/**
 * A URI for messages: a file as its path relative to the working directory, unless that begins with `../..`; a URL
 * without its secrets.
 */
export function displayName(uri: string): string {
  const path = toPath(uri);
  if (path === undefined) return createRedactor().url(uri);
  const fromHere = relative(Deno.cwd(), path);
  return fromHere.startsWith(`..${sep}..`) ? path : fromHere;
}

/** The host and port of a TCP connection. */
export interface NetworkEndpoint {
  /** A host name or an IP address; an IPv6 address without brackets. */
  hostname: string;
  port: number;
}

/** The endpoint of an `http:` or `https:` URL. */
export function endpointOf({ protocol, hostname, port }: URL): NetworkEndpoint {
  const standard = protocol === "https:" ? 443 : 80;
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? standard : Number(port) };
}
