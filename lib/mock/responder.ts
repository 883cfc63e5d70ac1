import type { Document } from "../openapi/document.ts";
import type { Explanation } from "./explain/explanation.ts";
import { explain, respond } from "./mock.ts";
import { createLocalMock, createMockedApi, type LocalMockOptions } from "./local_mock.ts";
import type { Reply } from "./operation/reply.ts";
import { loadServerParts } from "./server_parts.ts";
import type { Sessions } from "./session/sessions.ts";

/**
 * Replies to requests as `createMock` does, with what the log needs: the operation, the source of the body, the
 * violations of the request.
 */
export type Responder = (request: Request) => Reply | Promise<Reply>;

/** The responder of a mock server. */
export interface MockResponder {
  (request: Request): Reply | Promise<Reply>;
  /** Explains why a request gets its answer, without effect. */
  explain(request: Request): Promise<Explanation>;
}

/**
 * Makes the responder of a mock server.
 *
 * @param sessions The sessions of the server that this one replaces after a reload. Default: new sessions.
 */
export async function createResponder(
  documents: readonly Document[],
  options: LocalMockOptions = {},
  sessions?: Sessions,
): Promise<MockResponder> {
  const api = createMockedApi(documents, options);
  const mock = createLocalMock(api, options, await loadServerParts(api.needs), sessions);
  const responder = (request: Request): Reply | Promise<Reply> => respond(mock, request);
  return Object.assign(responder, { explain: (request: Request) => explain(mock, request) });
}
