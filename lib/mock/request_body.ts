import { readBody } from "../http/body.ts";
import { describeRequest } from "./callback_context.ts";
import { MOST_BODY } from "./mock_server.ts";
import type { OperationHandler } from "./operation_handler.ts";
import type { RequestTarget } from "./validation/validate_request.ts";

/** The body of a request: its bytes, and its decoded value. */
export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly value: unknown;
}

/** Reads the body that an answer depends on. A body that can't be read counts as empty; the check reports it. */
export async function readRequestBody(
  { operation, context: { options: { formFormats } } }: OperationHandler,
  request: Request,
  { pathParameters }: RequestTarget,
): Promise<RequestBody> {
  const read = await readBody(request, MOST_BODY);
  const bytes = read.kind === "bytes" ? read.bytes : new Uint8Array();
  const { body: value } = await describeRequest(operation, request, pathParameters, bytes, formFormats);
  return { bytes, value };
}
