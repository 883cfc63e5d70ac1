import { createPaint, fit, type Output, printable, type Terminal } from "./terminal.ts";

/** Back to the start of the line, and clear it (ECMA-48, Erase in Line). */
const CLEAR = "\r\u001b[K";

/** Milliseconds until the line appears, and between two drawings. */
const PAUSE = 250;
/** Seconds after which the line says how long the step takes. */
const LONG = 2;
/** Milliseconds in which a terminal must take the end of the line. */
const TERMINAL_FLUSH_TIMEOUT = 1_000;

/** Where progress is shown, and what else is written there. */
export interface ProgressOutput {
  readonly stdout: Pick<Output, "waiting">;
  readonly stderr: Output;
  /** The terminal of standard error; without one, no progress is shown. */
  readonly errorTerminal?: Terminal | undefined;
}

/** A line on the terminal of standard error that says what a long step does, and is erased at its end. */
export class Progress implements AsyncDisposable {
  readonly #output: ProgressOutput;
  #text = "";
  #since = 0;
  #isShown = false;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(output: ProgressOutput) {
    this.#output = output;
  }

  /** Sets the text of the line, which appears if no other text replaces it and nothing erases it within a moment. */
  update(text: string): void {
    if (this.#output.errorTerminal === undefined) return;
    this.#text = text;
    this.#since = Date.now();
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#draw(), PAUSE);
    Deno.unrefTimer(this.#timer);
  }

  /** Erases the line until the next update. Call it before something else is written to a terminal. */
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
    // Standard output may be the same terminal: its lines go first.
    if (errorTerminal === undefined || stdout.waiting > 0 || stderr.waiting > 0) return;
    const seconds = Math.floor((Date.now() - this.#since) / 1000);
    const text = printable(seconds < LONG ? `${this.#text} …` : `${this.#text} … ${seconds} s`);
    let columns: number;
    try {
      ({ columns } = errorTerminal.size());
    } catch {
      // The terminal is gone.
      return;
    }
    stderr.write(`${CLEAR}${createPaint(stderr.color).dim(fit(text, columns - 1))}`);
    this.#isShown = true;
  }
}
