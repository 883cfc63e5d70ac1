import { percentDecode } from "../../../http/url/url.ts";
import type { Session } from "../../session/session.ts";
import { isSessionName } from "../../session/session_name.ts";
import { readJson } from "../content.ts";
import type { ControlCall, ControlContext } from "../context.ts";
import { type ErrorResponse, errorResponse } from "../../../api/error_response.ts";
import { integerOf } from "../../../api/query.ts";
import { limitOf } from "../limit.ts";
import { emptyResponse, jsonResponse } from "../responses.ts";

/** `GET /sessions` */
export function listSessions({ query }: ControlCall, { server: { sessions } }: ControlContext): Response {
  const all = sessions.list();
  const offset = integerOf(query, "offset", 0, Number.MAX_SAFE_INTEGER) ?? 0;
  const page = all.slice(offset, offset + limitOf(query));
  return jsonResponse({ total: all.length, sessions: page.map(represent) });
}

/** `POST /sessions` */
export async function forkSession(call: ControlCall, context: ControlContext): Promise<Response> {
  // The cast is safe: `readJson` has validated the body.
  const { name, seed } = await readJson(call, context) as { name: string; seed?: number };
  if (name === call.session.name) throw errorResponse(422, `A session can't be forked into itself: ${name}.`);
  const fork = context.server.sessions.fork(call.session.name, name);
  if (seed !== undefined) fork.seed = seed;
  return jsonResponse(represent(fork), 201);
}

/** `GET /sessions/{name}` */
export function getSession(call: ControlCall, context: ControlContext): Response {
  return jsonResponse(represent(named(call, context)));
}

/** `DELETE /sessions/{name}` */
export function deleteSession(call: ControlCall, context: ControlContext): Response {
  context.server.sessions.delete(named(call, context).name);
  return emptyResponse();
}

/** `POST /sessions/{name}/reset` */
export function resetNamedSession(call: ControlCall, context: ControlContext): Response {
  named(call, context).reset();
  return emptyResponse();
}

/** `POST /reset` */
export function resetSession({ session }: ControlCall): Response {
  session.reset();
  return emptyResponse();
}

/** `GET /snapshots` */
export function listSnapshots({ session }: ControlCall): Response {
  return jsonResponse({ snapshots: session.snapshots });
}

/** `PUT /snapshots/{name}` */
export function takeSnapshot(call: ControlCall): Response {
  call.session.snapshot(validName(call));
  return emptyResponse();
}

/** `POST /snapshots/{name}/restore` */
export function restoreSnapshot(call: ControlCall): Response {
  const name = validName(call);
  if (!call.session.restore(name)) throw noSnapshot(name, call.session);
  return emptyResponse();
}

/** `DELETE /snapshots/{name}` */
export function dropSnapshot(call: ControlCall): Response {
  const name = validName(call);
  if (!call.session.dropSnapshot(name)) throw noSnapshot(name, call.session);
  return emptyResponse();
}

function named(call: ControlCall, { server: { sessions } }: ControlContext): Session {
  const name = validName(call);
  const session = sessions.get(name);
  if (session === undefined) {
    throw errorResponse(
      404,
      `There is no session ${name}: none was used, or it was dropped. GET sessions lists them.`,
    );
  }
  return session;
}

function validName({ parameters: { name = "" } }: ControlCall): string {
  const decoded = percentDecode(name);
  if (isSessionName(decoded)) return decoded;
  throw errorResponse(400, "A name has 1 to 128 letters, digits and . _ ~ -.");
}

function noSnapshot(name: string, { snapshots }: Session): ErrorResponse {
  const there = snapshots.length === 0 ? "It has none." : `It has ${snapshots.slice(0, 10).join(", ")}.`;
  return errorResponse(404, `The session has no snapshot ${name}. ${there}`);
}

function represent({ name, seed, journal, rules, state, snapshots }: Session) {
  return { name, seed, requests: journal?.size ?? 0, rules: rules.size, ...state.used, snapshots };
}
