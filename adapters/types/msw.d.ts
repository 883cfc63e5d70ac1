/**
 * The parts of the API of MSW 2 and 3 that the adapters use. The tests of the packages check the adapters with MSW
 * itself.
 *
 * @module
 */

/** A request handler, for `setupServer` and `setupWorker`. */
export declare class HttpHandler {
  /** A description of the requests that the handler is for. */
  readonly info: { readonly header: string };
}

/** Makes request handlers. */
export declare const http: {
  all(
    predicate: (info: { request: Request }) => boolean,
    resolver: (info: { request: Request }) => Promise<Response | undefined>,
  ): HttpHandler;
};
