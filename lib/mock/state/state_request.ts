/** The parts of a request that its answer depends on. */
export interface StateRequest {
  readonly method: string;
  /** The absolute URL, as the client wrote it. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  /** The path with percent-encoding, without the query. */
  readonly path: string;
  /** The query without `?`. */
  readonly query: string;
  /** The values of the path's parameters, percent-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The decoded body (see `describeRequest`); `undefined` where there is none, or it can't be read. */
  readonly body: unknown;
  /** Why the body can't be read; absent where it can. */
  readonly unreadable?: Unreadable | undefined;
}

/** The reason why a body can't be read, as a sentence, and the status for it. */
export interface Unreadable {
  readonly status: 400 | 413 | 415;
  readonly detail: string;
}
