/**
 * Type declarations of the parts of MSW 2 and 3 that the adapters use. The tests of the packages check the adapters
 * with MSW itself.
 *
 * @module
 */

/** A request handler, as `setupServer` and `setupWorker` take it. */
export declare class HttpHandler {
  /** Describes which requests the handler is for. */
  readonly info: { readonly header: string };
}

export declare const http: {
  all(
    predicate: (info: { request: Request }) => boolean,
    resolver: (info: { request: Request }) => Promise<Response | undefined>,
  ): HttpHandler;
};
