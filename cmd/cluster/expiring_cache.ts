/** Answers that are remembered for a while. */
export interface ExpiringCache<Value> {
  /** The answer to a question: a known one, or a new one. Whoever asks meanwhile waits for the same. */
  get(question: string, ask: () => Promise<Value>): Promise<Value>;
}

/** How answers are remembered. */
export interface ExpiringCacheOptions {
  /** How long, in milliseconds. */
  lifetime: number;
  /** Of so many questions at most. */
  most: number;
  /** The time in milliseconds; any beginning will do. */
  now: () => number;
}

/** Makes what remembers answers; failures are none. */
export function createExpiringCache<Value>({ lifetime, most, now }: ExpiringCacheOptions): ExpiringCache<Value> {
  // The oldest come first.
  const known = new Map<string, { answer: Promise<Value>; until: number }>();
  return {
    get(question, ask) {
      const before = known.get(question);
      if (before !== undefined && now() < before.until) return before.answer;
      known.delete(question);
      forgetOldest();
      const entry = { answer: ask(), until: now() + lifetime };
      known.set(question, entry);
      entry.answer.catch(() => {
        if (known.get(question) === entry) known.delete(question);
      });
      return entry.answer;
    },
  };

  function forgetOldest(): void {
    for (const [question, { until }] of known) {
      if (known.size < most && now() < until) return;
      known.delete(question);
    }
  }
}
