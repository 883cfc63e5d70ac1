import type { KnownFailure } from "./verdict.ts";

/** Tests that fail because of the client or the definition. Any other failure counts as gw's. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [];
