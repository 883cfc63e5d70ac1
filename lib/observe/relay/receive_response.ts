/**
 * Checks the responses of an upstream before they are passed to the client.
 *
 * @module
 */
import type { ReadBody } from "../../http/body.ts";
import type { Forwarded } from "../../http/forward.ts";
import type { Bytes } from "../../http/handler.ts";
import { messageOf } from "../../http/message.ts";
import type { ResponseViolation } from "../../mock/validation/check_response.ts";
import type { HeadCheck, ResponseValidator } from "../../mock/validation/response_validator.ts";
import { type BodyCopy, BodyTap } from "./body_tap.ts";
import {
  hold,
  HOLD_IN_ERROR_MODE,
  HOLD_IN_WARN_MODE,
  MOST_RELAYED_BODY,
  type RelayResources,
  SMALL_BODY,
} from "./limits.ts";
import { usePlainBody } from "./plain_body.ts";

/** A response of the upstream, and how it is checked. */
export interface IncomingResponse extends Omit<Forwarded, "isUpstream" | "failure">, Pick<RelayResources, "decoding"> {
  readonly request: Request;
  /** `undefined` if responses aren't checked. */
  readonly validator: ResponseValidator | undefined;
  /** Whether a problem replaces an invalid response (`error` mode). */
  readonly refuses: boolean;
  /** Whether the body is kept for observers. */
  readonly keepsBody: boolean;
}

export interface CheckedResponse {
  readonly violations: readonly ResponseViolation[];
  /** The body, after its content coding was decoded, if it was kept. */
  readonly body?: Bytes | undefined;
  /** The reason why the body wasn't checked, as a sentence about the body. */
  readonly unchecked?: string | undefined;
  /** The reason why the upstream didn't send a complete response, as a sentence. */
  readonly failure?: string | undefined;
}

/** A response whose body was held back as long as necessary. Either it can be passed on, or its body broke off. */
export type ReceivedResponse =
  | {
    readonly kind: "received";
    readonly response: Response;
    /**
     * What is known already. If the body is checked while it is passed on, these are only the violations of the head.
     */
    readonly known: CheckedResponse;
    /** Resolves with all violations when the body was passed on; absent if `known` is complete. */
    readonly late?: Promise<CheckedResponse>;
  }
  /** The body broke off while it was held back. */
  | { readonly kind: "broken"; readonly reason: string; readonly known: CheckedResponse };

const UNCHECKED: HeadCheck = Object.freeze({ violations: [] });

/**
 * Checks a response. Its body is held back until it is checked: in `warn` mode for a moment and only if it is small, in
 * `error` mode (`refuses`) longer and up to {@linkcode MOST_RELAYED_BODY}. A body that is larger or takes longer is passed on,
 * and checked when it has ended, unless it has more than {@linkcode MOST_RELAYED_BODY} bytes.
 */
export async function receiveResponse(
  incoming: IncomingResponse,
  resources: RelayResources,
): Promise<ReceivedResponse> {
  const { response, bytes, refuses, keepsBody } = incoming;
  const head = await checkHead(incoming);
  if (typeof head === "string") return { kind: "received", response, known: { violations: [], unchecked: head } };
  if (bytes !== undefined) return { kind: "received", response, known: await checkBytes(incoming, head, bytes) };
  const isDone = head.checkBody === undefined && (!keepsBody || (refuses && head.violations.length > 0));
  if (isDone) return { kind: "received", response, known: head };
  if (response.body === null) return { kind: "received", response, known: await checkBytes(incoming, head, null) };
  return await tapBody(incoming, head, response.body, resources);
}

/** Checks a response whose body is still arriving. */
async function tapBody(
  incoming: IncomingResponse,
  head: HeadCheck,
  source: ReadableStream<Bytes>,
  resources: RelayResources,
): Promise<ReceivedResponse> {
  const { response, request: { signal } } = incoming;
  const tap = new BodyTap(source, { limit: MOST_RELAYED_BODY, budget: resources.budget });
  const { most, milliseconds } = holdingOf(incoming, head, resources);
  if (milliseconds > 0) await hold(tap, most, milliseconds, resources, signal);
  const checked = tap.ended.then((kept) => checkKept(incoming, head, kept)).finally(() => tap.release());
  if (tap.state === "failed") return { kind: "broken", reason: tap.failure, known: await checked };
  const { status, statusText, headers } = response;
  const isGone = signal.aborted && tap.state === "open";
  if (isGone) await tap.cancel();
  const passing = new Response(isGone ? null : tap.body(), { status, statusText, headers });
  if (tap.state !== "open") return { kind: "received", response: passing, known: await checked };
  return { kind: "received", response: passing, known: head, late: checked };
}

/** How long a body is held back, and up to which size. */
function holdingOf(
  { response, validator, refuses }: IncomingResponse,
  { checkBody }: HeadCheck,
  { timer }: RelayResources,
): { most: number; milliseconds: number } {
  const length = response.headers.get("content-length");
  const most = refuses ? MOST_RELAYED_BODY : SMALL_BODY;
  const isHeld = validator !== undefined && checkBody !== undefined && (refuses || timer !== undefined) &&
    !(Number(length) > most);
  const times = refuses ? HOLD_IN_ERROR_MODE : HOLD_IN_WARN_MODE;
  return { most, milliseconds: isHeld ? (length === null ? times.unknown : times.known) : 0 };
}

/** Checks the head of a response. If the check itself fails, returns the reason as a text. */
async function checkHead({ response, request, validator }: IncomingResponse): Promise<HeadCheck | string> {
  if (validator === undefined) return UNCHECKED;
  try {
    const { status, headers } = response;
    return await validator.checkHead({ status, headers, request });
  } catch (error) {
    return failureReason(error);
  }
}

async function checkKept(incoming: IncomingResponse, head: HeadCheck, kept: BodyCopy): Promise<CheckedResponse> {
  if (kept.kind === "whole") return await checkBytes(incoming, head, kept.bytes);
  const { violations, checkBody } = head;
  // If the client disconnects, the request to the upstream is aborted, which breaks the body off, too. That isn't a
  // failure of the upstream.
  const isFailure = kept.failure !== undefined && !incoming.request.signal.aborted;
  return {
    violations,
    ...checkBody === undefined ? {} : { unchecked: kept.reason },
    ...isFailure ? { failure: brokeOff(kept.failure) } : {},
  };
}

export function brokeOff(reason: string): string {
  return `The response of the upstream broke off: ${reason}`;
}

async function checkBytes(
  { response: { headers }, request: { method }, keepsBody, decoding }: IncomingResponse,
  head: HeadCheck,
  bytes: Bytes | null,
): Promise<CheckedResponse> {
  const { violations, checkBody } = head;
  if (bytes === null && method === "HEAD") return { violations };
  if (checkBody === undefined && !keepsBody) return { violations };
  if (bytes === null) return withoutBody(await checkRead(headers, head, { kind: "bytes", bytes: new Uint8Array() }));
  return await usePlainBody(bytes, headers, decoding, (read) => checkRead(headers, head, read));
}

async function checkRead(
  headers: Headers,
  { violations, checkBody }: HeadCheck,
  read: ReadBody,
): Promise<CheckedResponse> {
  try {
    switch (read.kind) {
      case "bytes": {
        const found = await checkBody?.(read.bytes) ?? [];
        return { violations: found.length === 0 ? violations : [...violations, ...found], body: read.bytes };
      }
      case "too-large":
        return { violations, unchecked: "Without its content coding it has more than 10 MiB." };
      case "unknown-coding":
        return { violations, unchecked: `It has the content coding ${headers.get("content-encoding")}.` };
      case "broken":
        return { violations: [...violations, undecodable(read.message)] };
    }
  } catch (error) {
    return { violations, unchecked: failureReason(error) };
  }
}

function withoutBody({ violations, unchecked }: CheckedResponse): CheckedResponse {
  return { violations, unchecked };
}

function undecodable(reason: string): ResponseViolation {
  const message = `Response body can't be decoded by its content coding: ${reason}.`;
  return { location: ["response", "body"], severity: "Error", code: "malformed", message };
}

/** The reason for the log if a check itself failed. It isn't a violation, because the upstream isn't at fault. */
function failureReason(error: unknown): string {
  return `The check failed: ${messageOf(error)}`;
}
