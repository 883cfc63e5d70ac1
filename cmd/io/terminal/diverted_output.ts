import type { Output } from "./terminal.ts";

/** Matches escape sequences of colours (ECMA-48, section 8.3.117, Select Graphic Rendition). */
// deno-lint-ignore no-control-regex
const COLORS = /\u001b\[\d+m/g;

/** An output whose lines can be diverted to a function for a while. */
export class DivertedOutput implements Output {
  readonly color: boolean;
  readonly #output: Output;
  #take: ((lines: readonly string[]) => void) | undefined;

  constructor(output: Output) {
    this.color = output.color;
    this.#output = output;
  }

  get waiting(): number {
    return this.#take === undefined ? this.#output.waiting : 0;
  }

  get isClosed(): boolean {
    return this.#take === undefined && this.#output.isClosed;
  }

  write(text: string): void {
    if (this.#take === undefined) return this.#output.write(text);
    this.#take(text.replaceAll(COLORS, "").split("\n").filter((line) => line !== ""));
  }

  async flush(timeout?: number): Promise<void> {
    await this.#output.flush(timeout);
  }

  /**
   * Diverts lines to a function from now on.
   *
   * @param take Takes lines without colours.
   */
  divert(take: (lines: readonly string[]) => void): void {
    this.#take = take;
  }

  /** Writes text to the output again, no longer to the function of {@linkcode divert}. */
  restore(): void {
    this.#take = undefined;
  }
}
