/**
 * A function that answers a request. `Deno.serve` takes such a handler, as does every server built on the Fetch API.
 *
 * @see {@link https://fetch.spec.whatwg.org/ Fetch Standard}
 */
export type Handler = (request: Request) => Response | Promise<Response>;

/** Headers in the order in which they are sent. Their names are in lower case. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** The type of bytes that `Response` accepts as a body: not those of a `SharedArrayBuffer`. */
export type Bytes = Uint8Array<ArrayBuffer>;
