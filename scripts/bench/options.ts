/** Options of the benchmarks. */
export interface BenchOptions {
  /** gw as users run it: the bundle's main file, or an executable. */
  program: string;
  /** Whether to measure Steady and Prism as well, in the same run. */
  peers: boolean;
  /** The number of repetitions of each measurement. The tables show medians. */
  rounds: number;
  /** The duration of each load, in seconds. */
  seconds: number;
}
