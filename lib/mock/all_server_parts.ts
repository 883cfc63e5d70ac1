import { createSessions } from "./create_sessions.ts";
import { createRelay } from "./relay/create_relay.ts";
import * as stateParts from "./state/state_parts.ts";

/** All parts of mock servers, for servers that are made synchronously. Others call `loadServerParts()`. */
export const ALL_SERVER_PARTS = { createSessions, createRelay, ...stateParts };
