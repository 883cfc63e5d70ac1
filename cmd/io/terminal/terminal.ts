import { hasControls, oneLine } from "../../../lib/http/one_line.ts";

/** A text stream that is written in batches. Callers don't wait until a terminal or a disk accepts the text. */
export interface Output {
  /** Whether to write colours: on a terminal, unless `NO_COLOR` is set. */
  readonly color: boolean;
  /** The number of characters that wait to be written. */
  readonly waiting: number;
  /** Whether the reader has closed the stream, so that text is dropped. */
  readonly isClosed: boolean;
  /** The error of the first write that failed for another reason, such as a full disk. Its text is lost. */
  readonly failure?: unknown;
  /** Adds text to the next batch. */
  write(text: string): void;
  /**
   * Resolves when all text so far is written, or the reader has closed the stream.
   *
   * @param timeout Milliseconds after which a reader that reads nothing is given up. Default: no limit.
   */
  flush(timeout?: number): Promise<void>;
}

/** A terminal that can move its cursor. */
export interface Terminal {
  /** The number of columns and rows; throws if the terminal is gone. */
  size(): { columns: number; rows: number };
  /** Calls the listener when the size changes. Call the returned function to remove the listener. */
  onResize(listener: () => void): () => void;
  /**
   * Calls the listener for each key, which isn't shown. Call the returned function to stop that. Absent if keys can't be
   * read.
   */
  readonly onKey?: ((listener: (key: string) => void) => () => void) | undefined;
  /** Stops this process as Ctrl+C does. */
  readonly stop?: () => void;
}

/** A destination of bytes: `Deno.stdout`, `Deno.stderr`, an open file. */
export interface Sink {
  write(bytes: Uint8Array): Promise<number>;
}

/** The number of characters at which a batch is written at once. */
const BATCH_SIZE = 64 * 1024;
/** Milliseconds after which a smaller batch is written. */
const BATCH_AGE = 40;

/**
 * The escape sequences that gw writes to a terminal: colours, and those of the dashboard and of the progress line
 * (ECMA-48, section 8.3; xterm, private modes).
 */
// deno-lint-ignore no-control-regex
const OWN_SEQUENCES = /(\u001b\[(?:\d+m|[HJK]|\?(?:25|1049)[hl])|\r(?=\u001b))/g;

export interface OutputOptions {
  readonly color: boolean;
  /** Whether the sink is a terminal, which gets the escape sequences of gw. Default: if it gets colours. */
  readonly isTerminal?: boolean;
}

/**
 * Creates an output that writes to a sink. After the reader has closed the pipe (`gw mock … | head -1`), text is
 * dropped.
 *
 * The sink gets no control characters but line feeds and the sequences that gw itself writes, whatever the text is made
 * of. A line feed within a text of a definition is the business of {@linkcode writeLine} and the log.
 */
export function createOutput(sink: Sink, { color, isTerminal = color }: OutputOptions): Output {
  const encoder = new TextEncoder();
  let pending = "";
  let writing: Promise<void> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;
  let failure: unknown;
  const closed = Promise.withResolvers<void>();

  return {
    color,
    get waiting() {
      return pending.length;
    },
    get isClosed() {
      return isClosed;
    },
    get failure() {
      return failure;
    },
    write(text) {
      if (isClosed || text === "") return;
      pending += text;
      if (pending.length >= BATCH_SIZE) start();
      else timer ??= setTimeout(start, BATCH_AGE);
    },
    async flush(timeout) {
      const timer = timeout === undefined ? undefined : setTimeout(close, timeout);
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
    const batch = encoder.encode(withoutControls(pending, isTerminal));
    pending = "";
    writing = writeAll(batch).finally(() => {
      writing = undefined;
      if (pending !== "") start();
    });
  }

  async function writeAll(bytes: Uint8Array): Promise<void> {
    try {
      for (let done = 0; done < bytes.length;) done += await sink.write(bytes.subarray(done));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) close();
      else failure ??= error;
    }
  }

  function close(): void {
    isClosed = true;
    pending = "";
    closed.resolve();
  }
}

/** Replaces foreign control characters, line by line. */
function withoutControls(text: string, isTerminal: boolean): string {
  if (!hasControls(isTerminal ? text.replaceAll(OWN_SEQUENCES, "") : text)) return text;
  return text.split(/\r?\n/).map((line) => paintedLine(line, isTerminal)).join("\n");
}

/**
 * Formats a text as one line.
 *
 * @param isPainted Whether the colours in the text, and other escape sequences of gw, stay.
 */
export function paintedLine(text: string, isPainted: boolean): string {
  if (!isPainted) return oneLine(text);
  return text.split(OWN_SEQUENCES).map((part, index) => index % 2 === 1 ? part : oneLine(part)).join("");
}

/** Writes a text as one line, whatever it is made of. */
export function writeLine(output: Output, text: string): void {
  output.write(`${oneLine(text)}\n`);
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

/** Creates a paint. Without `color`, its functions return texts unchanged. */
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

/** The number of terminal columns that a text takes: two for East Asian characters and emoji. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += WIDE.test(character) ? 2 : 1;
  return columns;
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** Cuts a text to a number of columns; an ellipsis marks the cut. */
export function fit(text: string, columns: number): string {
  if (text.length <= columns / 2) return text;
  let used = 0;
  let end = 0;
  let cut = 0;
  for (const character of text) {
    used += columnsOf(character);
    if (used > columns) return columns > 0 ? `${text.slice(0, cut)}…` : "";
    end += character.length;
    if (used < columns) cut = end;
  }
  return text;
}
