import { makeOnce } from "../cache.ts";
import { provideGo } from "../cluster/tools.ts";
import type { Client, GoTests } from "./client.ts";
import { copyTests } from "./copy.ts";
import { fetchGoModule } from "./fetch.ts";
import { readGoEvents } from "./go_events.ts";
import { runProgram } from "./program.ts";
import type { Runner } from "./runner.ts";

/** Flags for building test binaries. Without debug information, linking takes a fraction of the time. */
const BUILD = ["-p", "2", "-ldflags", "-s -w"];
/** The time limit for the tests of one package, for tests that never end. */
const TIMEOUT = "5m";

/** Downloads a Go client and prepares its tests. Go verifies the dependencies against the module's own go.sum. */
export async function prepareGo({ name, patches = [] }: Client, tests: GoTests): Promise<Runner> {
  const pins = [JSON.stringify({ tests, patches })];
  const folder = await makeOnce("clients", name, pins, async (made) => {
    await copyTests(await fetchGoModule(tests), `${made}/module`, patches);
  });
  const cwd = `${folder}/module`;
  const go = await provideGo(tests.go, cwd);
  return {
    async run(environment, sample) {
      const env = { GOFLAGS: "-mod=readonly", CGO_ENABLED: "0", ...environment };
      const args = ["test", "-json", "-count=1", "-timeout", TIMEOUT, ...BUILD, ...sample, ...tests.packages];
      return readGoEvents(await runProgram(go, args, { cwd, env, codes: [0, 1] }), tests.module);
    },
  };
}
