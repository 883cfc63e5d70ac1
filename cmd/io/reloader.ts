import { messageOf } from "../../lib/http/message.ts";
import { type Definition, type DefinitionOptions, rereadDefinition } from "./definition.ts";
import { isRemote, toPath, toUri } from "./location.ts";
import { createWatcher } from "./watcher.ts";

/** The result of an edit. */
export type Reload =
  /** The new definitions, in the order of the command line. */
  | { kind: "reloaded"; definitions: readonly Definition[] }
  /** A definition has errors; the last valid version stays. */
  | { kind: "broken"; definition: Definition }
  /** A definition can't be read; the last valid version stays. */
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

/** Reads definitions again when they change. */
export interface Reloader {
  /** The number of watched files. */
  readonly files: number;
  close(): void;
}

/** Milliseconds before a definition with new errors is reported: it may be half saved. */
const CONFIRM = 250;

/** A definition of the command line. */
interface Tracked {
  /** The version in use. */
  good: Definition;
  /** The version that was read last, valid or not. */
  latest: Definition;
  /** Why the definition can't be read at the moment. */
  unreadable: string | undefined;
}

type Reading = { kind: "read"; definition: Definition } | { kind: "unreadable"; reason: string };

/**
 * Reads definitions again when one of their texts changes.
 *
 * @param definitions The initial definitions, without errors.
 * @param report Called once for each burst of changes, unless nothing has changed.
 */
export function createReloader(
  definitions: readonly Definition[],
  options: ReloaderOptions,
  report: (reload: Reload) => void | Promise<void>,
): Reloader {
  const tracked = definitions.map((known): Tracked => ({ good: known, latest: known, unreadable: undefined }));
  let files: ReadonlySet<string> = new Set();
  let wanted: "files" | "all" | undefined;
  let rereading: Promise<void> | undefined;
  let isClosed = false;

  const watcher = options.watch ? createWatcher(() => reread("files")) : undefined;
  const poll = options.poll === undefined ? undefined : setInterval(() => reread("all"), options.poll * 1000);
  watchFiles();

  return {
    get files() {
      return files.size;
    },
    close() {
      isClosed = true;
      watcher?.close();
      clearInterval(poll);
    },
  };

  function reread(what: "files" | "all"): void {
    if (wanted !== "all") wanted = what;
    rereading ??= rereadWhileWanted();
  }

  async function rereadWhileWanted(): Promise<void> {
    try {
      for (let what = wanted; what !== undefined && !isClosed; what = wanted) {
        wanted = undefined;
        const asked = what;
        await accept(await Promise.all(tracked.map((definition) => readSettled(definition, asked))), asked);
      }
    } finally {
      // Reset at once: later requests for a reload start a new one.
      rereading = undefined;
    }
  }

  async function readSettled({ latest, unreadable }: Tracked, what: "files" | "all"): Promise<Reading> {
    let reading = await tryReading(latest, what);
    if (reading.kind === "unreadable" ? unreadable !== undefined : reading.definition === latest) return reading;
    while (!isClosed && isSuspect(reading, latest)) {
      await new Promise((resolve) => setTimeout(resolve, CONFIRM));
      const last: Reading = reading;
      // A failing server is asked once more; texts that it has sent aren't fetched twice.
      const again = last.kind === "unreadable" || hasLost(latest, last.definition) ? what : "files";
      reading = await tryReading(last.kind === "read" ? last.definition : latest, again);
      if (reading.kind === "unreadable" ? last.kind === "unreadable" : isSame(reading, last)) break;
    }
    return reading;
  }

  async function tryReading(known: Definition, what: "files" | "all"): Promise<Reading> {
    try {
      return { kind: "read", definition: await rereadDefinition(known, what, options) };
    } catch (error) {
      return { kind: "unreadable", reason: messageOf(error) };
    }
  }

  async function accept(readings: readonly Reading[], what: "files" | "all"): Promise<void> {
    if (isClosed) return;
    let isReloaded = false;
    for (const [index, definition] of tracked.entries()) {
      const reading = readings[index];
      if (reading === undefined || isKnown(definition, reading, what)) continue;
      if (reading.kind === "unreadable") {
        definition.unreadable = reading.reason;
        await report({ kind: "unreadable", operand: definition.good.operand, reason: reading.reason });
        continue;
      }
      definition.unreadable = undefined;
      if (reading.definition === definition.latest) {
        await report({ kind: "readable", operand: definition.good.operand });
        continue;
      }
      definition.latest = reading.definition;
      if (isBroken(reading.definition) || hasLost(definition.good, reading.definition)) {
        await report({ kind: "broken", definition: reading.definition });
      } else {
        definition.good = reading.definition;
        isReloaded = true;
      }
    }
    if (isReloaded) await report({ kind: "reloaded", definitions: tracked.map(({ good }) => good) });
    watchFiles();
  }

  function watchFiles(): void {
    const now = new Set(tracked.flatMap(({ latest }) => filesOf(latest)));
    if (watcher === undefined || (now.size === files.size && now.isSubsetOf(files))) return;
    files = now;
    watcher.watch(files);
  }
}

/** Tells whether a definition has errors, so that it can't be used. */
export function isBroken({ document }: Definition): boolean {
  return document.unlocatedDiagnostics.some(({ severity }) => severity === "error");
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
function isKnown({ latest, unreadable }: Tracked, reading: Reading, what: "files" | "all"): boolean {
  const isFetched = isRemote(latest.document.uri);
  if (reading.kind === "read") {
    // Only files were read, so the state of the server is unknown.
    return reading.definition === latest && (unreadable === undefined || (isFetched && what === "files"));
  }
  // A server may fail with another message each time; the failure is reported once.
  return isFetched ? unreadable !== undefined : unreadable === reading.reason;
}

function isSame(a: Reading, b: Reading): boolean {
  return a.kind === "read" && b.kind === "read" && a.definition === b.definition;
}

/** The files of a definition, including missing files that it refers to. */
function filesOf({ operand, document, texts, isPipe }: Definition): string[] {
  const uris = new Set([toUri(operand), ...texts.keys()]);
  if (isPipe) uris.delete(document.uri);
  return [...uris].flatMap((uri) => toPath(uri) ?? []);
}
