import type { Exchange, Observer } from "../../lib/observe/exchange.ts";
import { createRedactor } from "../../lib/observe/secrets/redactor.ts";
import { Coverage } from "../../lib/observe/report/coverage.ts";
import { formatText } from "../../lib/observe/report/format_text.ts";
import type { Run, Summary } from "../../lib/observe/report/summary.ts";
import { invalidText } from "../../lib/observe/report/wording.ts";
import { layOut } from "../io/terminal/dashboard_page.ts";
import type { Definition } from "../io/files/definition.ts";
import { DivertedOutput } from "../io/terminal/diverted_output.ts";
import { displayName } from "../io/files/location.ts";
import type { Log } from "../io/terminal/log.ts";
import { ReportFile } from "../io/files/report_file.ts";
import { Screen } from "../io/terminal/screen.ts";
import { createPaint } from "../io/terminal/terminal.ts";
import { EXIT, type Platform } from "../line/platform.ts";

/** The number of log lines that are kept while the dashboard has the terminal; older lines are dropped. */
const MOST_LINES = 200;
/** The number of characters that are kept of a line. */
const MOST_CHARACTERS = 1_000;

/** The flags that reports depend on. */
export interface ReportSettings {
  readonly report: string | undefined;
  readonly "fail-on-violations": boolean;
  readonly "no-dashboard": boolean;
  readonly quiet: boolean;
  readonly "log-format": "text" | "json";
  /** The upstream of all operations; absent for `gw mock`. */
  readonly proxy: URL | undefined;
  readonly proxyAll?: boolean;
}

/**
 * Makes the reports of a server. `gw proxy` always reports, `gw mock` with `--report` and with
 * `--fail-on-violations`.
 *
 * @returns `undefined` where nothing is to be reported.
 */
export function createReporting(settings: ReportSettings, platform: Platform): Reporting | undefined {
  const isAsked = settings.report !== undefined || settings["fail-on-violations"];
  if (settings.proxyAll !== true && !isAsked) return undefined;
  return new Reporting(settings, platform);
}

/**
 * Reports which operations were requested, and which requests and responses were invalid: in a file, on a dashboard,
 * and in the log at the end.
 */
export class Reporting implements AsyncDisposable {
  /** The streams of the log. While the dashboard has the terminal, the dashboard shows the lines written to them. */
  readonly stdout: DivertedOutput;
  readonly stderr: DivertedOutput;
  readonly #settings: ReportSettings;
  readonly #platform: Platform;
  readonly #coverage = new Coverage();
  readonly #started = new Date();
  #definitions: () => readonly Definition[] = () => [];
  #file: ReportFile | undefined;
  #screen: Screen | undefined;
  #log: readonly string[] = [];
  #complaints: readonly string[] = [];

  constructor(settings: ReportSettings, platform: Platform) {
    this.#settings = settings;
    this.#platform = platform;
    this.stdout = new DivertedOutput(platform.stdout);
    this.stderr = new DivertedOutput(platform.stderr);
  }

  /**
   * Writes the first report, without requests. A file that can't be written is thus found before the server starts.
   *
   * @param definitions Returns the definitions, which a reload replaces.
   * @param log Gets a message when the report can't be written later.
   * @returns Why the report can't be written, as a sentence.
   */
  async start(definitions: () => readonly Definition[], log: Log): Promise<string | undefined> {
    this.#definitions = definitions;
    const { report } = this.#settings;
    if (report === undefined) return undefined;
    const contents = () => ({ summary: this.#summary(), run: this.#run() });
    this.#file = new ReportFile(report, contents, (message) => log.complain(message));
    return await this.#file.write();
  }

  /** Counts an exchange. */
  readonly observe: Observer = Object.assign((exchange: Exchange): void => {
    this.#coverage.observe(exchange);
    this.changed();
  }, { ignoresBodies: true });

  /** Updates file and dashboard, after an exchange or a reload. */
  changed(): void {
    this.#file?.changed();
    this.#screen?.changed();
  }

  /**
   * Shows the dashboard if standard output is a terminal and the log format is text.
   *
   * @param url The address of the server.
   */
  show(url: string): void {
    const { terminal, stdout } = this.#platform;
    const { quiet, proxy } = this.#settings;
    if (terminal === undefined || quiet || this.#settings["no-dashboard"] || this.#settings["log-format"] === "json") {
      return;
    }
    const to = proxy === undefined ? "" : ` to ${createRedactor().url(proxy.href)}`;
    const title = `${this.#command}: ${url}${to}`;
    const keys = terminal.onKey === undefined ? "Ctrl+C ends." : "q or Ctrl+C ends.";
    const paint = createPaint(stdout.color);
    this.stdout.divert((lines) => this.#keep(lines));
    this.stderr.divert((lines) => {
      this.#complaints = last([...this.#complaints, ...lines]);
      this.#keep(lines);
    });
    this.#screen = new Screen(
      stdout,
      terminal,
      (size) => layOut({ title, keys, summary: this.#summary(), log: this.#log }, size, paint),
      (key) => {
        if (key === "q") terminal.stop?.();
      },
    );
  }

  /**
   * Ends the dashboard, logs the summary, and writes the last report. Dashboard and report file may be absent.
   *
   * @returns The exit code.
   */
  async finish(log: Log): Promise<number> {
    this.#leave();
    const summary = this.#summary();
    log.note(formatText(summary), { report: summary.totals });
    const unwritten = await this.#file?.write();
    if (unwritten !== undefined) {
      log.complain(unwritten);
      return EXIT.environment;
    }
    const invalid = invalidText(summary.totals);
    if (!this.#settings["fail-on-violations"] || invalid === undefined) return EXIT.fine;
    log.complain(`${invalid} --fail-on-violations ends ${this.#command} with ${EXIT.input}.`);
    return EXIT.input;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#screen === undefined) return;
    this.#leave();
    await this.#platform.stdout.flush(TERMINAL_FLUSH_TIMEOUT);
  }

  get #command(): string {
    return this.#settings.proxyAll === true ? "gw proxy" : "gw mock";
  }

  /**
   * Ends the dashboard. Then prints the errors that were logged meanwhile, which have left the screen with the
   * dashboard.
   */
  #leave(): void {
    if (this.#screen === undefined) return;
    this.#screen[Symbol.dispose]();
    this.#screen = undefined;
    this.stdout.restore();
    this.stderr.restore();
    for (const line of this.#complaints) this.stderr.write(`${line}\n`);
  }

  #keep(lines: readonly string[]): void {
    this.#log = last([...this.#log, ...lines]);
    this.#screen?.changed();
  }

  #summary(): Summary {
    return this.#coverage.summarize(
      this.#definitions().map(({ document }) => ({ name: displayName(document.uri), document })),
    );
  }

  #run(): Run {
    return {
      command: this.#command,
      started: this.#started.toISOString(),
      seconds: (Date.now() - this.#started.getTime()) / 1000,
    };
  }
}

/** Milliseconds that a terminal may take to accept the last output of the dashboard. */
const TERMINAL_FLUSH_TIMEOUT = 1_000;

function last(lines: readonly string[]): readonly string[] {
  return lines.slice(-MOST_LINES).map((line) => line.slice(0, MOST_CHARACTERS));
}
