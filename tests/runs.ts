/**
 * The parameters of a property test. The test suite tries the same values in each run, so that it can't fail at random;
 * `deno task fuzz` tries others.
 *
 * @param usual The number of runs in the test suite.
 */
export function runs(usual: number): { numRuns: number; seed: number } {
  return {
    numRuns: usual * Number(Deno.env.get("GW_TEST_TIMES") ?? 1),
    seed: Number(Deno.env.get("GW_TEST_SEED") ?? 1),
  };
}
