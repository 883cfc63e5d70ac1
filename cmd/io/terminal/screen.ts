/**
 * A page that is redrawn in place, on the terminal's alternate screen (xterm, private mode 1049).
 *
 * @module
 */
import type { Output, Terminal } from "./terminal.ts";

const ENTER = "\u001b[?1049h\u001b[?25l";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const CLEAR_LINE = "\u001b[K";
const CLEAR_BELOW = "\u001b[J";

/** Milliseconds between two updates of the page. */
const PAUSE = 200;
/** While more characters than this wait for a slow terminal, the page isn't drawn. */
const MOST_WAITING = 64 * 1024;

export class Screen implements Disposable {
  readonly #output: Output;
  readonly #terminal: Terminal;
  readonly #page: (size: { columns: number; rows: number }) => readonly string[];
  readonly #forget: () => void;
  readonly #forgetKeys: (() => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isLeft = false;

  /**
   * Switches to the alternate screen, and draws the page.
   *
   * @param page Lays the page out for the terminal's size.
   * @param onKey Called for each key, if the terminal gives keys.
   */
  constructor(
    output: Output,
    terminal: Terminal,
    page: (size: { columns: number; rows: number }) => readonly string[],
    onKey: (key: string) => void = () => {},
  ) {
    this.#output = output;
    this.#terminal = terminal;
    this.#page = page;
    this.#forget = terminal.onResize(() => this.#draw());
    this.#forgetKeys = terminal.onKey?.(onKey);
    output.write(ENTER);
    this.#draw();
  }

  /** Schedules a new drawing of the page, unless one is scheduled already. */
  changed(): void {
    if (this.#isLeft) return;
    this.#timer ??= setTimeout(() => this.#draw(), PAUSE);
  }

  /** Leaves the alternate screen. The terminal then shows again what it showed before. */
  [Symbol.dispose](): void {
    if (this.#isLeft) return;
    this.#isLeft = true;
    clearTimeout(this.#timer);
    this.#forget();
    this.#forgetKeys?.();
    this.#output.write(LEAVE);
  }

  #draw(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isLeft || this.#output.waiting > MOST_WAITING) return;
    let size: { columns: number; rows: number };
    try {
      size = this.#terminal.size();
    } catch {
      // The terminal was closed.
      return;
    }
    const lines = this.#page(size).map((line) => `${line}${CLEAR_LINE}`);
    this.#output.write(`${HOME}${lines.join("\r\n")}${CLEAR_BELOW}`);
  }
}
