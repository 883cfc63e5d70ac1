import { messageOf } from "../../lib/http/message.ts";
import type { Observer } from "../../lib/observe/exchange.ts";
import { type Definition, documentsOf } from "../io/files/definition.ts";
import type { Log } from "../io/terminal/log.ts";
import type { RecordingFile } from "../io/files/recording_file.ts";
import type { MockSettings } from "./settings.ts";
import { EXIT } from "../line/platform.ts";
import type { Reporting } from "./reporting.ts";

/** The report and the recording of a server; either may be absent. */
export interface Observation {
  /** The observers of the server's exchanges. */
  readonly observers: readonly Observer[];
  /** Shows the dashboard, if there is one. */
  show(url: string): void;
  /** Tells report and recording of the new definitions after a reload. */
  reloaded(definitions: readonly Definition[]): void;
  /**
   * Completes the report and the recording.
   *
   * @returns The exit code, which tells whether the report could be written, and with `--fail-on-violations` whether
   * there were violations.
   */
  finish(): Promise<number>;
}

export interface ObservationOptions {
  readonly settings: MockSettings;
  /** The report; `undefined` for none. */
  readonly reporting: Reporting | undefined;
  readonly log: Log;
}

/**
 * Opens the recording and writes the first report. The log gets a message if a file can't be written.
 *
 * @param start The definitions until the first reload.
 */
export async function startObserving(
  start: readonly Definition[],
  { settings, reporting, log }: ObservationOptions,
): Promise<{ kind: "started"; observation: Observation } | { kind: "failed"; code: number }> {
  let definitions = start;
  const recording = await tryToRecord(settings, definitions, log);
  if (recording.kind === "failed") return recording;
  const { file } = recording;
  const unwritable = await reporting?.start(() => definitions, log);
  if (unwritable !== undefined) {
    log.complain(unwritable);
    return { kind: "failed", code: EXIT.environment };
  }
  const observers: Observer[] = [];
  if (reporting !== undefined) observers.push(reporting.observe);
  if (file !== undefined) observers.push(file.observe);
  return { kind: "started", observation: { observers, show, reloaded, finish } };

  function show(url: string): void {
    reporting?.show(url);
  }

  function reloaded(after: readonly Definition[]): void {
    definitions = after;
    reporting?.changed();
    file?.reloaded(documentsOf(after));
  }

  async function finish(): Promise<number> {
    const code = await reporting?.finish(log) ?? EXIT.fine;
    await file?.close();
    return code;
  }
}

async function tryToRecord(
  settings: MockSettings,
  definitions: readonly Definition[],
  log: Log,
): Promise<{ kind: "ready"; file?: RecordingFile } | { kind: "failed"; code: number }> {
  if (settings.record === undefined) return { kind: "ready" };
  try {
    const { startRecording } = await import("./recording.ts");
    return { kind: "ready", file: await startRecording(settings, settings.record, documentsOf(definitions), log) };
  } catch (error) {
    log.complain(messageOf(error));
    return { kind: "failed", code: EXIT.environment };
  }
}
