/**
 * The operations of the control API, with their handlers.
 *
 * @module
 */
import { type Call, type OperationRow, type Operations, readOperations } from "../../api/api.ts";
import { errorResponse } from "../../api/error_response.ts";
import { isFromForeignPage } from "../../http/url/origin.ts";
import type { Session } from "../session/session.ts";
import { isSessionName } from "../session/session_name.ts";
import type { ControlContext, ControlHandler } from "./context.ts";
import { advanceClock, getClock, resetClock, setClock } from "./handlers/clock.ts";
import { explainRecorded, explainRequest } from "./handlers/explain.ts";
import { clearRequests, exportRequests, listRequests, verifyRequests } from "./handlers/requests.ts";
import { addRule, getRule, listRules, removeRule, replaceRule, resetRules } from "./handlers/rules.ts";
import { getDescription, listOperations, listResources } from "./handlers/server.ts";
import {
  deleteSession,
  dropSnapshot,
  forkSession,
  getSession,
  listSessions,
  listSnapshots,
  resetNamedSession,
  resetSession,
  restoreSnapshot,
  takeSnapshot,
} from "./handlers/sessions.ts";
import {
  getItems,
  getState,
  patchItems,
  patchState,
  replaceItems,
  replaceState,
  resetItems,
  resetState,
} from "./handlers/state.ts";

const FILTER = [
  "operation",
  "method",
  "path",
  "status",
  "source",
  "rule",
  "text",
  "matched",
  "violations",
  "query.",
  "header.",
  "body.",
] as const;

const ROWS: readonly OperationRow<ControlHandler>[] = [
  ["GET /openapi.json", "getDescription", getDescription],
  ["GET /operations", "listOperations", listOperations, ["limit", "offset"]],
  ["GET /resources", "listResources", listResources],
  ["POST /explain", "explainRequest", explainRequest],
  ["GET /requests", "listRequests", listRequests, [...FILTER, "secrets", "limit", "after", "before"]],
  ["DELETE /requests", "clearRequests", clearRequests],
  ["GET /requests/{id}/explain", "explainRecorded", explainRecorded, ["secrets"]],
  ["GET /requests.har", "exportRequests", exportRequests, [...FILTER, "secrets"]],
  ["POST /requests/verify", "verifyRequests", verifyRequests],
  ["GET /rules", "listRules", listRules],
  ["POST /rules", "addRule", addRule],
  ["DELETE /rules", "resetRules", resetRules],
  ["GET /rules/{id}", "getRule", getRule],
  ["PUT /rules/{id}", "replaceRule", replaceRule],
  ["DELETE /rules/{id}", "removeRule", removeRule],
  ["GET /state", "getState", getState],
  ["PUT /state", "replaceState", replaceState],
  ["PATCH /state", "patchState", patchState],
  ["DELETE /state", "resetState", resetState],
  ["GET /state/{resource}", "getItems", getItems],
  ["PUT /state/{resource}", "replaceItems", replaceItems],
  ["PATCH /state/{resource}", "patchItems", patchItems],
  ["DELETE /state/{resource}", "resetItems", resetItems],
  ["GET /snapshots", "listSnapshots", listSnapshots],
  ["PUT /snapshots/{name}", "takeSnapshot", takeSnapshot],
  ["DELETE /snapshots/{name}", "dropSnapshot", dropSnapshot],
  ["POST /snapshots/{name}/restore", "restoreSnapshot", restoreSnapshot],
  ["POST /reset", "resetSession", resetSession],
  ["GET /sessions", "listSessions", listSessions, ["limit", "offset"]],
  ["POST /sessions", "forkSession", forkSession],
  ["GET /sessions/{name}", "getSession", getSession],
  ["DELETE /sessions/{name}", "deleteSession", deleteSession],
  ["POST /sessions/{name}/reset", "resetNamedSession", resetNamedSession],
  ["GET /clock", "getClock", getClock],
  ["PUT /clock", "setClock", setClock],
  ["DELETE /clock", "resetClock", resetClock],
  ["POST /clock/advance", "advanceClock", advanceClock],
];

/**
 * The operations. A test compares them with the API's description, which also has `GET /health`: the mock server itself
 * answers that, for everybody (`answerHealth`).
 */
export const CONTROL_OPERATIONS: Operations<ControlContext> = readOperations(
  ROWS,
  (handle) => (call, context) => handle({ ...call, session: sessionOf(call, context) }, context),
);

/** The session of a request: by its header or base path, else by its query, else the shared session. */
function sessionOf({ query, request }: Call, { session, server: { sessions } }: ControlContext): Session {
  const name = query.get("session") ?? "";
  if (name === "" || name === session.name) return session;
  if (!isSessionName(name)) {
    throw errorResponse(400, "The query `session` names a session: 1 to 128 letters, digits and . _ ~ -.");
  }
  if (session.name === "") return sessions.of(name, () => isFromForeignPage(request));
  throw errorResponse(400, `The request names two sessions, ${session.name} and ${name}.`);
}
