import { messageOf } from "../../../lib/http/message.ts";
import type { Exchange, Observer } from "../../../lib/observe/exchange.ts";
import type { Document } from "../../../lib/openapi/document.ts";
import type { Recording } from "../../../lib/observe/record/recording.ts";
import { reasonOf } from "./read.ts";
import { checkReplaceable, replaceFile } from "./replace_file.ts";
import { printableYaml } from "./yaml.ts";

export interface RecordingFileOptions {
  /** Called with a sentence for the log that is about no exchange. */
  note: (message: string) => void;
  /** Called with the reasons why an exchange, and those like it, isn't recorded, as sentences. */
  unrecorded: (exchange: Exchange, remarks: readonly string[]) => void;
  /** Called with the reason why the file can't be written, as a sentence. */
  complain: (message: string) => void;
  /** Milliseconds between a change and the write. Default: 500. */
  delay?: number;
}

/** A recording in a file, which grows while requests are answered. */
export interface RecordingFile {
  readonly observe: Observer;
  /** Takes the definitions after a reload. */
  reloaded(documents: readonly Document[]): void;
  /** Writes the changes that aren't in the file yet. */
  close(): Promise<void>;
}

/** The number of bytes of exchanges that may wait to be recorded; further exchanges are dropped. */
const MOST_PENDING = 64 * 1024 * 1024;
/** Milliseconds between a change and the write. A crash loses the changes of this time. */
const DELAY = 500;
/**
 * After a write, the next one waits for at least this many times the duration of the write. Otherwise a large recording
 * would be written all the time.
 */
const WRITE_SPACING = 4;
/** The approximate memory of an exchange without its bodies, in bytes: mostly its headers. */
const SIZE_OF_HEAD = 16 * 1024;
/** The mode of a new file: only its owner may read it, since recordings may contain confidential data. */
const PRIVATE = 0o600;

/**
 * Opens the file of a recording, and reads what was recorded before.
 *
 * Changes are written to a temporary file, which is then renamed to the recording. After a crash, the file is either
 * the old recording or the new one.
 *
 * @throws {Error} If the file can't be read or isn't an overlay, or its folder can't be written to, with a message for
 * the user.
 */
export async function openRecordingFile(
  path: string,
  recording: Recording,
  { note, unrecorded, complain, delay = DELAY }: RecordingFileOptions,
): Promise<RecordingFile> {
  const written = await readEarlier(path, recording);
  await tryToWrite(path);
  const writer = new RecordingWriter(path, recording, { complain, delay }, written);
  let pending = 0;
  let isFull = false;
  let queue = Promise.resolve();

  return { observe, reloaded, close };

  function reloaded(documents: readonly Document[]): void {
    recording.documents = documents;
  }

  function observe(exchange: Exchange): void {
    const size = SIZE_OF_HEAD + (exchange.request.body?.length ?? 0) + (exchange.response.body?.length ?? 0);
    if (pending + size > MOST_PENDING) {
      if (!isFull) note("Exchanges come faster than they can be recorded: some are left out.");
      isFull = true;
      return;
    }
    pending += size;
    queue = queue.then(() => record(exchange)).finally(() => pending -= size);
  }

  async function record(exchange: Exchange): Promise<void> {
    try {
      const { isChanged, remarks } = await recording.add(exchange);
      if (remarks.length > 0) unrecorded(exchange, remarks);
      if (isChanged) writer.schedule();
    } catch (error) {
      complain(`An exchange could not be recorded: ${messageOf(error)}`);
    }
  }

  async function close(): Promise<void> {
    await queue;
    await writer.close();
  }
}

/**
 * Reads the recording that the file contains already.
 *
 * @returns Its text; `undefined` if there is no file.
 */
async function readEarlier(path: string, recording: Recording): Promise<string | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw new Error(`Cannot add to the recording ${path}: ${reasonOf(error)}.`, { cause: error });
  }
  if (text.trim() === "") return text;
  const problem = await recording.read(text);
  if (problem === undefined) return text;
  throw new Error(`Cannot add to ${path}: ${problem} Name another file with --record, or remove this one.`);
}

/** Throws if the recording can't be written. The user thus learns that before the first request. */
async function tryToWrite(path: string): Promise<void> {
  try {
    await checkReplaceable(path);
  } catch (error) {
    const reason = error instanceof Deno.errors.NotFound ? "there is no such folder" : reasonOf(error);
    throw new Error(`Cannot write the recording ${path}: ${reason}.`, { cause: error });
  }
}

/** Writes a recording within some time after each change. */
class RecordingWriter {
  readonly #path: string;
  readonly #recording: Recording;
  readonly #options: { complain: (message: string) => void; delay: number };
  #written: string | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing = Promise.resolve();
  #took = 0;
  #complaint = "";

  constructor(
    path: string,
    recording: Recording,
    options: { complain: (message: string) => void; delay: number },
    written: string | undefined,
  ) {
    this.#path = path;
    this.#recording = recording;
    this.#options = options;
    this.#written = written;
  }

  schedule(): void {
    // Keep the earlier timer, so that further changes don't delay the write.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, Math.max(this.#options.delay, WRITE_SPACING * this.#took));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#write();
  }

  #write(): Promise<void> {
    return this.#writing = this.#writing.then(async () => {
      const start = performance.now();
      try {
        const rendered = await this.#recording.render();
        const text = rendered === undefined ? undefined : printableYaml(rendered);
        if (text !== undefined && text !== this.#written) {
          await replaceFile(this.#path, text, PRIVATE);
          this.#written = text;
        }
        this.#complaint = "";
      } catch (error) {
        const complaint = `Cannot write the recording ${this.#path}: ${reasonOf(error)}.`;
        if (complaint !== this.#complaint) this.#options.complain(complaint);
        this.#complaint = complaint;
      }
      this.#took = performance.now() - start;
    });
  }
}
