/**
 * Checks requests before they are sent to an upstream.
 *
 * @module
 */
import { READ_AHEAD, UnreadBodyError } from "../../http/limits/body_limits.ts";
import { readPlainBytes } from "../../http/content_coding.ts";
import { hasBody, type ReadBody } from "../../http/body.ts";
import type { Bytes } from "../../http/handler.ts";
import { messageOf } from "../../http/message.ts";
import type { RequestTarget, RequestValidator, Validation } from "../../mock/validation/validate_request.ts";
import { violation } from "../../mock/validation/violation.ts";
import { type BodyCopy, BodyTap } from "./body_tap.ts";
import { hold, HOLD_IN_ERROR_MODE, MOST_RELAYED_BODY, type RelayResources, SMALL_BODY } from "./limits.ts";
import { usePlainBody } from "./plain_body.ts";

/** A request for the upstream, and how it is checked. */
export interface OutgoingRequest extends Pick<RelayResources, "decoding"> {
  readonly request: Request;
  readonly target: RequestTarget;
  /** `undefined` if requests aren't checked. */
  readonly validator: RequestValidator | undefined;
  /** Whether an invalid request is refused (`error` mode). */
  readonly refuses: boolean;
  /** Whether the body is kept for observers. */
  readonly keepsBody: boolean;
}

export interface CheckedRequest {
  readonly validation: Validation;
  /** The body, after its content coding was decoded, if it was kept. */
  readonly body?: Bytes | undefined;
  /** Sentences for the log that say what wasn't checked, and why. */
  readonly remarks: readonly string[];
}

/** A request that can be sent to the upstream. */
export interface ReadRequest {
  readonly kind: "read";
  /** The body to send; `undefined` if nothing of the request's own body was read. */
  readonly body: Bytes | ReadableStream<Bytes> | undefined;
  /** A promise if the body is checked while it is passed on. */
  readonly checked: CheckedRequest | Promise<CheckedRequest>;
  /** Whether the body has ended, so that `checked` resolves soon. */
  readonly isRead: () => boolean;
}

const VALID: Validation = Object.freeze({ violations: [] });
const isRead = (): boolean => true;

/**
 * Checks a request. A small body is read and checked before the request is sent on. In `error` mode (`refuses`), a
 * larger body is held back, so that its violations can refuse the request. In `warn` mode, it is checked while it is
 * passed on.
 *
 * @returns `gone` if the client disconnected before the body was read, `unread` if a limit of all bodies is exceeded.
 */
export async function readRequest(
  outgoing: OutgoingRequest,
  resources: RelayResources,
): Promise<ReadRequest | { kind: "gone" } | { kind: "unread"; error: UnreadBodyError }> {
  const { request, validator, refuses, keepsBody } = outgoing;
  const readsBody = validator?.readsBody === true || keepsBody;
  if (!readsBody || !hasBody(request)) {
    return { kind: "read", body: undefined, checked: await checkUnread(outgoing), isRead };
  }
  const length = Number(request.headers.get("content-length") ?? NaN);
  if (length <= SMALL_BODY) {
    const limits = { ...resources.bodies, memory: resources.budget };
    try {
      const bytes = await readPlainBytes(request, length, SMALL_BODY, limits);
      return { kind: "read", body: bytes, checked: await checkBytes(outgoing, bytes), isRead };
    } catch (error) {
      return error instanceof UnreadBodyError ? { kind: "unread", error } : { kind: "gone" };
    }
  }
  if (request.body === null) return { kind: "read", body: undefined, checked: await checkUnread(outgoing), isRead };
  // While it is held back, the beginning of a body may be in memory twice.
  const readAhead = 2 * (length < READ_AHEAD ? length : READ_AHEAD);
  const tap = new BodyTap(request.body, { limit: MOST_RELAYED_BODY, budget: resources.budget, readAhead });
  return refuses && validator?.readsBody === true
    ? await readHeld(outgoing, tap, length, resources)
    : readPassing(outgoing, tap);
}

/** Checks a body while it is passed on. */
function readPassing(outgoing: OutgoingRequest, tap: BodyTap): ReadRequest {
  const checked = tap.ended.then((kept) => checkKept(outgoing, kept)).finally(() => tap.release());
  return { kind: "read", body: tap.body(), checked, isRead: () => tap.state !== "open" };
}

/** Holds a body back until it is checked. A body that is too large or too slow is passed on unchecked. */
async function readHeld(
  outgoing: OutgoingRequest,
  tap: BodyTap,
  length: number,
  resources: RelayResources,
): Promise<ReadRequest | { kind: "gone" }> {
  const time = Number.isNaN(length) ? HOLD_IN_ERROR_MODE.unknown : HOLD_IN_ERROR_MODE.known;
  const isWhole = !(length > MOST_RELAYED_BODY) &&
    await hold(tap, MOST_RELAYED_BODY, time, resources, outgoing.request.signal);
  if (tap.state === "failed") {
    tap.release();
    return { kind: "gone" };
  }
  const body = tap.body();
  if (isWhole) {
    const checked = await checkKept(outgoing, await tap.ended);
    tap.release();
    return { kind: "read", body, checked, isRead };
  }
  void tap.ended.then(() => tap.release());
  const { validation, remarks } = await checkUnread(outgoing);
  const reason = tap.lost ??
    (length > MOST_RELAYED_BODY ? "It has more than 10 MiB." : `It has not ended within ${time / 1000} s.`);
  return { kind: "read", body, checked: { validation, remarks: [...remarks, unchecked(reason)] }, isRead };
}

async function checkKept(outgoing: OutgoingRequest, kept: BodyCopy): Promise<CheckedRequest> {
  if (kept.kind === "whole") return await checkBytes(outgoing, kept.bytes);
  const { validation, remarks } = await checkUnread(outgoing);
  if (outgoing.validator?.readsBody !== true) return { validation, remarks };
  return { validation, remarks: [...remarks, unchecked(kept.reason)] };
}

async function checkBytes(outgoing: OutgoingRequest, bytes: Bytes): Promise<CheckedRequest> {
  const { request: { headers }, decoding } = outgoing;
  return await usePlainBody(bytes, headers, decoding, (read) => checkRead(outgoing, read));
}

async function checkRead(outgoing: OutgoingRequest, read: ReadBody): Promise<CheckedRequest> {
  const { request, target, validator } = outgoing;
  if (read.kind === "bytes") {
    const checked = await attempt(() => validator?.check(request, target, read));
    const tooLarge = checked.validation.violations.find(({ code }) => code === "too-large");
    if (tooLarge === undefined) return { ...checked, body: read.bytes };
    const { validation, remarks } = await checkUnread(outgoing);
    return { validation, body: read.bytes, remarks: [...remarks, unchecked(tooLarge.message)] };
  }
  const { validation, remarks } = await checkUnread(outgoing);
  if (validator?.readsBody !== true) return { validation, remarks };
  if (read.kind === "broken") {
    const malformed = violation("body", "", "malformed", `could not be read: ${read.message}`);
    return { validation: withViolation(validation, malformed), remarks };
  }
  // A body that is too large or has an unknown content coding isn't a violation: the upstream may be able to read it.
  const reason = read.kind === "too-large"
    ? "Without its content coding it has more than 10 MiB."
    : `It ${read.message}.`;
  return { validation, remarks: [...remarks, unchecked(reason)] };
}

function withViolation(validation: Validation, malformed: Validation["violations"][number]): Validation {
  return {
    error: validation.error ?? { status: 400, codes: [400, 422] },
    violations: [...validation.violations, malformed],
  };
}

async function checkUnread({ request, target, validator }: OutgoingRequest): Promise<CheckedRequest> {
  return await attempt(() =>
    validator?.readsBody === true ? validator.checkHead(request, target) : validator?.check(request, target)
  );
}

/** Runs a check. If the check itself fails, the request isn't at fault, and is sent on. */
async function attempt(check: () => Validation | Promise<Validation> | undefined): Promise<CheckedRequest> {
  try {
    return { validation: await check() ?? VALID, remarks: [] };
  } catch (error) {
    return { validation: VALID, remarks: [`The request could not be checked: ${messageOf(error)}`] };
  }
}

function unchecked(reason: string): string {
  return `The body of the request went on unchecked. ${reason}`;
}
