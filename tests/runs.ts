/**
 * How often a property is tried. The test suite tries the same values each time, so that what passed passes again;
 * `deno task fuzz` goes on to others.
 *
 * @param usual Runs in the test suite.
 */
export function runs(usual: number): { numRuns: number; seed: number } {
  return {
    numRuns: usual * Number(Deno.env.get("GW_TEST_TIMES") ?? 1),
    seed: Number(Deno.env.get("GW_TEST_SEED") ?? 1),
  };
}
