import type { Problem } from "./problem.ts";

/**
 * The header of each callback and webhook that gw sends. Whoever sends a request chooses the URL of its callbacks, and
 * they come from this machine, whose clients gw's own endpoints let in. So gw's own endpoints refuse this header.
 */
export const CALLBACK_HEADER = "x-gw-callback";

/** The problem for a callback to one of gw's own endpoints; `undefined` for other requests. */
export function refusalOfCallback({ headers }: { readonly headers: Pick<Headers, "has"> }): Problem | undefined {
  if (!headers.has(CALLBACK_HEADER)) return undefined;
  const detail = "Callbacks and webhooks may not use gw's own endpoints. Send them to a server of your own.";
  return { title: "Forbidden", status: 403, detail };
}
