import { formatJson } from "../../lib/mock/report/format_json.ts";
import { formatJunit } from "../../lib/mock/report/format_junit.ts";
import { formatMarkdown } from "../../lib/mock/report/format_markdown.ts";
import type { Run, Summary } from "../../lib/mock/report/summary.ts";
import { writeReasonOf } from "./read.ts";
import { replaceFile } from "./replace_file.ts";

/** The forms of a report, by the ending of the file's name. */
const FORMATS: Readonly<Record<string, (summary: Summary, run: Run) => string>> = {
  ".json": formatJson,
  ".xml": formatJunit,
  ".md": formatMarkdown,
};

/** Milliseconds after which a change is written: a process that is killed leaves a report that is nearly complete. */
const PAUSE = 5_000;

/** Reads the name of a report's file; throws a RangeError if its ending names no form. */
export function reportName(written: string): string {
  if (formatOf(written) !== undefined) return written;
  throw new RangeError("a file is meant here whose name ends in .json, .xml (JUnit) or .md, such as report.json.");
}

function formatOf(path: string): ((summary: Summary, run: Run) => string) | undefined {
  return Object.entries(FORMATS).find(([ending]) => path.toLowerCase().endsWith(ending))?.[1];
}

/** A report in a file, which is written anew as a whole: readers see the old or the new one. */
export class ReportFile {
  readonly #path: string;
  readonly #contents: () => { summary: Summary; run: Run };
  readonly #complain: (message: string) => void;
  readonly #pause: number;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing: Promise<string | undefined> = Promise.resolve(undefined);

  /**
   * @param contents Gives the contents at the time of writing.
   * @param complain Called when the file can't be written, with a sentence.
   * @param pause Milliseconds after which a change is written.
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

  /** Schedules the writing of the report, unless it is scheduled already. */
  changed(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      void this.write().then((failure) => {
        if (failure !== undefined) this.#complain(failure);
      });
    }, this.#pause);
    // The timer doesn't keep the process alive: the process writes the report when it ends.
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
