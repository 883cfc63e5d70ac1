/** Work that goes on after an answer was given, and that the program waits for when it ends. */
export interface Background {
  /** Adds work. It must not fail. */
  add(work: Promise<void>): void;
  /** Resolves when there is none left, also of what was added meanwhile. */
  settled(): Promise<void>;
}

/** Makes a place for work that nobody waits for before the end. */
export function createBackground(): Background {
  const pending = new Set<Promise<void>>();
  return {
    add(work) {
      const done = work.finally(() => pending.delete(done));
      pending.add(done);
    },
    async settled() {
      while (pending.size > 0) await Promise.allSettled(pending);
    },
  };
}
