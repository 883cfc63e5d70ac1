/**
 * The source of a resource's name: the file, or the title, after which `gw deploy` named it. The header `X-Gw-Source`
 * carries it, percent-encoded.
 *
 * @module
 */
import type { HeaderList } from "../http/handler.ts";
import type { Stored } from "./store.ts";

/** Reads the header `X-Gw-Source`; `undefined` if it is absent, malformed or too long. */
export function readManagedSource(headers: Pick<Headers, "get">): string | undefined {
  const written = headers.get("x-gw-source");
  if (written === null || written === "" || written.length > MOST_SOURCE) return undefined;
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

/** The most characters of `X-Gw-Source`. */
const MOST_SOURCE = 2_000;

/** Makes the header `X-Gw-Source`. */
export function sourceHeader({ spec }: Pick<Stored, "spec">): HeaderList {
  const source = "source" in spec ? spec.source : undefined;
  return source === undefined ? [] : [["x-gw-source", encodeURIComponent(source.toWellFormed())]];
}
