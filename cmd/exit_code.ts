/** The exit codes of the process. */
export const EXIT = {
  /** Success. */
  fine: 0,
  /** The input is at fault: a definition with errors. */
  input: 1,
  /** The command line is at fault: an unknown flag, a value that makes no sense. */
  usage: 2,
  /** The environment is at fault: a port that is taken, a store that can't be reached. */
  environment: 3,
} as const;
