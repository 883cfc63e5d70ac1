/** How long a process that is told to stop goes on accepting requests, in milliseconds. */
export interface DrainTimes {
  /** For so long no request must have come. */
  readonly quiet: number;
  /** It stops after so long, whatever comes. */
  readonly most: number;
}

/** Calls back each time somebody tells the process to stop; gives a function that ends this. */
export type OnStop = (listener: () => void) => () => void;

/** Lets a process that is told to stop go on until nobody sends it requests any more: proxies learn of it late. */
export interface Drain {
  /** Whether it is told to stop. */
  readonly isEnding: boolean;
  /** Takes note of a request. */
  note(): void;
  /** Begins when the process is told to stop; resolves when it may. */
  begin(): Promise<void>;
}

/** Makes what waits until a process may stop. */
export function createDrain({ quiet, most }: DrainTimes): Drain {
  let isEnding = false;
  let last = 0;
  return {
    get isEnding() {
      return isEnding;
    },
    note() {
      if (isEnding) last = performance.now();
    },
    async begin() {
      isEnding = true;
      last = performance.now();
      const end = last + most;
      for (;;) {
        const left = Math.min(last + quiet, end) - performance.now();
        if (left <= 0) return;
        await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)));
      }
    },
  };
}

/** Tells of a stop when a drain has ended, and of each further one at once. */
export function afterDrain(onStop: OnStop, drain: Drain): OnStop {
  return (listener) => onStop(() => drain.isEnding ? listener() : void drain.begin().then(listener));
}
