import { createControlApi } from "./control/control_api.ts";
import { createSessions } from "./create_sessions.ts";
import { explainRequest } from "./explain_request.ts";
import { inferResources } from "./infer/infer_resources.ts";
import { createRelay } from "../observe/relay/create_relay.ts";
import { createBoundAnswerer } from "./state/answer_state.ts";
import { createInitialStates } from "./state/store/initial_states.ts";
import { createStateAnswers } from "./state/state_context.ts";

/** All parts of mock servers. `loadServerParts()` imports them. */
export const ALL_SERVER_PARTS = {
  sessions: { createSessions },
  state: { createBoundAnswerer, createInitialStates, createStateAnswers, inferResources },
  relay: { createRelay },
  createControlApi,
  explainRequest,
};
