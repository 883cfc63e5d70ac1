/**
 * The parts of a mock server that only some definitions and options need. A server imports them when it needs them: a
 * server with none starts in half the time, and a page loads half the code.
 *
 * @module
 */
import type { ALL_SERVER_PARTS } from "./all_server_parts.ts";

/** The functions that make the parts. Those that aren't needed may be absent. */
export type ServerParts = Partial<typeof ALL_SERVER_PARTS>;

/** The parts that a mock server needs. */
export interface NeededParts {
  /** Sessions, with their rules and journals. */
  readonly sessions: boolean;
  /** Answers from state. */
  readonly state: boolean;
  /** The relay to an upstream. */
  readonly relay: boolean;
}

/** Imports the parts that a mock server needs. */
export async function loadServerParts({ sessions, state, relay }: NeededParts): Promise<ServerParts> {
  const [sessionParts, stateParts, relayParts] = await Promise.all([
    sessions ? import("./create_sessions.ts") : {},
    state ? import("./state/state_parts.ts") : {},
    relay ? import("./relay/create_relay.ts") : {},
  ]);
  return { ...sessionParts, ...stateParts, ...relayParts };
}
