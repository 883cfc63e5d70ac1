import { type ReadBody, readBody } from "../http/body.ts";
import { decodeRequest } from "./callback_context.ts";
import { MOST_BODY } from "./mock_server.ts";
import type { OperationHandler } from "./operation_handler.ts";
import type { Unreadable } from "./state/state_request.ts";

export interface RequestBody {
  readonly bytes: Uint8Array;
  readonly value: unknown;
  /** Why the body is unreadable; absent if it was decoded. */
  readonly unreadable?: Unreadable | undefined;
}

/**
 * Reads and decodes the body of a request. An unreadable body (malformed, too large) has no bytes, and the reason in
 * `unreadable`.
 */
export async function readRequestBody(
  { operation, context: { options: { formFormats } } }: OperationHandler,
  request: Request,
): Promise<RequestBody> {
  const read = await readBody(request, MOST_BODY);
  const bytes = read.kind === "bytes" ? read.bytes : new Uint8Array();
  if (bytes.length === 0) return { bytes, value: undefined, unreadable: unreadableOf(read) };
  const decoded = await decodeRequest(operation, request.headers, bytes, formFormats);
  const isJson = JSON_TYPE.test(request.headers.get("content-type") ?? "");
  switch (decoded.kind) {
    case "value":
      return { bytes, value: decoded.value };
    case "too-large":
      return { bytes, value: undefined, unreadable: { status: 413, detail: `The body ${decoded.message}.` } };
    default:
      return { bytes, value: undefined, ...isJson ? { unreadable: MALFORMED } : {} };
  }
}

/** JSON media types. A body of such a type that decodes to no value is malformed. */
const JSON_TYPE = /^[^;]*[/+]json\s*(?:;|$)/i;

const MALFORMED: Unreadable = { status: 400, detail: "The body is not JSON, or nested too deep." };

function unreadableOf(read: ReadBody): Unreadable | undefined {
  switch (read.kind) {
    case "bytes":
      return undefined;
    case "too-large":
      return { status: 413, detail: `The body is larger than ${MOST_BODY} bytes.` };
    case "unknown-coding":
      return { status: 415, detail: `The body ${read.message}.` };
    case "broken":
      return { status: 400, detail: `The body can't be read: ${read.message}.` };
  }
}
