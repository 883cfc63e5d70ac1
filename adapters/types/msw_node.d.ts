/**
 * What the adapters use of `msw/node`.
 *
 * @module
 */
import type { HttpHandler } from "./msw.d.ts";

/** Intercepts the requests of a process. */
export declare function setupServer(...handlers: HttpHandler[]): {
  listen(options: { onUnhandledRequest: "bypass" | "error" }): void;
  close(): void;
};
