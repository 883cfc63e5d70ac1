import { messageOf } from "../../lib/http/message.ts";
import type { Sessions } from "../../lib/mock/session/sessions.ts";
import type { Log } from "../io/terminal/log.ts";
import type { StateFile } from "../io/files/state_file.ts";
import type { MockSettings } from "./settings.ts";
import { EXIT } from "../line/platform.ts";

/** Keeps the file of `--state` up to date with the state of the server. */
export interface KeptState {
  /**
   * Writes the changes that aren't in the file yet. Logs a message if that fails.
   *
   * @returns The exit code.
   */
  finish(): Promise<number>;
}

/**
 * Loads the state of the shared session from the file of `--state`, and writes it back whenever it changes. Without the
 * flag, nothing is loaded or written.
 */
export async function keepState(
  { state: path }: Pick<MockSettings, "state">,
  sessions: Sessions,
  log: Pick<Log, "complain">,
): Promise<{ kind: "kept"; kept: KeptState } | { kind: "failed"; code: number }> {
  if (path === undefined) return { kind: "kept", kept: { finish: () => Promise.resolve(EXIT.fine) } };
  try {
    const { openStateFile } = await import("../io/files/state_file.ts");
    const file = await openStateFile(path, sessions.shared.state, { complain: (message) => log.complain(message) });
    return { kind: "kept", kept: { finish: () => finish(file, log) } };
  } catch (error) {
    log.complain(messageOf(error));
    return { kind: "failed", code: EXIT.environment };
  }
}

async function finish(file: StateFile, log: Pick<Log, "complain">): Promise<number> {
  const failure = await file.close();
  if (failure === undefined) return EXIT.fine;
  log.complain(failure);
  return EXIT.environment;
}
