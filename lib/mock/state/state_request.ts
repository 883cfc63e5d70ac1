import type { AnswerTrace } from "../answer/answer_trace.ts";

/** The parts of a request that an answer from state depends on. */
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
  /** The decoded body; `undefined` if there is none, or if it is unreadable. */
  readonly body: unknown;
  /** Why the body is unreadable; absent if it was decoded. */
  readonly unreadable?: Unreadable | undefined;
  /** The number of items that the client prefers of a list. */
  readonly arraySize?: number | undefined;
  /** Receives what is decided; absent unless the request is explained. */
  readonly trace?: AnswerTrace | undefined;
}

/** Why a body is unreadable, and the status of the answer. */
export interface Unreadable {
  readonly status: 400 | 413 | 415;
  readonly detail: string;
}
