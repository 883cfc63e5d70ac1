/** Limits of a server's journals. */
export interface JournalLimits {
  /** The most requests in a journal. 0 turns journals off. */
  readonly most: number;
  /** The most memory of all journals together, as estimated, in bytes. Default: 16 MiB. */
  readonly bytes: number;
  /** The most bytes of a body that are recorded. A longer body is truncated. Default: 64 KiB. */
  readonly body: number;
  /**
   * The most requests in each second that are recorded with headers, body and path parameters. Objects that are kept
   * until a thousand requests later cost the garbage collector a tenth of a request's time, so under load they are left
   * out. Default: 1,000.
   */
  readonly detailsPerSecond: number;
}

const KiB = 1024;

export const DEFAULT_JOURNAL_LIMITS: JournalLimits = {
  most: 1000,
  bytes: 16 * KiB * KiB,
  body: 64 * KiB,
  detailsPerSecond: 1000,
};

/** Limit of the characters of a request's headers that are recorded. Further headers are left out. */
export const MOST_HEADERS = 16 * KiB;
/** Limit of the violations of a request that are recorded. */
export const MOST_KEPT_VIOLATIONS = 20;
/** Limit of the listeners of a journal. */
export const MOST_LISTENERS = 16;
/** Limit of the listeners of all journals. The connection of each may hold some events that its client doesn't read. */
export const MOST_ALL_LISTENERS = 256;
/** Limit of the bytes that wait for a slow listener. Beyond it, requests are counted instead of sent. */
export const MOST_WAITING = KiB * KiB;
/** Limit of the bytes that wait for all listeners together. */
export const MOST_ALL_WAITING = 16 * KiB * KiB;
