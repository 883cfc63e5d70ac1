/**
 * gw in the cluster, installed by its manifests.
 *
 * @module
 */
import assert from "node:assert/strict";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";

Deno.test("gw is installed by its manifests: all its pods become ready, and so again after kill -9", async () => {
  await using stack = await takeStack();
  await stack.installGw();
  const [pod] = await stack.pods();
  assert(pod !== undefined);
  await stack.killPod(pod.name);
  await until(async () => (await stack.pods()).some(({ name, isReady }) => name === pod.name && !isReady));
  await stack.installGw();
});
