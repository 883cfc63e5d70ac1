/**
 * What the adapters use of MSW 2 and 3. The tests of the packages run them with MSW itself.
 *
 * @module
 */

/** A request handler, for `setupServer` and `setupWorker`. */
export declare class HttpHandler {
  /** What the handler is for. */
  readonly info: { readonly header: string };
}

/** Makes request handlers. */
export declare const http: {
  all(
    predicate: (info: { request: Request }) => boolean,
    resolver: (info: { request: Request }) => Promise<Response | undefined>,
  ): HttpHandler;
};
