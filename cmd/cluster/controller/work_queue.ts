import { type Backoff, waitAfter } from "../../../lib/http/backoff.ts";
import { createTurns } from "../../io/scheduling.ts";

/** What is to be done, by key: each key once, however often it was added, and never twice at the same time. */
export interface WorkQueue {
  /** Adds a key, to be worked on as soon as there is a free worker. */
  add(key: string): void;
  /** Adds a key later, in milliseconds; the earliest of several times counts. */
  addLater(key: string, wait: number): void;
  /** Forgets all waiting keys; resolves when no work is under way. */
  clear(): Promise<void>;
  /** Keys that wait or are worked on, without those that are to be added later. */
  readonly length: number;
}

/** How a queue works. */
export interface WorkQueueOptions {
  /** Does the work of a key; it is tried again when that fails. */
  work: (key: string) => Promise<void>;
  /** How many keys are worked on at the same time. */
  workers: number;
  backoff: Backoff;
  /** Told of each failure. */
  onError: (key: string, error: unknown, failures: number) => void;
}

/** Makes a queue. One key that fails again and again stops no other: it waits longer each time. */
export function createWorkQueue({ work, workers, backoff, onError }: WorkQueueOptions): WorkQueue {
  const waiting = new Set<string>();
  const busy = new Set<string>();
  /** Added while they were worked on. */
  const again = new Set<string>();
  const later = new Map<string, { at: number; timer: ReturnType<typeof setTimeout> }>();
  const failures = new Map<string, number>();
  let turns = createTurns();
  let idle: (() => void)[] = [];

  return {
    add,
    addLater,
    clear() {
      waiting.clear();
      again.clear();
      for (const { timer } of later.values()) clearTimeout(timer);
      later.clear();
      failures.clear();
      return busy.size === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve));
    },
    get length() {
      return waiting.size + busy.size;
    },
  };

  function add(key: string): void {
    if (busy.has(key)) {
      again.add(key);
      return;
    }
    waiting.add(key);
    next();
  }

  function addLater(key: string, wait: number): void {
    const at = performance.now() + wait;
    const known = later.get(key);
    if (known !== undefined) {
      if (known.at <= at) return;
      clearTimeout(known.timer);
    }
    const timer = setTimeout(() => {
      later.delete(key);
      add(key);
    }, wait);
    later.set(key, { at, timer });
  }

  function next(): void {
    for (const key of waiting) {
      if (busy.size >= workers) return;
      waiting.delete(key);
      if (busy.size === 0) turns = createTurns();
      busy.add(key);
      void run(key);
    }
  }

  async function run(key: string): Promise<void> {
    try {
      // Work that waits for nothing would keep the renewal of the Lease from being sent.
      await turns.next();
      await work(key);
      failures.delete(key);
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      onError(key, error, count);
      // Many that lost the same server don't come back at the same time.
      addLater(key, waitAfter(count, backoff) * (0.75 + Math.random() / 2));
    }
    busy.delete(key);
    if (again.delete(key)) waiting.add(key);
    next();
    if (busy.size === 0) {
      for (const resolve of idle) resolve();
      idle = [];
    }
  }
}
