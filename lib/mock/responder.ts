import type { Document } from "../openapi/document.ts";
import { respond } from "./mock.ts";
import { createMockEngine, type MockOptions } from "./mock_server.ts";
import type { Reply } from "./reply.ts";
import { SERVER_PARTS } from "./server_parts.ts";
import type { Sessions } from "./session/sessions.ts";

/**
 * Makes a mock server like `createMock`, whose replies also describe themselves for the log: with the operation, the
 * source of the body, and the violations of the request.
 *
 * @param sessions The sessions of the server that is replaced. Default: new ones.
 */
export function createResponder(
  documents: readonly Document[],
  options: MockOptions = {},
  sessions?: Sessions,
): (request: Request) => Reply | Promise<Reply> {
  const engine = createMockEngine(documents, options, SERVER_PARTS, sessions);
  return (request) => respond(engine, request);
}
