/**
 * What answers a request: the type that `Deno.serve` takes, and that every server built on the Fetch API understands.
 *
 * @see {@link https://fetch.spec.whatwg.org/ Fetch Standard}
 */
export type Handler = (request: Request) => Response | Promise<Response>;
