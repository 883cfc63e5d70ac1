/**
 * The parts of a mock server that only some definitions and options need. A server imports them when it needs them: a
 * server with none starts sooner, and a page loads half the code. They are in two modules only: with more, what they
 * share with `createMock` would be split into many small files, which compress badly.
 *
 * @module
 */
import type { ALL_SERVER_PARTS } from "./all_server_parts.ts";

type AllParts = typeof ALL_SERVER_PARTS;

/** The functions that make the parts, by part. A part that isn't needed is `undefined`. */
export type ServerParts = { readonly [Part in keyof NeededParts]: AllParts[Part] | undefined };

/** The parts that a mock server needs. */
export interface NeededParts {
  /** Sessions, with their rules and journals. */
  readonly sessions: boolean;
  /** Answers from state. */
  readonly state: boolean;
  /** The relay to an upstream. */
  readonly relay: boolean;
}

/** The parts of a mock server that needs none. */
export const NO_PARTS: ServerParts = { sessions: undefined, state: undefined, relay: undefined };

/** Chooses the needed parts. */
export function chooseParts(all: AllParts, { sessions, state, relay }: NeededParts): ServerParts {
  return {
    sessions: sessions ? all.sessions : undefined,
    state: state ? all.state : undefined,
    relay: relay ? all.relay : undefined,
  };
}

/** Imports the parts that a mock server needs. */
export async function loadServerParts(needs: NeededParts): Promise<ServerParts> {
  if (needs.state || needs.relay) return chooseParts((await import("./all_server_parts.ts")).ALL_SERVER_PARTS, needs);
  return needs.sessions ? { ...NO_PARTS, sessions: await import("./create_sessions.ts") } : NO_PARTS;
}
