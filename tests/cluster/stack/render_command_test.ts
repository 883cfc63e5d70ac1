/**
 * kubectl applies the output of `gw render`. No controller of gw runs.
 *
 * @module
 */
import assert from "node:assert/strict";
import { render } from "../../../cmd/commands/render.ts";
import { recordPlatform } from "../../cmd/recorded_platform.ts";
import { ask } from "../support/ask.ts";
import { GATEWAY_CLASS, takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { type Echo, serviceObjects, startUpstream } from "../support/upstream.ts";
import { freePort } from "../../free_port.ts";

const HOST = "localhost";

Deno.test("what gw render prints serves once kubectl has applied it", async () => {
  await using stack = await takeStack();
  await stack.removeGw();
  await using todo = startUpstream("todo");
  await using mocks = startUpstream("mocks");
  const { api } = stack;
  const namespace = await api.createNamespace();
  await api.apply(
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "Gateway",
      metadata: { namespace, name: "theirs" },
      spec: {
        gatewayClassName: GATEWAY_CLASS,
        listeners: [{ name: "http", port: freePort(), protocol: "HTTP" }],
      },
    },
    ...serviceObjects({ namespace, name: "todo", endpoints: [todo] }),
    ...serviceObjects({
      namespace,
      name: "mocks",
      endpoints: [mocks],
      ports: [{ name: "mock", port: 8080, targetPort: mocks.port }, {
        name: "check",
        port: 8081,
        targetPort: mocks.port,
      }],
    }),
  );

  const platform = recordPlatform();
  const flags = ["-n", namespace, "--gateway", "theirs", "--mocks", `${namespace}/mocks`];
  assert.equal(await render(["tests/data/todo.yaml", ...flags], platform), 0, platform.printed.stderr);
  await api.kubectl(["apply", "--server-side", "-f", "-"], platform.printed.stdout);

  const port = await stack.portOf({ namespace, name: "theirs" });
  const echoOf = async (path: string, method = "GET"): Promise<Echo> =>
    Object((await ask(port, { host: HOST, path, method })).json());
  await until(async () => (await ask(port, { host: HOST, path: "/todos" })).status === 200);
  const mocked = await echoOf("/todos");
  assert.equal(mocked.upstream, "mocks");
  assert.equal(mocked.headers["x-svc-api"], `${namespace}/todo`);
  assert.equal((await echoOf("/todos", "POST")).upstream, "todo");
  assert.equal((await echoOf("/todos/7")).upstream, "mocks");
  assert.equal((await echoOf("/todos/report.csv")).upstream, "todo");
  assert.equal((await ask(port, { host: HOST, path: "/nothing" })).status, 404);
});
