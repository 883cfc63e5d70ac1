import { pathsOf } from "./watched_paths.ts";

/**
 * Milliseconds without an event after which a burst of changes is over. A git checkout writes many files in one burst.
 */
const QUIET = 50;
/** The value of {@linkcode QUIET} on systems that don't report when a written file is closed. */
const QUIET_WITHOUT_CLOSE = 120;
/** The value of {@linkcode QUIET} while a program that writes has the file open. */
const QUIET_OPEN = 1000;
/** The longest time between a change and its report, in milliseconds. */
const MOST_DELAY = 3000;
/**
 * Milliseconds between polls, on systems with events. Events may be missing: on network file systems, in containers,
 * after a folder was replaced.
 */
const POLL = 1000;
/** Milliseconds between polls, if the system reports no changes of these folders. */
const POLL_WITHOUT_EVENTS = 250;

/** Whether the system reports when a written file is closed: only Linux does. */
const REPORTS_CLOSE = Deno.build.os === "linux";

/** A burst of changes, which is reported as one change. */
interface Burst {
  /** The time of its first change, in milliseconds. */
  since: number;
  /** Whether an event reported the change. Then the contents may have changed even if the metadata hasn't. */
  isCertain: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The metadata of the files at the last check whether the burst was over. */
  metadata: ReadonlyMap<string, string> | undefined;
}

/**
 * Watches files for changes, however they are saved. Some editors replace a file by renaming another, so the folders
 * are watched, not the files. Some file systems have no events, so the files are polled too.
 */
export class Watcher {
  readonly #onChange: () => void;
  #files: readonly string[] = [];
  /** The metadata of each file at the last report. */
  #reported: ReadonlyMap<string, string> = new Map();
  #relevant: ReadonlySet<string> = new Set();
  /** The folders that are watched, as JSON text for comparison. */
  #watchedFolders = "";
  #events: Deno.FsWatcher | undefined;
  /** Files that a program is writing to: written, and not yet closed. */
  readonly #open = new Set<string>();
  /** The metadata of each file when its last event arrived. */
  readonly #lastEvents = new Map<string, string>();
  #burst: Burst | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;

  /** @param onChange Called once for each burst of changes. The contents may be unchanged. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Replaces the set of watched files. A missing file is reported when it appears. */
  watch(files: Iterable<string>): void {
    this.#files = [...new Set(files)];
    this.#reported = this.#readMetadata();
    this.#watchFolders();
    // Check now: a file may have changed after it was read and before the watch began.
    this.#awaitEndOfBurst(true);
  }

  close(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#burst?.timer);
    this.#burst = undefined;
    this.#unwatchFolders();
  }

  #readMetadata(): Map<string, string> {
    return new Map(this.#files.map((file) => [file, metadataOf(file)]));
  }

  /** Starts to watch the folders of the current files. */
  #watchFolders(): void {
    const paths = pathsOf(this.#files);
    const folders = [...paths.folders].map((folder) => ({ folder, identity: identityOf(folder) }))
      .filter(({ identity }) => identity !== MISSING);
    const wanted = JSON.stringify(folders);
    this.#relevant = paths.relevant;
    if (wanted === this.#watchedFolders) return;
    this.#unwatchFolders();
    this.#watchedFolders = wanted;
    try {
      const events = Deno.watchFs(folders.map(({ folder }) => folder), { recursive: false });
      this.#events = events;
      void this.#receive(events);
    } catch {
      // Ignore the error: the limit of watches is reached, or a folder has just disappeared. Polling finds changes in
      // both cases.
    }
    clearInterval(this.#poll);
    this.#poll = setInterval(() => this.#onPoll(), this.#events === undefined ? POLL_WITHOUT_EVENTS : POLL);
  }

  #unwatchFolders(): void {
    this.#watchedFolders = "";
    this.#events?.close();
    this.#events = undefined;
  }

  async #receive(events: Deno.FsWatcher): Promise<void> {
    try {
      for await (const event of events) this.#onEvent(event);
    } catch {
      if (this.#events === events) this.#unwatchFolders();
    }
  }

  #onEvent({ kind, paths }: Deno.FsEvent): void {
    for (const path of paths) {
      if (!this.#relevant.has(path)) continue;
      const contents = contentMetadataOf(path);
      // A change of mode or owner is reported as `modify` too, and then no event says that the file was closed. So a
      // file counts as open only if its size or time has changed.
      if (kind !== "modify") this.#open.delete(path);
      else if (REPORTS_CLOSE && this.#lastEvents.get(path) !== contents) this.#open.add(path);
      this.#lastEvents.set(path, contents);
      this.#awaitEndOfBurst(true);
    }
  }

  #onPoll(): void {
    if (this.#burst !== undefined) return;
    if (this.#files.some((file) => metadataOf(file) !== this.#reported.get(file))) this.#awaitEndOfBurst(false);
    else this.#watchFolders();
  }

  /** Waits until the burst of changes is over. */
  #awaitEndOfBurst(isCertain: boolean): void {
    const burst = this.#burst ??= { since: performance.now(), isCertain: false, timer: undefined, metadata: undefined };
    burst.isCertain ||= isCertain;
    clearTimeout(burst.timer);
    const left = Math.max(0, burst.since + MOST_DELAY - performance.now());
    const quiet = this.#open.size > 0 ? QUIET_OPEN : burst.isCertain && REPORTS_CLOSE ? QUIET : QUIET_WITHOUT_CLOSE;
    burst.timer = setTimeout(() => this.#endBurst(), Math.min(quiet / 2, left));
  }

  #endBurst(): void {
    const burst = this.#burst;
    if (burst === undefined) return;
    const now = this.#readMetadata();
    // The burst is over only if two checks in a row find the same metadata. In a busy process, one timer may fire
    // before earlier events arrive.
    if (burst.metadata === undefined || !isEqual(burst.metadata, now)) {
      burst.metadata = now;
      return this.#awaitEndOfBurst(burst.isCertain);
    }
    const isChanged = burst.isCertain || !isEqual(this.#reported, now);
    this.#burst = undefined;
    this.#open.clear();
    this.#reported = now;
    this.#watchFolders();
    if (isChanged) this.#onChange();
  }
}

function isEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([file, identity]) => b.get(file) === identity);
}

const MISSING = "missing";

/** The metadata that shows whether a file was changed or replaced. */
function metadataOf(path: string): string {
  return stat(path, ({ dev, ino, size, mtime, ctime }) => [dev, ino, size, mtime?.getTime(), ctime?.getTime()]);
}

/** The metadata that changes with a file's contents, but not with its mode, owner or name. */
function contentMetadataOf(path: string): string {
  return stat(path, ({ dev, ino, size, mtime }) => [dev, ino, size, mtime?.getTime()]);
}

/** The device and inode of a folder: a replaced folder has other ones. */
function identityOf(path: string): string {
  return stat(path, ({ dev, ino }) => [dev, ino]);
}

function stat(path: string, pick: (info: Deno.FileInfo) => unknown[]): string {
  try {
    return pick(Deno.statSync(path)).join();
  } catch {
    return MISSING;
  }
}
