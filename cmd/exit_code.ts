/** What the process ends with: whose fault it was, if anybody's. */
export const EXIT = {
  /** All is well. */
  fine: 0,
  /** The input is at fault: a definition with errors. */
  input: 1,
  /** The command line is at fault: an unknown flag, a value that makes no sense. */
  usage: 2,
  /** The world is at fault: a port that is taken, a store that can't be reached. */
  world: 3,
} as const;
