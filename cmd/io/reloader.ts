import { messageOf } from "../../lib/http/message.ts";
import { type Definition, type DefinitionOptions, rereadDefinition } from "./definition.ts";
import { isRemote, toPath, toUri } from "./location.ts";
import { unreadableOperand } from "./overlay_files.ts";
import { Watcher } from "./watcher.ts";

/** The result of an edit. */
export type Reload =
  /** The new definitions, in the order of the command line. */
  | { kind: "reloaded"; definitions: readonly Definition[] }
  /** A definition has errors; its last valid version stays in use. */
  | { kind: "broken"; definition: Definition }
  /** A definition can't be read; its last valid version stays in use. */
  | { kind: "unreadable"; operand: string; reason: string }
  /** A definition can be read again, and hasn't changed. */
  | { kind: "readable"; operand: string };

/** The triggers of a reload. */
export interface ReloaderOptions extends DefinitionOptions {
  /** Whether files are watched. */
  watch: boolean;
  /** The interval at which fetched texts are polled, in seconds. Default: no polling. */
  poll?: number;
}

/** Milliseconds before a definition with new errors is reported: it may be half saved. */
const CONFIRM = 250;

/** A definition of the command line. */
interface Tracked {
  /** The version in use. */
  good: Definition;
  /** The version that was read last, valid or not. */
  latest: Definition;
  /** Why the definition, or one of its overlays, can't be read at the moment. */
  unreadable: Unreadable | undefined;
}

/** The texts to read again: files only, or fetched texts too. */
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
  /** The texts that the next reload reads; `undefined` if none was requested. */
  #requested: Scope | undefined;
  #rereading: Promise<void> | undefined;
  #isClosed = false;

  /**
   * @param definitions The initial definitions, without errors.
   * @param report Called once for each burst of changes, unless nothing has changed.
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

  /** The number of watched files. */
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
      // Reset here and not after the promise: a request in between would see a reload under way, and start none.
      this.#rereading = undefined;
    }
  }

  async #reread(scope: Scope): Promise<void> {
    const readings = await Promise.all(this.#tracked.map((tracked) => this.#readWhole(tracked, scope)));
    await this.#accept(readings, scope);
  }

  /** Reads a definition. Repeats this while the file may be half saved, until two results in a row are the same. */
  async #readWhole({ latest, unreadable }: Tracked, scope: Scope): Promise<Reading> {
    let reading = await this.#read(latest, scope);
    if (reading.kind === "unreadable" ? unreadable !== undefined : reading.definition === latest) return reading;
    while (!this.#isClosed && isSuspect(reading, latest)) {
      await new Promise((resolve) => setTimeout(resolve, CONFIRM));
      const last: Reading = reading;
      // Texts are fetched again only if one couldn't be read: unlike a file, a fetched text isn't half saved.
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
    // Several definitions may have the same overlay, which is reported once.
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

/** Tells whether a definition has errors, so that it can't be used. */
export function isBroken({ document }: Definition): boolean {
  return document.unlocatedDiagnostics.some(({ severity }) => severity === "error");
}

/** The operand of an overlay that is itself invalid; `undefined` if all overlays of the definition are valid. */
function brokenOverlay({ overlays }: Definition): string | undefined {
  return overlays.find(({ overlay }) => overlay.diagnostics.some(({ severity }) => severity === "error"))?.operand;
}

/** Tells whether a file of a definition has disappeared: an editor may be about to write it again. */
function hasLost(good: Definition, { texts }: Definition): boolean {
  return [...texts].some(([uri, text]) => text === undefined && good.texts.get(uri) !== undefined);
}

/** Tells whether a definition may still be being saved. */
function isSuspect(reading: Reading, known: Definition): boolean {
  return reading.kind === "unreadable" || isBroken(reading.definition) || hasLost(known, reading.definition);
}

/** Tells whether a reading changes nothing. */
function isKnown({ latest, unreadable }: Tracked, reading: Reading, scope: Scope): boolean {
  const isFetched = isRemote(latest.document.uri);
  if (reading.kind === "read") {
    // If only files were read, a server that failed before still counts as failing.
    return reading.definition === latest && (unreadable === undefined || (isFetched && scope === "files"));
  }
  // The messages of a failing server may vary, so only its first failure is reported.
  if (isFetched) return unreadable !== undefined;
  return unreadable?.operand === reading.operand && unreadable.reason === reading.reason;
}

function isSame(a: Reading, b: Reading): boolean {
  return a.kind === "read" && b.kind === "read" && a.definition === b.definition;
}

/** The files of a definition and its overlays, including missing files that it refers to. */
function filesOf({ operand, document, texts, overlays, isPipe }: Definition): string[] {
  const uris = new Set([toUri(operand), ...texts.keys()]);
  if (isPipe) uris.delete(document.uri);
  for (const { overlay, isPipe } of overlays) if (!isPipe) uris.add(overlay.uri);
  return [...uris].flatMap((uri) => toPath(uri) ?? []);
}
