import { messageOf } from "../../../lib/http/message.ts";
import { type Definition, type DefinitionOptions, rereadDefinition } from "./definition.ts";
import { isRemote, toPath, toUri } from "./location.ts";
import { unreadableOperand } from "./overlay_files.ts";
import { sleep } from "../sleep.ts";
import { Watcher } from "./watcher.ts";

/** The result of reading a definition again after a change. */
export type Reload =
  /** The new definitions, in the order of the command line. */
  | { kind: "reloaded"; definitions: readonly Definition[] }
  /** A definition has errors; its last valid version stays in use. */
  | { kind: "broken"; definition: Definition }
  /** A definition can't be read; its last valid version stays in use. */
  | { kind: "unreadable"; operand: string; reason: string }
  /** A definition that was unreadable can be read again, and its text hasn't changed. */
  | { kind: "readable"; operand: string };

export interface ReloaderOptions extends DefinitionOptions {
  /** Whether files are watched. */
  watch: boolean;
  /** The interval at which fetched texts are polled, in seconds. Default: no polling. */
  poll?: number;
}

/**
 * Milliseconds before an error in an edited definition is reported. An editor may have saved only a part of the file.
 */
const CONFIRM = 250;

/** A definition of the command line. */
interface Tracked {
  /** The version that requests are answered by. */
  good: Definition;
  /** The last version that was read, with or without errors. */
  latest: Definition;
  /** Why the definition, or one of its overlays, couldn't be read last time. */
  unreadable: Unreadable | undefined;
}

/** Which texts to read again: files only, or fetched texts too. */
type Scope = "files" | "all";

/** A definition or an overlay that can't be read. */
interface Unreadable {
  operand: string;
  reason: string;
}

type Reading = { kind: "read"; definition: Definition } | { kind: "unreadable" } & Unreadable;

/** Reads definitions again when one of their texts changes. */
export class Reloader {
  readonly #options: ReloaderOptions;
  readonly #report: (reload: Reload) => void | Promise<void>;
  readonly #tracked: readonly Tracked[];
  readonly #watcher: Watcher | undefined;
  readonly #poll: ReturnType<typeof setInterval> | undefined;
  #files: ReadonlySet<string> = new Set();
  /** Which texts the next reload reads; `undefined` if no reload was requested. */
  #requested: Scope | undefined;
  #rereading: Promise<void> | undefined;
  #isClosed = false;

  /**
   * @param definitions The definitions as first read, without errors.
   * @param report Called once for each burst of changes, unless no text has changed.
   */
  constructor(
    definitions: readonly Definition[],
    options: ReloaderOptions,
    report: (reload: Reload) => void | Promise<void>,
  ) {
    this.#options = options;
    this.#report = report;
    this.#tracked = definitions.map((known): Tracked => ({ good: known, latest: known, unreadable: undefined }));
    this.#watcher = options.watch ? new Watcher(() => this.#request("files")) : undefined;
    if (options.poll !== undefined) this.#poll = setInterval(() => this.#request("all"), options.poll * 1000);
    this.#watchFiles();
  }

  get files(): number {
    return this.#files.size;
  }

  close(): void {
    this.#isClosed = true;
    this.#watcher?.close();
    clearInterval(this.#poll);
  }

  #request(scope: Scope): void {
    if (this.#requested !== "all") this.#requested = scope;
    this.#rereading ??= this.#rereadWhileRequested();
  }

  async #rereadWhileRequested(): Promise<void> {
    try {
      for (let scope = this.#requested; scope !== undefined && !this.#isClosed; scope = this.#requested) {
        this.#requested = undefined;
        await this.#reread(scope);
      }
    } finally {
      // Reset this inside the function, not after its promise has resolved. In between, `#request` would see a reload
      // under way and start none, so that a change would be lost.
      this.#rereading = undefined;
    }
  }

  async #reread(scope: Scope): Promise<void> {
    const readings = await Promise.all(this.#tracked.map((tracked) => this.#readWhole(tracked, scope)));
    await this.#accept(readings, scope);
  }

  /** Reads a definition. While the file may be half saved, repeats the reading until two results are the same. */
  async #readWhole({ latest, unreadable }: Tracked, scope: Scope): Promise<Reading> {
    let reading = await this.#read(latest, scope);
    if (reading.kind === "unreadable" ? unreadable !== undefined : reading.definition === latest) return reading;
    while (!this.#isClosed && isSuspect(reading, latest)) {
      await sleep(CONFIRM);
      const last: Reading = reading;
      // Files are read again, since they may be half saved. Fetched texts aren't half saved: they are read again only
      // after a failure.
      const again = last.kind === "unreadable" || hasLost(latest, last.definition) ? scope : "files";
      reading = await this.#read(last.kind === "read" ? last.definition : latest, again);
      if (reading.kind === "unreadable" ? last.kind === "unreadable" : isSame(reading, last)) break;
    }
    return reading;
  }

  async #read(known: Definition, scope: Scope): Promise<Reading> {
    try {
      return { kind: "read", definition: await rereadDefinition(known, scope, this.#options) };
    } catch (error) {
      return { kind: "unreadable", operand: unreadableOperand(error, known.operand), reason: messageOf(error) };
    }
  }

  async #accept(readings: readonly Reading[], scope: Scope): Promise<void> {
    if (this.#isClosed) return;
    let isReloaded = false;
    // Report an overlay only once, even if it applies to several definitions.
    const reported = new Set<string>();
    const isNew = (key: string): boolean => !reported.has(key) && reported.add(key).has(key);
    for (const [index, tracked] of this.#tracked.entries()) {
      const reading = readings[index];
      if (reading === undefined || isKnown(tracked, reading, scope)) continue;
      if (reading.kind === "unreadable") {
        const { operand, reason } = reading;
        tracked.unreadable = { operand, reason };
        if (isNew(operand)) await this.#report({ kind: "unreadable", operand, reason });
        continue;
      }
      const { operand } = tracked.unreadable ?? tracked.good;
      tracked.unreadable = undefined;
      if (reading.definition === tracked.latest) {
        if (isNew(operand)) await this.#report({ kind: "readable", operand });
        continue;
      }
      tracked.latest = reading.definition;
      if (isBroken(reading.definition) || hasLost(tracked.good, reading.definition)) {
        if (isNew(brokenOverlay(reading.definition) ?? operand)) {
          await this.#report({ kind: "broken", definition: reading.definition });
        }
      } else {
        tracked.good = reading.definition;
        isReloaded = true;
      }
    }
    if (isReloaded) await this.#report({ kind: "reloaded", definitions: this.#tracked.map(({ good }) => good) });
    this.#watchFiles();
  }

  #watchFiles(): void {
    const files = new Set(this.#tracked.flatMap(({ latest }) => filesOf(latest)));
    if (this.#watcher === undefined || (files.size === this.#files.size && files.isSubsetOf(this.#files))) return;
    this.#files = files;
    this.#watcher.watch(files);
  }
}

export function isBroken({ document }: Definition): boolean {
  return document.unlocatedDiagnostics.some(({ severity }) => severity === "error");
}

/** The overlay of the definition that has errors itself, by its operand; `undefined` if all are valid. */
function brokenOverlay({ overlays }: Definition): string | undefined {
  return overlays.find(({ overlay }) => overlay.diagnostics.some(({ severity }) => severity === "error"))?.operand;
}

/** Tells whether a file that the definition needs has disappeared. Some editors delete a file before they save it. */
function hasLost(good: Definition, { texts }: Definition): boolean {
  return [...texts].some(([uri, text]) => text === undefined && good.texts.get(uri) !== undefined);
}

/** Tells whether an editor may still be saving the definition. */
function isSuspect(reading: Reading, known: Definition): boolean {
  return reading.kind === "unreadable" || isBroken(reading.definition) || hasLost(known, reading.definition);
}

/** Tells whether the definition, and the error of reading it, are the same as before. */
function isKnown({ latest, unreadable }: Tracked, reading: Reading, scope: Scope): boolean {
  const isFetched = isRemote(latest.document.uri);
  if (reading.kind === "read") {
    // If a server failed before and only files were read again, nothing new is known about the server.
    return reading.definition === latest && (unreadable === undefined || (isFetched && scope === "files"));
  }
  // Report only the first failure of a server: the messages of later ones may differ.
  if (isFetched) return unreadable !== undefined;
  return unreadable?.operand === reading.operand && unreadable.reason === reading.reason;
}

function isSame(a: Reading, b: Reading): boolean {
  return a.kind === "read" && b.kind === "read" && a.definition === b.definition;
}

/**
 * The files of a definition and of its overlays. Files that it refers to and that are missing are included, since they
 * may appear.
 */
function filesOf({ operand, document, texts, overlays, isPipe }: Definition): string[] {
  const uris = new Set([toUri(operand), ...texts.keys()]);
  if (isPipe) uris.delete(document.uri);
  for (const { overlay, isPipe } of overlays) if (!isPipe) uris.add(overlay.uri);
  return [...uris].flatMap((uri) => toPath(uri) ?? []);
}
