import type { LoadStatus } from "../../lib/console/mock/definition.ts";
import { createResponder, type MockResponder } from "../../lib/mock/responder.ts";
import type { LocalMockOptions } from "../../lib/mock/local_mock.ts";
import type { Sessions } from "../../lib/mock/session/sessions.ts";
import type { UnlocatedDiagnostic } from "../../lib/openapi/diagnostic.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { type Definition, documentsOf } from "../io/files/definition.ts";
import type { Log } from "../io/terminal/log.ts";
import type { Reload } from "../io/files/reloader.ts";
import { announceReload } from "./announcements.ts";
import { checkDefinitions, inputNames } from "./inputs.ts";
import * as say from "./messages.ts";
import type { ServerSettings } from "./settings.ts";

/**
 * Milliseconds from the start until problems of definitions are logged. Finding their lines takes time, which would
 * delay the first requests.
 */
const HINT_DELAY = 100;

/** The options of {@linkcode MockedDefinitions}. */
export interface MockedDefinitionsOptions {
  readonly settings: ServerSettings;
  readonly options: LocalMockOptions;
  /** The sessions, which outlive a reload of the definitions. */
  readonly sessions: Sessions;
  readonly log: Log;
  readonly color: boolean;
  /** Called with the new definitions after a reload. */
  readonly onReload: (definitions: readonly Definition[]) => void;
}

/** The definitions that a server answers by, replaced when their files are edited. */
export class MockedDefinitions {
  readonly #options: MockedDefinitionsOptions;
  #definitions: readonly Definition[];
  #documents: readonly Document[];
  /** The keys of the problems that were logged, so that a reload logs only new ones. */
  #known: Set<string>;
  #responder: MockResponder;
  #status: LoadStatus;

  private constructor(
    definitions: readonly Definition[],
    diagnostics: readonly UnlocatedDiagnostic[],
    responder: MockResponder,
    options: MockedDefinitionsOptions,
  ) {
    this.#options = options;
    this.#definitions = definitions;
    this.#documents = documentsOf(definitions);
    this.#known = new Set(diagnostics.map(keyOf));
    this.#responder = responder;
    this.#status = { diagnostics };
  }

  /**
   * Prepares the answers to requests.
   *
   * @param diagnostics The warnings about the definitions.
   */
  static async create(
    definitions: readonly Definition[],
    diagnostics: readonly UnlocatedDiagnostic[],
    options: MockedDefinitionsOptions,
  ): Promise<MockedDefinitions> {
    const responder = await createResponder(documentsOf(definitions), options.options, options.sessions);
    return new MockedDefinitions(definitions, diagnostics, responder, options);
  }

  /** The current definitions; the same list until a reload. */
  get documents(): readonly Document[] {
    return this.#documents;
  }

  /** What the last loads gave, for the console. */
  get status(): LoadStatus {
    return this.#status;
  }

  /** Replies to requests by the current definitions. */
  get responder(): MockResponder {
    return this.#responder;
  }

  /** Logs problems of the definitions, after {@linkcode HINT_DELAY}. */
  showProblems(diagnostics: readonly UnlocatedDiagnostic[]): void {
    if (diagnostics.length === 0) return;
    setTimeout(() => this.#options.log.complain(this.#describe(diagnostics, true)), HINT_DELAY);
  }

  /**
   * Handles an edit of the definitions. If the edit has errors, the server keeps answering by the last valid
   * definitions.
   */
  async reload(outcome: Reload): Promise<void> {
    const { log } = this.#options;
    switch (outcome.kind) {
      case "unreadable": {
        const message = `${say.unreadable(outcome.operand, outcome.reason)} ${say.STILL_ANSWERING}`;
        this.#note([message]);
        return log.complain(message);
      }
      case "readable":
        return log.note(`${outcome.operand} can be read again.`, { readable: outcome.operand });
      case "broken":
        return this.#refuse(outcome.definition.document.unlocatedDiagnostics);
      case "reloaded":
        return await this.#replace(outcome.definitions);
    }
  }

  async #replace(definitions: readonly Definition[]): Promise<void> {
    const { settings, options, sessions, log, onReload } = this.#options;
    const diagnostics = await checkDefinitions(definitions, settings);
    if (diagnostics.some(isError)) return this.#refuse(diagnostics);
    const responder = await createResponder(documentsOf(definitions), options, sessions);
    const before = this.#definitions;
    const news = diagnostics.filter((diagnostic) => !this.#known.has(keyOf(diagnostic)));
    this.#known = new Set(diagnostics.map(keyOf));
    this.#definitions = definitions;
    this.#documents = documentsOf(definitions);
    this.#responder = responder;
    onReload(definitions);
    // Let waiting requests go first: comparing definitions and finding the lines of problems blocks the event loop.
    setTimeout(() => {
      this.#status = { ...this.#status, diagnostics };
      this.#note(announceReload(before, definitions, log));
      if (news.length > 0) log.complain(this.#describe(news));
    });
  }

  #refuse(diagnostics: readonly UnlocatedDiagnostic[]): void {
    const errors = diagnostics.filter(isError);
    // An edit is also refused if a file has disappeared. That is no error but a warning at the reference to the file.
    const problems = errors.length > 0 ? errors : diagnostics;
    const shown = this.#describe(problems);
    this.#note([], problems);
    this.#options.log.complain([...shown, say.STILL_ANSWERING]);
  }

  /** Keeps what came of a reload. */
  #note(lines: readonly string[], refusedFor: readonly UnlocatedDiagnostic[] = []): void {
    this.#status = { ...this.#status, last: { time: Date.now(), lines, refusedFor } };
  }

  #describe(diagnostics: readonly UnlocatedDiagnostic[], hints = false): string[] {
    const { settings, color } = this.#options;
    return say.firstProblems(diagnostics, inputNames(settings), { color, most: say.MOST_WHILE_ANSWERING, hints });
  }
}

/** The identity of a problem over reloads: an edit moves its line, but rarely its JSON Pointer. */
function keyOf({ code, message, source: { uri }, pointer }: UnlocatedDiagnostic): string {
  return JSON.stringify([code, message, uri, pointer]);
}

function isError({ severity }: UnlocatedDiagnostic): boolean {
  return severity === "error";
}
