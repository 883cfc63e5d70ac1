import { formatJson } from "../../../lib/observe/report/format_json.ts";
import { formatJunit } from "../../../lib/observe/report/format_junit.ts";
import { formatMarkdown } from "../../../lib/observe/report/format_markdown.ts";
import type { Run, Summary } from "../../../lib/observe/report/summary.ts";
import { writeReasonOf } from "./read.ts";
import { replaceFile } from "./replace_file.ts";

/** The formats of a report, by the extension of the file's name. */
const FORMATS: Readonly<Record<string, (summary: Summary, run: Run) => string>> = {
  ".json": formatJson,
  ".xml": formatJunit,
  ".md": formatMarkdown,
};

/** Milliseconds between a change and its writing. A killed process thus leaves a nearly complete report. */
const PAUSE = 5_000;

/** Reads the name of a report's file. Throws a RangeError if its extension stands for no format. */
export function reportName(written: string): string {
  if (formatOf(written) !== undefined) return written;
  throw new RangeError("a file is meant here whose name ends in .json, .xml (JUnit) or .md, such as report.json.");
}

function formatOf(path: string): ((summary: Summary, run: Run) => string) | undefined {
  return Object.entries(FORMATS).find(([ending]) => path.toLowerCase().endsWith(ending))?.[1];
}

/** A report in a file. Each write replaces the whole file: a reader sees the old or the new report. */
export class ReportFile {
  readonly #path: string;
  readonly #contents: () => { summary: Summary; run: Run };
  readonly #complain: (message: string) => void;
  readonly #pause: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<string | undefined> = Promise.resolve(undefined);

  /**
   * @param contents Returns the contents; called at each write.
   * @param complain Called with a sentence if the file can't be written.
   * @param pause Milliseconds between a change and its writing.
   */
  constructor(
    path: string,
    contents: () => { summary: Summary; run: Run },
    complain: (message: string) => void,
    pause: number = PAUSE,
  ) {
    this.#path = path;
    this.#contents = contents;
    this.#complain = complain;
    this.#pause = pause;
  }

  /** Writes the report now. Resolves with the reason, as a sentence, if that fails. */
  async write(): Promise<string | undefined> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#replace());
    return await this.#writing;
  }

  /** Schedules a write, unless one is scheduled already. */
  changed(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      void this.write().then((failure) => {
        if (failure !== undefined) this.#complain(failure);
      });
    }, this.#pause);
    // The timer must not keep the process alive. The process writes the report anyway before it ends.
    Deno.unrefTimer(this.#timer);
  }

  async #replace(): Promise<string | undefined> {
    try {
      const { summary, run } = this.#contents();
      const text = formatOf(this.#path)?.(summary, run) ?? "";
      await replaceFile(this.#path, text);
      return undefined;
    } catch (error) {
      return `Cannot write the report ${this.#path}: ${writeReasonOf(error)}.`;
    }
  }
}
