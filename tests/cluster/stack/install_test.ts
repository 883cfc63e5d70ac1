/**
 * Installs gw in a cluster by its manifests.
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

Deno.test("a definition that can't be deployed is refused by the webhook, with its place", async () => {
  await using stack = await takeStack();
  await stack.installGw();
  const { api } = stack;
  const namespace = await api.createNamespace();
  const openapi =
    "openapi: 3.1.0\ninfo: { title: Todo, version: 1.0.0 }\nx-svc:\n  mokcing: { enabled: true }\npaths: {}\n";
  const refused = {
    apiVersion: "gateway.x-svc.io/v1alpha1",
    kind: "API",
    metadata: { namespace, name: "todo" },
    spec: { openapi },
  };
  // The API server takes a while to call the webhook after its certificate and pods exist. Until then, it accepts every
  // object.
  let message = "";
  await until(async () => {
    message = await api.apply(refused).then(() => "", String);
    return message !== "";
  });
  assert.match(message, /admission webhook "definitions\.gateway\.x-svc\.io" denied the request/);
  assert.match(message, /4:3: `x-svc` has no key `mokcing`\. Did you mean `mocking`\?/);
});
