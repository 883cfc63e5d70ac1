export interface BenchOptions {
  /** The main file of gw's bundle, or an executable of gw. */
  program: string;
  /** Another version of gw, for the benchmark `versions`. */
  against?: string | undefined;
  /** Whether to measure Steady and Prism too. */
  peers: boolean;
  /** The number of repetitions of each measurement. The tables show medians. */
  rounds: number;
  /** The duration of each run of wrk, in seconds. */
  seconds: number;
}
