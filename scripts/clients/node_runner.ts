import { fileURLToPath } from "node:url";
import { makeOnce } from "../cache.ts";
import type { Client, NodeTests } from "./client.ts";
import { readMocha } from "./mocha.ts";
import { runProgram } from "./program.ts";
import type { Runner } from "./runner.ts";

/** Downloads a client's npm package and the packages that its tests need. */
export async function prepareNode({ name }: Client, tests: NodeTests): Promise<Runner> {
  const own = fileURLToPath(import.meta.resolve(`./node/${tests.folder}`));
  const pins = await Promise.all(
    ["package.json", "package-lock.json"].map((file) => Deno.readTextFile(`${own}/${file}`)),
  );
  const cwd = await makeOnce("clients", name, pins, async (made) => {
    for (const file of ["package.json", "package-lock.json"]) await Deno.copyFile(`${own}/${file}`, `${made}/${file}`);
    await runProgram("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: made });
  });
  return {
    async run(environment, sample) {
      const report = await Deno.makeTempFile({ suffix: ".json" });
      const mocha = [
        "node_modules/mocha/bin/mocha.js",
        "--ui",
        `${own}/interface.cjs`,
        "--require",
        `${own}/setup.cjs`,
      ];
      const reporter = ["--reporter", "json", "--reporter-option", `output=${report}`];
      try {
        // mocha exits with the number of failed tests.
        const codes = Array.from({ length: 256 }, (_, code) => code);
        await runProgram("node", [...mocha, ...reporter, ...sample, tests.specs], {
          cwd,
          env: { ...environment },
          codes,
        });
        return readMocha(await Deno.readTextFile(report));
      } finally {
        await Deno.remove(report);
      }
    },
  };
}
