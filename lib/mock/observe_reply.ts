import type { Bytes } from "../http/handler.ts";
import type { Answer } from "./answer.ts";
import type { Observer } from "./exchange.ts";
import type { Reply, ReplyDetails } from "./reply.ts";
import type { Validation } from "./validation/validate_request.ts";

/** Passes the exchange of a mocked reply to an observer, once the request has been checked. Returns the reply. */
export function observeReply(
  observe: Observer | undefined,
  request: Request,
  { pathParameters = {}, answer, sent }: ReplyDetails,
  reply: Reply,
): Reply {
  if (observe === undefined) return reply;
  const { operation, validation, response: { status, headers } } = reply;
  const { method, url } = request;
  const body = bytesOf(answer?.body ?? null);
  const tell = (checked: Validation | undefined): void =>
    observe({
      ...operation === undefined ? {} : { operation },
      pathParameters,
      request: { method, url, headers: request.headers, ...sent === undefined ? {} : { body: sent } },
      response: { status, headers, isUpstream: false, ...body === undefined ? {} : { body } },
      requestViolations: checked?.violations ?? [],
      responseViolations: [],
    });
  // The caller of the reply reports an error of the check; the observer then gets no violations.
  if (validation instanceof Promise) void validation.then(tell, () => tell(undefined));
  else tell(validation);
  return reply;
}

function bytesOf(body: Answer["body"]): Bytes | undefined {
  return body instanceof Uint8Array ? body : undefined;
}
