/** The bounds of a server's journals. */
export interface JournalLimits {
  /** The most requests that a journal has. 0: nothing is recorded. */
  readonly most: number;
  /** The memory of all journals together in bytes, as estimated. Default: 16 MiB. */
  readonly bytes: number;
  /** The longest body that is recorded whole, in bytes; of a longer one the start is. Default: 64 KiB. */
  readonly body: number;
  /**
   * The requests of one second that are recorded with their headers; of more, the headers are left out. Default:
   * 1,000: to copy headers takes a tenth of the time of a request.
   */
  readonly headersPerSecond: number;
}

const KiB = 1024;

/** The bounds where none are set. */
export const DEFAULT_JOURNAL_LIMITS: JournalLimits = {
  most: 1000,
  bytes: 16 * KiB * KiB,
  body: 64 * KiB,
  headersPerSecond: 1000,
};

/** The most characters of a request's headers that are recorded; further headers are left out. */
export const MOST_HEADERS = 16 * KiB;
/** The most violations of a request that are recorded. */
export const MOST_VIOLATIONS = 20;
/** The most listeners of a journal: each may have 1 MiB waiting for it. */
export const MOST_LISTENERS = 16;
