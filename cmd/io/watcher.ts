import { pathsOf } from "./watched_paths.ts";

/** Milliseconds after the last event of a burst until the burst is over: a checkout writes file after file. */
const QUIET = 50;
/** The value of {@linkcode QUIET} on systems without an event for the closing of a file. */
const QUIET_BLIND = 120;
/** Milliseconds to wait for a writer that has the file open. */
const QUIET_OPEN = 1000;
/** The longest delay of a reload, in milliseconds. */
const MOST_DELAY = 3000;
/** The polling interval beside events, which may be missing: network file systems, containers, replaced folders. */
const POLL = 1000;
/** The polling interval without events. */
const POLL_WITHOUT_EVENTS = 250;

/** Only Linux has an event for a file that is closed after writing. */
const REPORTS_CLOSE = Deno.build.os === "linux";

/** A burst of changes, which counts as one change. */
interface Burst {
  /** The time of its start, in milliseconds. */
  since: number;
  /** Whether there was an event: then files with the same metadata may have other contents. */
  isCertain: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** The metadata of the files when the burst seemed to be over. */
  look: ReadonlyMap<string, string> | undefined;
}

/**
 * Watches files for changes, in all ways of saving. It watches the folders of the files, since an editor that saves by
 * renaming replaces the watched file; and it polls the files, since some file systems have no events.
 */
export class Watcher {
  readonly #onChange: () => void;
  #files: readonly string[] = [];
  /** The metadata of each file at the last report. */
  #reported: ReadonlyMap<string, string> = new Map();
  #relevant: ReadonlySet<string> = new Set();
  /** The folders that are watched, as JSON. */
  #armed = "";
  #events: Deno.FsWatcher | undefined;
  /** Files that were written and not yet closed. */
  readonly #open = new Set<string>();
  /** The metadata of files at their last event. */
  readonly #lastEvents = new Map<string, string>();
  #burst: Burst | undefined;
  #poll: ReturnType<typeof setInterval> | undefined;

  /** @param onChange Called once for each burst of changes. The contents may be unchanged. */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Replaces the watched files. Missing files are watched for their appearance. */
  watch(files: Iterable<string>): void {
    this.#files = [...new Set(files)];
    this.#reported = this.#look();
    this.#arm();
    // A file may have changed between its reading and the start of the watch.
    this.#wait(true);
  }

  close(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#burst?.timer);
    this.#burst = undefined;
    this.#disarm();
  }

  #look(): Map<string, string> {
    return new Map(this.#files.map((file) => [file, appearanceOf(file)]));
  }

  /** Watches the current folders. */
  #arm(): void {
    const paths = pathsOf(this.#files);
    const folders = [...paths.folders].map((folder) => ({ folder, appearance: identityOf(folder) }))
      .filter(({ appearance }) => appearance !== MISSING);
    const wanted = JSON.stringify(folders);
    this.#relevant = paths.relevant;
    if (wanted === this.#armed) return;
    this.#disarm();
    this.#armed = wanted;
    try {
      const events = Deno.watchFs(folders.map(({ folder }) => folder), { recursive: false });
      this.#events = events;
      void this.#receive(events);
    } catch {
      // The limit of watches is reached, or a folder has just disappeared: polling covers both.
    }
    clearInterval(this.#poll);
    this.#poll = setInterval(() => this.#onPoll(), this.#events === undefined ? POLL_WITHOUT_EVENTS : POLL);
  }

  #disarm(): void {
    this.#armed = "";
    this.#events?.close();
    this.#events = undefined;
  }

  async #receive(events: Deno.FsWatcher): Promise<void> {
    try {
      for await (const event of events) this.#onEvent(event);
    } catch {
      if (this.#events === events) this.#disarm();
    }
  }

  #onEvent({ kind, paths }: Deno.FsEvent): void {
    for (const path of paths) {
      if (!this.#relevant.has(path)) continue;
      const contents = contentsOf(path);
      // A change of mode or owner is a `modify` event too, and no closing event follows. So a file counts as open only
      // if its size or time has changed.
      if (kind !== "modify") this.#open.delete(path);
      else if (REPORTS_CLOSE && this.#lastEvents.get(path) !== contents) this.#open.add(path);
      this.#lastEvents.set(path, contents);
      this.#wait(true);
    }
  }

  #onPoll(): void {
    if (this.#burst !== undefined) return;
    if (this.#files.some((file) => appearanceOf(file) !== this.#reported.get(file))) this.#wait(false);
    else this.#arm();
  }

  /** Waits for the end of a burst of changes. */
  #wait(isCertain: boolean): void {
    const burst = this.#burst ??= { since: performance.now(), isCertain: false, timer: undefined, look: undefined };
    burst.isCertain ||= isCertain;
    clearTimeout(burst.timer);
    const left = Math.max(0, burst.since + MOST_DELAY - performance.now());
    const quiet = this.#open.size > 0 ? QUIET_OPEN : burst.isCertain && REPORTS_CLOSE ? QUIET : QUIET_BLIND;
    burst.timer = setTimeout(() => this.#endBurst(), Math.min(quiet / 2, left));
  }

  #endBurst(): void {
    const burst = this.#burst;
    if (burst === undefined) return;
    const now = this.#look();
    // A burst ends only after two equal looks: in a busy process, the timer may fire before earlier events arrive.
    if (burst.look === undefined || !isAlike(burst.look, now)) {
      burst.look = now;
      return this.#wait(burst.isCertain);
    }
    const isChanged = burst.isCertain || !isAlike(this.#reported, now);
    this.#burst = undefined;
    this.#open.clear();
    this.#reported = now;
    this.#arm();
    if (isChanged) this.#onChange();
  }
}

function isAlike(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([file, appearance]) => b.get(file) === appearance);
}

const MISSING = "missing";

/** Metadata that identifies the version of a file. */
function appearanceOf(path: string): string {
  return stat(path, ({ dev, ino, size, mtime, ctime }) => [dev, ino, size, mtime?.getTime(), ctime?.getTime()]);
}

/** Metadata that identifies the contents of a file: it doesn't change with mode, owner and name. */
function contentsOf(path: string): string {
  return stat(path, ({ dev, ino, size, mtime }) => [dev, ino, size, mtime?.getTime()]);
}

/** The identity of a folder. */
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
