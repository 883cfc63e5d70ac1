/** Options of the benchmarks. */
export interface BenchOptions {
  /** gw as a user runs it: the bundle's main file, or a compiled executable. */
  program: string;
  /** Measures Steady and Prism in the same run too. */
  peers: boolean;
  /** How often each measurement is repeated; the tables show medians. */
  rounds: number;
  /** Length of one load. */
  seconds: number;
}
