import type { Document } from "../openapi/document.ts";
import { respond } from "./mock.ts";
import { createMockEngine, type MockOptions } from "./mock_server.ts";
import type { Reply } from "./reply.ts";
import { SERVER_PARTS } from "./server_parts.ts";
import type { Sessions } from "./session/sessions.ts";

/**
 * Makes a mock server like `createMock`, whose replies also contain what the log needs: the operation, the source of
 * the body, the violations of the request.
 *
 * @param sessions The sessions of the server that this one replaces after a reload. Default: new sessions.
 */
export function createResponder(
  documents: readonly Document[],
  options: MockOptions = {},
  sessions?: Sessions,
): (request: Request) => Reply | Promise<Reply> {
  const engine = createMockEngine(documents, options, SERVER_PARTS, sessions);
  return (request) => respond(engine, request);
}
