import { messageOf } from "../lib/http/message.ts";
import type { Sessions } from "../lib/mock/session/sessions.ts";
import type { Log } from "./io/log.ts";
import type { StateFile } from "./io/state_file.ts";
import type { MockSettings } from "./mock_settings.ts";
import { EXIT } from "./platform.ts";

/** The connection of a server's state to its file, if there is a file. */
export interface KeptState {
  /**
   * Writes the last changes to the file. Logs a message if that fails.
   *
   * @returns The exit code.
   */
  finish(): Promise<number>;
}

/**
 * Loads the state of the shared session from the file of `--state`, and writes it back whenever it changes. Does
 * nothing without the flag.
 */
export async function keepState(
  { state: path }: Pick<MockSettings, "state">,
  sessions: Sessions,
  log: Pick<Log, "complain">,
): Promise<{ kind: "kept"; kept: KeptState } | { kind: "failed"; code: number }> {
  if (path === undefined) return { kind: "kept", kept: { finish: () => Promise.resolve(EXIT.fine) } };
  try {
    const { openStateFile } = await import("./io/state_file.ts");
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
