/** The parts of a request that its answer depends on. */
export interface StateRequest {
  readonly method: string;
  /** The absolute URL as the client sent it. */
  readonly url: string;
  readonly headers: Pick<Headers, "get">;
  /** The percent-encoded path, without the query. */
  readonly path: string;
  /** The query without `?`. */
  readonly query: string;
  /** The values of the path's parameters, percent-decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The decoded body (see `describeRequest`); `undefined` if there is none, or if it can't be read. */
  readonly body: unknown;
  /** The reason why the body can't be read; absent if it can. */
  readonly unreadable?: Unreadable | undefined;
}

/** The reason why a body can't be read, and the status of the answer. */
export interface Unreadable {
  readonly status: 400 | 413 | 415;
  readonly detail: string;
}
