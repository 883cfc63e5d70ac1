import { pathsOf } from "./watched_paths.ts";

/** Watches files for changes, in all ways of saving. */
export interface Watcher {
  /** Replaces the watched files. Missing files are watched for their appearance. */
  watch(files: Iterable<string>): void;
  close(): void;
}

/** Milliseconds after the last event of a burst until the burst is over: a checkout writes file after file. */
const SETTLE = 50;
/** The same on systems without an event for the closing of a file. */
const SETTLE_BLINDLY = 120;
/** Milliseconds to wait for a writer that has the file open. */
const SETTLE_OPEN = 1000;
/** The longest delay of a reload, in milliseconds. */
const SETTLE_MOST = 3000;
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
 * Creates a watcher. It watches the folders of the files, since an editor that saves by renaming replaces the watched
 * file; and it polls the files, since some file systems have no events.
 *
 * @param onChange Called once for each burst of changes. The contents may be unchanged.
 */
export function createWatcher(onChange: () => void): Watcher {
  let files: readonly string[] = [];
  /** The metadata of each file and folder at the last report. */
  let known = new Map<string, string>();
  let relevant = new Set<string>();
  let armed = "";
  let events: Deno.FsWatcher | undefined;
  /** Files that were written and not yet closed. */
  const open = new Set<string>();
  /** The metadata of files at their last event. */
  const seen = new Map<string, string>();
  let burst: Burst | undefined;
  let poll: ReturnType<typeof setInterval> | undefined;

  return {
    watch(paths) {
      files = [...new Set(paths)];
      known = look();
      arm();
      // A file may have changed between its reading and the start of the watch.
      wait(true);
    },
    close() {
      clearInterval(poll);
      clearTimeout(burst?.timer);
      burst = undefined;
      disarm();
    },
  };

  function look(): Map<string, string> {
    return new Map(files.map((file) => [file, appearanceOf(file)]));
  }

  /** Watches the current folders. */
  function arm(): void {
    const paths = pathsOf(files);
    const folders = [...paths.folders].map((folder) => ({ folder, appearance: identityOf(folder) }))
      .filter(({ appearance }) => appearance !== MISSING);
    const wanted = JSON.stringify(folders);
    relevant = paths.relevant;
    if (wanted === armed) return;
    disarm();
    armed = wanted;
    try {
      events = Deno.watchFs(folders.map(({ folder }) => folder), { recursive: false });
      void receive(events);
    } catch {
      // The limit of watches is reached, or a folder has just disappeared: polling covers both.
    }
    clearInterval(poll);
    poll = setInterval(onPoll, events === undefined ? POLL_WITHOUT_EVENTS : POLL);
  }

  function disarm(): void {
    armed = "";
    events?.close();
    events = undefined;
  }

  async function receive(watcher: Deno.FsWatcher): Promise<void> {
    try {
      for await (const event of watcher) onEvent(event);
    } catch {
      if (events === watcher) disarm();
    }
  }

  function onEvent({ kind, paths }: Deno.FsEvent): void {
    for (const path of paths) {
      if (!relevant.has(path)) continue;
      const contents = contentsOf(path);
      // Changes of mode or owner are reported as modifications too, without a closing event.
      if (kind !== "modify") open.delete(path);
      else if (REPORTS_CLOSE && seen.get(path) !== contents) open.add(path);
      seen.set(path, contents);
      wait(true);
    }
  }

  function onPoll(): void {
    if (burst !== undefined) return;
    if (files.some((file) => appearanceOf(file) !== known.get(file))) wait(false);
    else arm();
  }

  /** Waits for the end of a burst of changes. */
  function wait(isCertain: boolean): void {
    burst ??= { since: performance.now(), isCertain: false, timer: undefined, look: undefined };
    burst.isCertain ||= isCertain;
    clearTimeout(burst.timer);
    const left = Math.max(0, burst.since + SETTLE_MOST - performance.now());
    const quiet = open.size > 0 ? SETTLE_OPEN : burst.isCertain && REPORTS_CLOSE ? SETTLE : SETTLE_BLINDLY;
    burst.timer = setTimeout(settle, Math.min(quiet / 2, left));
  }

  function settle(): void {
    if (burst === undefined) return;
    const now = look();
    // In a busy process, a timer may fire before the events that preceded it.
    if (burst.look === undefined || !isAlike(burst.look, now)) {
      burst.look = now;
      return wait(burst.isCertain);
    }
    const isChanged = burst.isCertain || !isAlike(known, now);
    burst = undefined;
    open.clear();
    known = now;
    arm();
    if (isChanged) onChange();
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

/** The same without changes of mode, owner and name. */
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
