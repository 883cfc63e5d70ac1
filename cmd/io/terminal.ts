/** A stream of text that is written in batches, so that whoever writes a line never waits for a terminal or a disk. */
export interface Output {
  /** Colours may be used: this is a terminal, and nobody said `NO_COLOR`. */
  readonly color: boolean;
  /** Characters that wait to be written: grows when the reader is slower than the writer. */
  readonly waiting: number;
  /** Adds text; it is written soon. */
  write(text: string): void;
  /**
   * Resolves when all text so far is written, or nobody reads any more.
   *
   * @param patience Milliseconds after which a reader that doesn't read counts as gone. Default: for ever.
   */
  flush(patience?: number): Promise<void>;
}

/** Where bytes go: `Deno.stdout`, `Deno.stderr`, an open file. */
export interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

/** A batch is written when it has this many characters, … */
const BATCH_SIZE = 64 * 1024;
/** … or is this old, in milliseconds. */
const BATCH_AGE = 40;

/** Makes an output of a sink. A sink that nobody reads any more (`gw mock … | head -1`) swallows what is written. */
export function createOutput(sink: Sink, options: { color: boolean }): Output {
  const encoder = new TextEncoder();
  let pending = "";
  let writing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  const closed = Promise.withResolvers<void>();

  return {
    color: options.color,
    get waiting() {
      return pending.length;
    },
    write(text) {
      if (isClosed || text === "") return;
      pending += text;
      if (pending.length >= BATCH_SIZE) start();
      else timer ??= setTimeout(start, BATCH_AGE);
    },
    async flush(patience) {
      const timer = patience === undefined ? undefined : setTimeout(close, patience);
      while (!isClosed && (pending !== "" || writing !== undefined)) {
        start();
        await Promise.race([writing, closed.promise]);
      }
      clearTimeout(timer);
    },
  };

  function start(): void {
    if (writing !== undefined || pending === "") return;
    clearTimeout(timer);
    timer = undefined;
    const batch = encoder.encode(pending);
    pending = "";
    writing = writeAll(batch).finally(() => {
      writing = undefined;
      if (pending !== "") start();
    });
  }

  async function writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length;) done += await sink.write(bytes.subarray(done));
    } catch {
      close();
    }
  }

  function close(): void {
    isClosed = true;
    pending = "";
    closed.resolve();
  }
}

/** Colours a text for a terminal (ECMA-48, section 8.3.117, Select Graphic Rendition). */
export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  red(text: string): string;
  green(text: string): string;
  yellow(text: string): string;
  cyan(text: string): string;
}

/** Makes a paint; one without colour gives texts back as they are. */
export function createPaint(color: boolean): Paint {
  const style = (on: number, off: number) => (text: string): string =>
    color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
    cyan: style(36, 39),
  };
}

/** Control characters, and those that turn the direction of writing. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text that does nothing to a terminal: what strangers write must not move its cursor or change its colours. */
export function printable(text: string): string {
  return text.replace(CONTROLS, (control) => control === "\t" ? " " : "\ufffd");
}
