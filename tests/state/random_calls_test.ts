/**
 * Random calls to stateful mock servers of real definitions. Each response must be valid by the definition, and agree
 * with a naive model of the state.
 *
 * @module
 */
import assert from "node:assert/strict";
import { statefulDefinitions } from "../../scripts/resources/sample.ts";
import { callAtRandom } from "./random_calls.ts";

/**
 * The number of definitions. For a shorter run: `STATE_DEFINITIONS=10 STATE_CALLS=50`. For definitions whose names
 * contain a text: `STATE_ONLY=gitea`.
 */
const DEFINITIONS = Number(Deno.env.get("STATE_DEFINITIONS") ?? "40");
const CALLS = Number(Deno.env.get("STATE_CALLS") ?? "200");
const SEED = Number(Deno.env.get("STATE_SEED") ?? "1");

const ONLY = Deno.env.get("STATE_ONLY") ?? "";

for await (const definition of statefulDefinitions(DEFINITIONS)) {
  if (!definition.name.includes(ONLY)) continue;
  Deno.test(`random calls to ${definition.name} are answered as its state has it`, async () => {
    const { faults } = await callAtRandom(definition, CALLS, SEED);
    assert.deepEqual(faults, []);
  });
}
