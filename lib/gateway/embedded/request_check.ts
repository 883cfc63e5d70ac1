import { messageOf } from "../../http/message.ts";
import { type BodyLimits, defaultBodyLimits, tooManyBodies, UnreadBodyError } from "../../http/limits/body_limits.ts";
import { readPlainBytes, TooLargeError } from "../../http/content_coding.ts";
import { hasBody } from "../../http/body.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child } from "../../schema/json/node.ts";
import type { DocumentValidator } from "../../schema/document_validator.ts";
import { createRequestValidator, validationProblem } from "../../mock/validation/validate_request.ts";
import { type Guard, problemReply, type Reply, type RequestContext } from "./request_context.ts";

/** The largest body that is validated, in bytes. */
const MOST_BODY = 10 * 1024 * 1024;

/**
 * Creates a guard that validates requests against the definition (`x-svc.validation.request.enabled`). It replies 401
 * to a request without the declared credentials, 413 if the body is too large, and 400 to any other violation.
 *
 * @param validatorOf Gives the validator of the definition's schemas.
 * @param bodies What the bodies of all requests may take together. Default: limits of this check only.
 */
export function createRequestCheck(
  operation: Operation,
  validatorOf: () => Promise<DocumentValidator>,
  bodies: BodyLimits = defaultBodyLimits(),
): Guard {
  const describesBody = child(operation.node, "requestBody").value !== undefined;
  const validator = validatorOf().then((documentValidator) => createRequestValidator(operation, documentValidator));
  // Each request that awaits the validator reports its failure. Without this handler, a failure before the first
  // request would be an unhandled rejection, which ends the process.
  validator.catch(() => {});

  return async (context) => {
    const { request, target } = context;
    // A body of an operation without `requestBody` is refused without being read.
    const read = describesBody && hasBody(request) ? await readBody(context, bodies) : { kind: "none" as const };
    if (read.kind === "refused") return read.reply;
    const { violations, error } = await (await validator)?.check(
      read.kind === "none" ? request : new Response(read.bytes, { headers: request.headers }),
      target,
    ) ?? { violations: [] };
    if (error === undefined) return undefined;
    const status = error.status === 401 || error.status === 413 ? error.status : 400;
    return problemReply(
      validationProblem(operation, violations, { ...error, status }),
      error.challenge === undefined || error.challenge === "" ? [] : [["www-authenticate", error.challenge]],
    );
  };
}

type ReadBody = { kind: "none" } | { kind: "read"; bytes: NonNullable<RequestContext["body"]> } | {
  kind: "refused";
  reply: Reply;
};

/** Reads the body, and stores it in the context, from where the proxy sends it to the upstream. */
async function readBody(context: RequestContext, bodies: BodyLimits): Promise<ReadBody> {
  try {
    const { request } = context;
    const length = Number(request.headers.get("content-length") ?? NaN);
    if (length > MOST_BODY) {
      await request.body?.cancel();
      return tooLarge();
    }
    const bytes = await readPlainBytes(request, length, MOST_BODY, bodies);
    // The body stays in memory until the upstream has answered.
    context.reservation = bodies.memory.open();
    if (!context.reservation.resize(bytes.byteLength)) throw tooManyBodies();
    context.body = bytes;
    return { kind: "read", bytes };
  } catch (error) {
    if (error instanceof TooLargeError) return tooLarge();
    if (error instanceof UnreadBodyError) return { kind: "refused", reply: problemReply(error.problem, error.headers) };
    const detail = `The body can't be read: ${messageOf(error)}.`;
    return { kind: "refused", reply: problemReply({ title: "Bad Request", status: 400, detail }) };
  }
}

function tooLarge(): { kind: "refused"; reply: Reply } {
  const detail = `A body of more than ${MOST_BODY} bytes can't be validated against the definition.`;
  return { kind: "refused", reply: problemReply({ title: "Content Too Large", status: 413, detail }) };
}
