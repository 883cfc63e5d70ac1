/**
 * How often a property is tried: as usual with the same values each time, so that a test that passed passes again;
 * `deno task fuzz` looks for others.
 *
 * @param usual Runs where nothing else is asked for.
 */
export function runs(usual: number): { numRuns: number; seed: number } {
  return {
    numRuns: Number(Deno.env.get("GW_TEST_RUNS") ?? usual),
    seed: Number(Deno.env.get("GW_TEST_SEED") ?? 1),
  };
}
