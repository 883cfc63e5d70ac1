/**
 * The npm library must answer in every runtime byte for byte as the sources do in Deno.
 *
 * @module
 */
import assert from "node:assert/strict";
import * as library from "../../mod.ts";
import { createFolder } from "../cmd/definitions.ts";
import { runScenarios } from "./exchanges/runner.js";
import { SCENARIOS } from "./exchanges/table.ts";
import { copyLibrary, RUNTIMES } from "./runtimes.ts";

const FOLDER = `${import.meta.dirname}/exchanges`;

const scenarios = await Promise.all(
  SCENARIOS.map(async (scenario) => ({
    ...scenario,
    text: await Deno.readTextFile(`${FOLDER}/${scenario.definition}`),
  })),
);
const expected = await runScenarios(library, scenarios);

const SCRIPT = `
import * as library from "./library/mod.js";
import { runScenarios } from "./runner.js";
export default async (input) => JSON.stringify(await runScenarios(library, JSON.parse(input)));
`;

Deno.test("there are at least 60 exchanges", () => {
  const exchanges = SCENARIOS.flatMap(({ steps }) => steps).filter((step) => "path" in step);
  assert.ok(exchanges.length >= 60, `there are ${exchanges.length}`);
});

for (const { name, missing, run } of RUNTIMES) {
  const isSkipped = missing !== undefined && Deno.env.get("CI") !== "true";
  const title = `${name} gives the same ${expected.length} results${isSkipped ? `; skipped: ${missing}` : ""}`;
  Deno.test({ name: title, ignore: isSkipped }, async () => {
    assert.equal(missing, undefined);
    await using folder = await createFolder();
    await copyLibrary(folder.path);
    await Deno.copyFile(`${FOLDER}/runner.js`, `${folder.path}/runner.js`);
    await Deno.writeTextFile(`${folder.path}/script.js`, SCRIPT);
    await Deno.writeTextFile(`${folder.path}/package.json`, `{"type":"module"}`);
    const results: unknown = JSON.parse(await run(folder.path, JSON.stringify(scenarios)));
    assert.deepEqual(results, expected);
  });
}
