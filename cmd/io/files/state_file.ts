import { messageOf } from "../../../lib/http/message.ts";
import { loadState, readState, writeState } from "../../../lib/mock/state/store/saved_state.ts";
import type { UnusedItems } from "../../../lib/mock/state/store/migrate_items.ts";
import type { State } from "../../../lib/mock/state/store/store.ts";
import { reasonOf } from "./read.ts";
import { checkReplaceable, replaceFile } from "./replace_file.ts";

export interface StateFileOptions {
  /** Called with a message when the file can't be written; called again only after a successful write. */
  readonly complain: (message: string) => void;
  /** Milliseconds between two checks whether the state has changed. Default: 500. */
  readonly pause?: number;
}

/** A file that keeps the state of a session between runs. */
export interface StateFile {
  /**
   * Writes the changes that aren't in the file yet, and stops writing.
   *
   * @returns A message if that failed; `undefined` on success.
   */
  close(): Promise<string | undefined>;
}

/** The largest file that is read, in bytes. The file of a state within the default limits is smaller. */
const MOST_BYTES = 384 * 1024 * 1024;
/** Milliseconds between two checks whether the state has changed. A crash loses the changes of this time. */
const PAUSE = 500;
/**
 * After a write, the next one waits for at least this many times the duration of the write. Otherwise a large state
 * would be written all the time.
 */
const WRITE_SPACING = 4;
/** The mode of a new file: only its owner may read it, since clients may have sent confidential data. */
const PRIVATE = 0o600;

/**
 * Opens the file of a state: loads its contents, and writes the state whenever it has changed. If the file is missing
 * or empty, the state remains the initial state.
 *
 * The state is written to a temporary file, which is then renamed. After a crash, the file is either the old or the new
 * one.
 *
 * @throws {Error} If the file can't be read or written, or contains no state. The message is for the user.
 */
export async function openStateFile(
  path: string,
  state: State,
  { complain, pause = PAUSE }: StateFileOptions,
): Promise<StateFile> {
  for (const { resource, items } of await load(path, state)) {
    complain(`The state in ${path} has items of ${resource} that no operation shows: ${items}. The file keeps them.`);
  }
  await tryToWrite(path);
  return new StateWriter(path, state, complain, pause);
}

async function load(path: string, state: State): Promise<UnusedItems[]> {
  const text = await read(path);
  if (text.trim() === "") return [];
  try {
    return await loadState(state, readState(text));
  } catch (error) {
    const reason = messageOf(error).replaceAll(/\s+/g, " ").replace(/\.?$/, ".");
    throw new Error(
      `Cannot take the state from ${path}: ${reason} Remove the file to begin anew, or name another with --state.`,
      { cause: error },
    );
  }
}

async function read(path: string): Promise<string> {
  try {
    const { size } = await Deno.stat(path);
    if (size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES / 1024 / 1024} MiB`);
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw new Error(`Cannot take the state from ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}

/** Throws if the file can't be written. The user thus learns that before the first request. */
async function tryToWrite(path: string): Promise<void> {
  try {
    await checkReplaceable(path);
  } catch (error) {
    throw new Error(`Cannot keep the state in ${path}: ${reasonToWrite(error)}.`, { cause: error });
  }
}

function reasonToWrite(error: unknown): string {
  return error instanceof Deno.errors.NotFound ? "there is no such folder" : reasonOf(error).replace(/\.$/, "");
}

/** Writes a state within some time after each change. A timer checks for changes, so that requests don't get slower. */
class StateWriter implements StateFile {
  readonly #path: string;
  readonly #state: State;
  readonly #complain: (message: string) => void;
  readonly #pause: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<string | undefined> = Promise.resolve(undefined);
  /** The revision of the state that is in the file. */
  #written: number;
  #hasFailed = false;
  #isClosed = false;

  constructor(path: string, state: State, complain: (message: string) => void, pause: number) {
    this.#path = path;
    this.#state = state;
    this.#complain = complain;
    this.#pause = pause;
    this.#written = state.revision;
    this.#schedule(pause);
  }

  async close(): Promise<string | undefined> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#writing;
    return await this.#write();
  }

  #schedule(pause: number): void {
    this.#timer = setTimeout(() => {
      const begin = performance.now();
      this.#writing = this.#write();
      void this.#writing.then((failure) => {
        if (failure !== undefined && !this.#hasFailed) this.#complain(failure);
        this.#hasFailed = failure !== undefined;
        if (!this.#isClosed) this.#schedule(Math.max(this.#pause, WRITE_SPACING * (performance.now() - begin)));
      });
    }, pause);
    // The timer must not keep the process alive: `close` writes the state at the end.
    Deno.unrefTimer(this.#timer);
  }

  /** Writes the state, if it has changed. Resolves with a message if that fails. */
  async #write(): Promise<string | undefined> {
    const { revision } = this.#state;
    if (revision === this.#written) return undefined;
    const snapshot = this.#state.snapshot();
    try {
      await replaceFile(this.#path, writeState(snapshot, revision), PRIVATE);
      this.#written = revision;
      return undefined;
    } catch (error) {
      return `Cannot keep the state in ${this.#path}: ${reasonToWrite(error)}.`;
    } finally {
      this.#state.drop(snapshot);
    }
  }
}
