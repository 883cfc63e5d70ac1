/**
 * Answers a request. `Deno.serve` takes this type, and so does every server built on the Fetch API.
 *
 * @see {@link https://fetch.spec.whatwg.org/ Fetch Standard}
 */
export type Handler = (request: Request) => Response | Promise<Response>;

/** Headers in the order in which they are sent; names in lower case. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** Bytes that a response can carry. */
export type Bytes = Uint8Array<ArrayBuffer>;
