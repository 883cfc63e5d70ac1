import { messageOf } from "../../http/message.ts";
import { readPlainBytes, TooLargeError } from "../../http/content_coding.ts";
import { hasBody } from "../../http/body.ts";
import type { Operation } from "../../openapi/operation.ts";
import { child } from "../../schema/node.ts";
import type { SchemaCompiler } from "../../schema/schema_compiler.ts";
import { createRequestValidator, refusalProblem } from "../../mock/validation/validate_request.ts";
import { type Exchange, type Guard, problemReply, type Reply } from "./request_context.ts";

/** The largest body that is checked, in bytes. */
const MOST_BODY = 10 * 1024 * 1024;

/**
 * Makes what refuses requests that aren't as the definition wants them (`x-svc.validation.request.enabled`): 400, but 401
 * without the credentials that it asks for, and 413 with a body too large to be checked.
 *
 * @param compilerOf Makes what compiles the schemas of the operation's definition.
 */
export function createRequestCheck(operation: Operation, compilerOf: () => Promise<SchemaCompiler>): Guard {
  const describesBody = child(operation.node, "requestBody").value !== undefined;
  const validator = compilerOf().then((compiler) => createRequestValidator(operation, compiler));
  // The request that awaits it reports the failure.
  validator.catch(() => {});

  return async (exchange) => {
    const { request, target } = exchange;
    // Where the definition describes no body, nothing has to be read to tell that there is one.
    const read = describesBody && hasBody(request) ? await readBody(exchange) : { kind: "none" as const };
    if (read.kind === "refused") return read.reply;
    const { violations, refusal } = await (await validator)?.check(
      read.kind === "none" ? request : new Response(read.bytes, { headers: request.headers }),
      target,
    ) ?? { violations: [] };
    if (refusal === undefined) return undefined;
    const status = refusal.status === 401 || refusal.status === 413 ? refusal.status : 400;
    return problemReply(
      refusalProblem(operation, violations, { ...refusal, status }),
      refusal.challenge === undefined || refusal.challenge === "" ? [] : [["www-authenticate", refusal.challenge]],
    );
  };
}

type ReadBody = { kind: "none" } | { kind: "read"; bytes: NonNullable<Exchange["body"]> } | {
  kind: "refused";
  reply: Reply;
};

/** Reads the body, and keeps it in the exchange for the proxy. */
async function readBody(exchange: Exchange): Promise<ReadBody> {
  try {
    const { request } = exchange;
    const length = Number(request.headers.get("content-length") ?? NaN);
    if (length > MOST_BODY) {
      await request.body?.cancel();
      return tooLarge();
    }
    const bytes = await readPlainBytes(request, length, MOST_BODY);
    exchange.body = bytes;
    return { kind: "read", bytes };
  } catch (error) {
    if (error instanceof TooLargeError) return tooLarge();
    const detail = `The body can't be read: ${messageOf(error)}.`;
    return { kind: "refused", reply: problemReply({ title: "Bad Request", status: 400, detail }) };
  }
}

function tooLarge(): { kind: "refused"; reply: Reply } {
  const detail = `A body of more than ${MOST_BODY} bytes can't be checked against the definition.`;
  return { kind: "refused", reply: problemReply({ title: "Content Too Large", status: 413, detail }) };
}
