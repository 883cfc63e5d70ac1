import type { BrokenConnectionError } from "../../mod.ts";

/**
 * The fault of the rule that breaks a connection; `undefined` for any other error. It compares the name of the error,
 * not the class: the mock server may be of another copy of the library, such as its CommonJS modules.
 */
export function brokenBy(error: unknown): BrokenConnectionError["fault"] | undefined {
  const isBroken = error instanceof Error && error.name === "BrokenConnectionError";
  return isBroken ? (error as BrokenConnectionError).fault : undefined;
}
