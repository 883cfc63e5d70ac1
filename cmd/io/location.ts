/**
 * How people name a definition, and how the program does.
 *
 * @module
 */
import { relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** The operand that means standard input. */
export const STDIN = "-";

/** The URI of an operand of a command line: a path, a URL of `http`, `https` or `file`, or `-`. */
export function toUri(operand: string): string {
  return /^(https?|file):\/\//i.test(operand) ? new URL(operand).href : pathToFileURL(operand).href;
}

/** Whether a URI is fetched over the network. */
export function isRemote(uri: string): boolean {
  return /^https?:/.test(uri);
}

/** The path of a `file` URI; `undefined` for other URIs. */
export function toPath(uri: string): string | undefined {
  return uri.startsWith("file:") ? fileURLToPath(uri) : undefined;
}

/** A URI as a person reads it: a file as its path from the working directory, unless that leads up and down again. */
export function displayName(uri: string): string {
  const path = toPath(uri);
  if (path === undefined) return uri;
  const fromHere = relative(Deno.cwd(), path);
  return fromHere.startsWith(`..${sep}..`) ? path : fromHere;
}

/** What one connects to. */
export interface Endpoint {
  /** A host name or an IP address; one of IPv6 without brackets. */
  hostname: string;
  port: number;
}

/** Where an `http:` or `https:` URL leads. */
export function endpointOf({ protocol, hostname, port }: URL): Endpoint {
  const standard = protocol === "https:" ? 443 : 80;
  return { hostname: hostname.replace(/^\[|\]$/g, ""), port: port === "" ? standard : Number(port) };
}
