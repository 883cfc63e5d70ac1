import { pathsOf } from "./watched_paths.ts";

/** Tells when files change, however they are saved. */
export interface Watcher {
  /** Watches these files instead of those before. Files that don't exist are watched for their appearance. */
  watch(files: Iterable<string>): void;
  close(): void;
}

/** Quiet after the last sign of a change until it counts as done, in milliseconds: a checkout writes file after file. */
const SETTLE = 50;
/** The same where nothing tells that a writer has closed its file. */
const SETTLE_BLINDLY = 120;
/** How long a writer may pause with the file open, in milliseconds. */
const SETTLE_OPEN = 1000;
/** Longest that a writer can put a reload off, in milliseconds. */
const SETTLE_MOST = 3000;
/** How often files are looked at, where events may be missing: network file systems, containers, replaced folders. */
const POLL = 1000;
/** The same where there are no events at all. */
const POLL_WITHOUT_EVENTS = 250;

/** Only Linux reports that a file was closed after writing. */
const REPORTS_CLOSE = Deno.build.os === "linux";

/** Changes that follow one another so closely that they are one. */
interface Burst {
  /** When it began, in milliseconds. */
  since: number;
  /** There was an event, so that even files that look the same may have other contents. */
  isCertain: boolean;
  timer: ReturnType<typeof setTimeout> | undefined;
  /** What the files looked like when it seemed to be over. */
  look: ReadonlyMap<string, string> | undefined;
}

/**
 * Makes a watcher. It watches the folders that the files are in, since an editor that saves by renaming takes a watched
 * file away; and looks at the files from time to time, since some file systems have no events.
 *
 * @param onChange Called once for each burst of changes. The contents may turn out to be the same.
 */
export function createWatcher(onChange: () => void): Watcher {
  let files: readonly string[] = [];
  /** What each file and folder looked like when it was last reported. */
  let known = new Map<string, string>();
  let relevant = new Set<string>();
  let armed = "";
  let events: Deno.FsWatcher | undefined;
  /** Files that were written to and not yet closed. */
  const open = new Set<string>();
  /** What files looked like at their last event. */
  const seen = new Map<string, string>();
  let burst: Burst | undefined;
  let poll: ReturnType<typeof setInterval> | undefined;

  return {
    watch(paths) {
      files = [...new Set(paths)];
      known = look();
      arm();
      // A file may have changed after it was read and before it was watched.
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

  /** Watches the folders as they are now. */
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
      // No more watches to be had, or a folder went away just now: looking at the files serves as well.
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
      // Changes of mode or owner are reported as modifications too, but no closing follows.
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
    // A busy process may hear of the time before it hears of what happened in that time.
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

/** What tells one version of a file from another without reading it. */
function appearanceOf(path: string): string {
  return stat(path, ({ dev, ino, size, mtime, ctime }) => [dev, ino, size, mtime?.getTime(), ctime?.getTime()]);
}

/** The same, but for changes of mode, owner and name. */
function contentsOf(path: string): string {
  return stat(path, ({ dev, ino, size, mtime }) => [dev, ino, size, mtime?.getTime()]);
}

/** What tells a folder from another one in its place. */
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
