/**
 * The parts of a mock server that only sessions, the control API and an upstream need. `createMock` imports this module
 * when a definition or its options ask for them, so that programs without them load half as much.
 *
 * @module
 */
import { createBoundAnswerer } from "./answer_bound.ts";
import { createControlApi } from "./control/control_api.ts";
import { createSessions } from "./create_sessions.ts";
import { inferResources } from "./infer/infer_resources.ts";
import { createRelay } from "./relay/create_relay.ts";
import { createInitialStates } from "./state/initial_states.ts";
import { createStateAnswers } from "./state/state_context.ts";

/** The functions that make the parts of a server, such as its sessions and its control API. */
export const SERVER_PARTS = {
  createBoundAnswerer,
  createControlApi,
  createInitialStates,
  createRelay,
  createSessions,
  createStateAnswers,
  inferResources,
};

export type ServerParts = typeof SERVER_PARTS;
