/**
 * The parts of a mock server with stateful operations: see `loadServerParts()`.
 *
 * @module
 */
export { createBoundAnswerer } from "../answer_bound.ts";
export { inferResources } from "../infer/infer_resources.ts";
export { createInitialStates } from "./initial_states.ts";
export { createStateAnswers } from "./state_context.ts";
