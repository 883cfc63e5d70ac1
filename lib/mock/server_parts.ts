/**
 * The parts of a mock server that only some definitions and options need. A server imports them when it needs them: a
 * server with none starts sooner, and a page loads half the code. They are in two modules only: with more, what they
 * share with `createMock` would be split into many small files, which compress badly.
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
  if (state || relay) return (await import("./all_server_parts.ts")).ALL_SERVER_PARTS;
  return sessions ? await import("./create_sessions.ts") : {};
}
