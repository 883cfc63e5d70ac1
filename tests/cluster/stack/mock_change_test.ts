/**
 * An API's mocks change while clients send requests through Envoy. Every request must be answered.
 *
 * @module
 */
import assert from "node:assert/strict";
import { Agent } from "node:http";
import { ask } from "../support/ask.ts";
import { deployApi, deployFleet } from "../support/deploy.ts";
import { takeStack } from "../support/stack.ts";
import { until } from "../support/until.ts";
import { serviceObjects, startUpstream } from "../support/upstream.ts";

const HOST = "changes.example.com";

const CLIENTS = 4;
const CHANGES = 8;

Deno.test("an operation that is mocked, proxied, and mocked again answers all the while", async (t) => {
  await using stack = await takeStack();
  await stack.installGw();
  await using upstream = startUpstream("real", () => new Response("real"));
  const namespace = await stack.api.createNamespace();
  await stack.api.apply(...serviceObjects({ namespace, name: "real", endpoints: [upstream] }));
  const { port } = await deployFleet(stack, namespace);
  const deploy = (mocked: boolean, text: string): Promise<unknown> =>
    deployApi(stack.api, { namespace, name: "todo", definition: definition(mocked, text) }, 60_000);
  await deploy(true, "mock 0");
  await until(async () => (await ask(port, { host: HOST, path: "/todos" })).text === "mock 0");

  const seen = new Map<string, number>();
  const failures: string[] = [];
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    while (!isOver) {
      const { status, text } = await ask(port, { host: HOST, path: "/todos", agent })
        .catch((error) => ({ status: 0, text: String(error) }));
      if (status !== 200) failures.push(`${status} ${text}`);
      seen.set(text, (seen.get(text) ?? 0) + 1);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    agent.destroy();
  });

  await t.step("changes", async () => {
    for (let change = 1; change <= CHANGES; change++) {
      const mocked = change % 2 === 0;
      const want = mocked ? `mock ${change}` : "real";
      await deploy(mocked, `mock ${change}`);
      await until(async () => (await ask(port, { host: HOST, path: "/todos" })).text === want, { what: want });
    }
  });

  await t.step("when a mock is killed, few requests fail, and the other mock answers", async () => {
    const before = failures.length;
    const [pod] = (await stack.pods()).filter(({ deployment }) => deployment === "gw-mock");
    await stack.killPod(pod?.name ?? "");
    await new Promise((resolve) => setTimeout(resolve, 2000));
    const lost = failures.splice(before);
    assert.ok(lost.every((failure) => /^(?:0|503) /.test(failure)), lost.join("\n"));
    await stack.installGw();
  });

  isOver = true;
  await Promise.all(clients);
  const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
  assert.deepEqual(failures.slice(0, 5), [], `${failures.length} of ${total} requests failed`);
  assert.ok(total > 1000, `only ${total} requests`);
});

function definition(mocked: boolean, text: string): unknown {
  const content = { "text/plain": { schema: { type: "string" }, example: text } };
  return {
    openapi: "3.1.0",
    info: { title: "Todo", version: "1.0.0" },
    "x-svc": { hosts: [HOST], upstream: { service: { name: "real" } } },
    paths: {
      "/todos": {
        get: { "x-svc": { mocking: { enabled: mocked } }, responses: { 200: { description: "Todos.", content } } },
        post: { responses: { 201: { description: "Made." } } },
      },
    },
  };
}
