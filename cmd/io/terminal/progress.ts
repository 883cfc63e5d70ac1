import { oneLine } from "../../../lib/http/one_line.ts";
import { createPaint, fit, type Output, type Terminal } from "./terminal.ts";

/** Moves to the start of the line and erases it (ECMA-48, Erase in Line). */
const CLEAR = "\r\u001b[K";

/** Milliseconds until the line appears, and between two updates of it. */
const PAUSE = 250;
/** Seconds after which the line also shows how long the step has taken. */
const LONG = 2;
/** Milliseconds that a terminal may take to accept the last output of the line. */
const TERMINAL_FLUSH_TIMEOUT = 1_000;

/** The streams that progress is written to, or that must not be interleaved with it. */
export interface ProgressOutput {
  readonly stdout: Pick<Output, "waiting">;
  readonly stderr: Output;
  /** The terminal of standard error; without one, no progress is shown. */
  readonly errorTerminal?: Terminal | undefined;
}

/** A line on the terminal of standard error that says what a long step does. It is erased when the step ends. */
export class Progress implements AsyncDisposable {
  readonly #output: ProgressOutput;
  #text = "";
  #since = 0;
  #isShown = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  /**
   * Sets the text of the line. The line is drawn every 250 milliseconds, so a step that is shorter may never be shown.
   */
  update(text: string): void {
    if (this.#output.errorTerminal === undefined) return;
    this.#text = text;
    this.#since = Date.now();
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#draw(), PAUSE);
    Deno.unrefTimer(this.#timer);
  }

  /** Erases the line until the next update. Call this before other text is written to a terminal. */
  async erase(): Promise<void> {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#output.stderr.write(CLEAR);
    await this.#output.stderr.flush(TERMINAL_FLUSH_TIMEOUT);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.erase();
  }

  #draw(): void {
    const { errorTerminal, stdout, stderr } = this.#output;
    // Standard output may be the same terminal. Don't write the line between the other lines that wait to be written.
    if (errorTerminal === undefined || stdout.waiting > 0 || stderr.waiting > 0) return;
    const seconds = Math.floor((Date.now() - this.#since) / 1000);
    const text = oneLine(seconds < LONG ? `${this.#text} …` : `${this.#text} … ${seconds} s`);
    let columns: number;
    try {
      ({ columns } = errorTerminal.size());
    } catch {
      // The terminal was closed.
      return;
    }
    stderr.write(`${CLEAR}${createPaint(stderr.color).dim(fit(text, columns - 1))}`);
    this.#isShown = true;
  }
}
