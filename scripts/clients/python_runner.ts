import { fileURLToPath } from "node:url";
import { makeOnce } from "../cache.ts";
import type { Client, PythonTests } from "./client.ts";
import { changeTests } from "./copy.ts";
import { fetchSourceDistribution } from "./fetch.ts";
import { readJUnit } from "./junit.ts";
import { runProgram } from "./program.ts";
import type { Runner } from "./runner.ts";

/** Exit codes of pytest after running the tests: all passed, or some failed. */
const RAN = [0, 1];

/** Downloads a Python client, and the packages that its tests need, into a folder. */
export async function preparePython({ name, patches = [] }: Client, tests: PythonTests): Promise<Runner> {
  const requirements = fileURLToPath(import.meta.resolve(`./python/${tests.requirements}`));
  const pins = [JSON.stringify({ tests, patches }), await Deno.readTextFile(requirements)];
  const folder = await makeOnce("clients", name, pins, async (made) => {
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action=ignore"];
    const hashed = ["--require-hashes", "--no-deps", "--only-binary=:all:", "--target", `${made}/packages`];
    await runProgram("python3", [...pip, ...hashed, "-r", requirements], { cwd: made });
    await Deno.rename(await fetchSourceDistribution(tests, made), `${made}/source`);
    await changeTests(`${made}/source/tests`, patches);
  });
  const cwd = `${folder}/source`;
  return {
    async run(environment, sample) {
      const report = await Deno.makeTempFile({ suffix: ".xml" });
      const env = { PYTHONPATH: `${folder}/packages:${cwd}/${tests.sources}`, ...environment };
      const args = ["-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", `--junitxml=${report}`, ...sample];
      try {
        await runProgram("python3", args, { cwd, env, codes: RAN });
        return readJUnit(await Deno.readTextFile(report));
      } finally {
        await Deno.remove(report);
      }
    },
  };
}
