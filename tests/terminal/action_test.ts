/**
 * The GitHub action on a runner that gives each step a terminal, which the program `script` of util-linux makes.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createFolder, TODO } from "../cmd/definitions.ts";
import { GW } from "../cmd/process.ts";
import { needs } from "./shell.ts";

const MOCK = fileURLToPath(import.meta.resolve("../../.github/actions/gw/mock.sh"));

Deno.test({
  name: "the mock server of the action outlives the terminal of its step",
  ...needs("script", "bash"),
  async fn() {
    await using folder = await createFolder();
    const { path } = folder;
    const program = `#!/bin/sh\nexec ${GW.map((word) => `'${word}'`).join(" ")} "$@"\n`;
    await Deno.writeTextFile(`${path}/gw`, program, { mode: 0o755 });
    const { code, stdout } = await new Deno.Command("script", {
      args: ["-qec", `bash '${MOCK}'`, "/dev/null"],
      env: {
        PATH: `${path}:${Deno.env.get("PATH")}`,
        RUNNER_TEMP: path,
        GITHUB_OUTPUT: `${path}/output`,
        DEFINITION: TODO,
        ARGS: "--no-watch",
      },
      stdin: "null",
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stdout));
    const [, url, pid] = /^url=(http:\S+)\npid=(\d+)\n$/.exec(await Deno.readTextFile(`${path}/output`)) ?? [];
    try {
      const response = await fetch(`${url}/todos`);
      await response.body?.cancel();
      assert.equal(response.status, 200);
    } finally {
      Deno.kill(Number(pid), "SIGTERM");
    }
  },
});
