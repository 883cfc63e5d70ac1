/**
 * Parts of a mock server for sessions, the control API and an upstream. `createMock` imports this module only if the
 * definition or the options need it, which halves the code that other programs load.
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
