import assert from "node:assert/strict";
import { MockApis, type MockApisOptions } from "../../../cmd/cluster/mock_apis.ts";
import { createClusterCheck } from "../../../lib/cluster/check_service.ts";
import { createClusterMock } from "../../../lib/cluster/mock_service.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { toCustomResource } from "../../../lib/cluster/convert.ts";
import type { ApiObject, StaticRouteObject } from "../../../lib/cluster/custom_resource.ts";
import { todoThatAnswers } from "../definitions.ts";
import { CLIENT } from "../../lib/gateway/embedded/fleet.ts";
import { createFakeInformer, type FakeInformer } from "./fake_informer.ts";

function api(name: string, openapi: string, generation = 1, others: Partial<KubernetesObject> = {}): KubernetesObject {
  return {
    apiVersion: "gateway.x-svc.io/v1alpha1",
    kind: "API",
    metadata: { namespace: "shop", name, uid: `uid-${name}`, generation, creationTimestamp: "2026-01-01T00:00:00Z" },
    spec: { openapi },
    ...others,
  };
}

function accepted(status: "True" | "False", observedGeneration: number): Partial<KubernetesObject> {
  const condition = { type: "Accepted", status, reason: "Test", message: "", observedGeneration };
  return { status: { conditions: [condition] } };
}

function fleet(name: string, isDefault: boolean): KubernetesObject {
  const metadata = { namespace: "fleets", name };
  return { apiVersion: "gateway.x-svc.io/v1alpha1", kind: "Fleet", metadata, spec: { default: isDefault } };
}

interface Mocks extends Pick<MockApis, "checkOf" | "ready" | "size" | "isReady">, Disposable {
  apis: FakeInformer;
  fleets: FakeInformer;
  log: string[];
  /** Sends a request to an API, and returns the answer as text: `200 text`. */
  ask(name?: string): Promise<string>;
  /** Resolves when the log has a line that matches. */
  said(pattern: RegExp): Promise<void>;
}

function start(options: Partial<MockApisOptions> = {}): Mocks {
  const [apis, fleets] = [createFakeInformer(), createFakeInformer()];
  const log: string[] = [];
  const waiting = new Set<() => void>();
  const say = (message: string): void => {
    log.push(message);
    for (const look of waiting) look();
  };
  const mocks = new MockApis({ apis, fleets, log: { note: say, complain: say }, ...options });
  const answer = createClusterMock((api) => mocks.find(api));
  return {
    apis,
    fleets,
    log,
    checkOf: (fleet) => mocks.checkOf(fleet),
    ready: mocks.ready,
    get size() {
      return mocks.size;
    },
    get isReady() {
      return mocks.isReady;
    },
    async ask(name = "todo") {
      const request = new Request("http://localhost/todos", { headers: { "x-svc-api": `shop/${name}` } });
      const { response } = await answer(request, CLIENT);
      const text = await response.text();
      return `${response.status} ${response.ok ? text : JSON.parse(text).detail}`;
    },
    said: (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        const look = (): void => {
          if (!log.some((line) => pattern.test(line))) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    [Symbol.dispose]: () => mocks.stop(),
  };
}

async function startWith(...objects: readonly KubernetesObject[]): Promise<Mocks> {
  return await startWithOptions({}, ...objects);
}

async function startWithOptions(
  options: Partial<MockApisOptions>,
  ...objects: readonly KubernetesObject[]
): Promise<Mocks> {
  const mocks = start(options);
  mocks.apis.set(...objects);
  mocks.apis.sync();
  mocks.fleets.sync();
  await mocks.ready;
  return mocks;
}

Deno.test("mocks are ready when all APIs and fleets are known, and all APIs are planned", async () => {
  using mocks = start();
  mocks.apis.set(api("todo", todoThatAnswers("first")), api("broken", "openapi: 3.1.0\npaths: ["));
  mocks.apis.sync();
  assert.equal(await mocks.ask(), "503 The mocks are starting.");
  assert.equal(mocks.isReady, false);
  mocks.fleets.sync();
  await mocks.ready;
  assert.deepEqual([mocks.isReady, mocks.size, await mocks.ask()], [true, 1, "200 first"]);
  assert.equal(mocks.log.length, 1);
  assert.match(mocks.log[0] ?? "", /^The API shop\/broken can't be answered: 2:\d+: /);
});

Deno.test("a change is answered as soon as it is planned, a new API at once, a deleted one not any more", async () => {
  using mocks = await startWith(api("todo", todoThatAnswers("first")));
  mocks.apis.set(api("todo", todoThatAnswers("second"), 2));
  await mocks.said(/shop\/todo is answered anew/);
  assert.equal(await mocks.ask(), "200 second");
  mocks.apis.set(api("new", todoThatAnswers("third")));
  // The answer comes after the definition was parsed.
  assert.equal(await mocks.ask("new"), "200 third");
  mocks.apis.delete(api("new", ""));
  assert.equal(await mocks.ask("new"), "404 The API of this route isn't deployed.");
  assert.equal(await mocks.ask("never"), "404 The API of this route isn't deployed.");
});

Deno.test("the last of several changes is answered in the end", async () => {
  using mocks = await startWith(api("todo", todoThatAnswers("v1")));
  for (let generation = 2; generation <= 20; generation++) {
    mocks.apis.set(api("todo", todoThatAnswers(`v${generation}`), generation));
    if (generation % 3 === 0) await new Promise((resolve) => setTimeout(resolve));
  }
  while (await mocks.ask() !== "200 v20") await new Promise((resolve) => setTimeout(resolve, 1));
});

Deno.test("a compressed definition is read", async () => {
  const openapi = todoThatAnswers("large") + `# ${"x".repeat(300_000)}\n`;
  const fleet = { namespace: "fleets", name: "edge" };
  const large = await toCustomResource({ kind: "api", namespace: "shop", name: "todo", spec: { fleet, openapi } });
  assert.equal(Object(large.spec).openapi, undefined);
  using mocks = await startWith({ ...large, metadata: { ...large.metadata, uid: "1", generation: 1 } });
  assert.equal(await mocks.ask(), "200 large");
});

Deno.test("a refused change leaves the answers from before; other APIs aren't affected", async (t) => {
  const cases = {
    "a text that doesn't parse": "openapi: 3.1.0\npaths: [",
    "an unknown setting": todoThatAnswers("second", ", nonsense: 1"),
    "an example without a schema": todoThatAnswers("second").replace("schema: {type: string}, ", ""),
  };
  for (const [name, openapi] of Object.entries(cases)) {
    await t.step(name, async () => {
      using mocks = await startWith(api("todo", todoThatAnswers("first")));
      mocks.apis.set(api("todo", openapi, 2), api("other", todoThatAnswers("other")));
      assert.equal(await mocks.ask("other"), "200 other");
      await mocks.said(/shop\/todo can't be answered: \d+:\d+: .* What was answered before is answered still/);
      assert.equal(await mocks.ask(), "200 first");
      // The next valid definition replaces the one in use.
      mocks.apis.set(api("todo", todoThatAnswers("third"), 3));
      await mocks.said(/shop\/todo is answered anew/);
      assert.equal(await mocks.ask(), "200 third");
    });
  }
});

Deno.test("mocks go back to the last accepted spec when the controller refuses a change, and use the change once it is accepted", async () => {
  using mocks = await startWith(api("todo", todoThatAnswers("first")));
  mocks.apis.set(api("todo", todoThatAnswers("second"), 2));
  await mocks.said(/answered anew/);
  // The condition is about generation 1, not about the present generation 2, so it doesn't count.
  mocks.apis.set(api("todo", todoThatAnswers("second"), 2, accepted("False", 1)));
  assert.equal(await mocks.ask(), "200 second");
  mocks.apis.set(api("todo", todoThatAnswers("second"), 2, accepted("False", 2)));
  assert.equal(await mocks.ask(), "200 first");
  mocks.apis.set(api("todo", todoThatAnswers("second"), 2, accepted("True", 2)));
  while (await mocks.ask() !== "200 second") await new Promise((resolve) => setTimeout(resolve, 1));
});

Deno.test("an API that the controller refuses is answered as it was accepted, also by mocks that started later", async (t) => {
  const state = async (object: ApiObject | StaticRouteObject): Promise<ApiObject | StaticRouteObject> => {
    await Promise.resolve();
    return { ...object, metadata: { ...object.metadata, generation: 1 }, spec: { openapi: todoThatAnswers("first") } };
  };
  const refused = api("todo", todoThatAnswers("second"), 2, accepted("False", 2));
  await t.step("the refusal is older than the mocks", async () => {
    using mocks = await startWithOptions({ findAcceptedState: state }, refused);
    assert.equal(await mocks.ask(), "200 first");
    mocks.apis.set(api("todo", todoThatAnswers("third"), 3));
    await mocks.said(/answered anew/);
    assert.equal(await mocks.ask(), "200 third");
  });
  await t.step("the refusal comes after their start", async () => {
    using mocks = await startWithOptions({ findAcceptedState: state }, api("todo", todoThatAnswers("second"), 2));
    assert.equal(await mocks.ask(), "200 second");
    mocks.apis.set(refused);
    while (await mocks.ask() !== "200 first") await new Promise((resolve) => setTimeout(resolve, 1));
  });
  await t.step("there is no revision", async () => {
    const findAcceptedState = (): Promise<undefined> => Promise.resolve(undefined);
    using mocks = await startWithOptions({ findAcceptedState }, refused);
    assert.equal(await mocks.ask(), "200 second");
  });
  await t.step("the revision can't be read", async () => {
    const findAcceptedState = (): Promise<undefined> => Promise.reject(new Error("The API server is away."));
    using mocks = await startWithOptions({ findAcceptedState }, refused, api("other", todoThatAnswers("other")));
    assert.match(mocks.log.join(), /What was accepted of the API shop\/todo can't be read: The API server is away\./);
    assert.equal(await mocks.ask("other"), "200 other");
  });
});

Deno.test("an operation that got an upstream is mocked for a while, and then not any more", async () => {
  using mocks = start({ overlap: 1000 });
  mocks.apis.set(api("todo", todoThatAnswers("first")));
  mocks.apis.sync();
  mocks.fleets.sync();
  await mocks.ready;
  const proxied = todoThatAnswers("second", ", upstream: {service: {name: todo}}").replace(
    "enabled: true",
    "enabled: false",
  );
  mocks.apis.set(api("todo", proxied, 2));
  await mocks.said(/answered anew/);
  // Proxies may use a route from before both changes, so its requests are still answered.
  mocks.log.length = 0;
  mocks.apis.set(api("todo", proxied.replace("Todos.", "All todos."), 3));
  await mocks.said(/answered anew/);
  assert.equal(await mocks.ask(), "200 first");
  while (await mocks.ask() === "200 first") await new Promise((resolve) => setTimeout(resolve, 1));
  assert.match(await mocks.ask(), /^503 This operation isn't mocked/);
});

Deno.test("a fleet's checks are those of its APIs; an API that names no fleet is on the default one", async () => {
  const checked = `openapi: 3.1.0
info: {title: Todo, version: 1.0.0}
x-svc: {upstream: {service: {name: todo}}, validation: {request: {enabled: true}}}
paths:
  /todos:
    get:
      parameters: [{name: limit, in: query, schema: {type: integer}}]
      responses: {"200": {description: Todos.}}
`;
  const named = { spec: { fleet: { name: "own" }, openapi: checked.replace("integer", "boolean") } };
  using mocks = start();
  mocks.fleets.set(fleet("edge", true), fleet("other", false));
  mocks.apis.set(api("todo", checked), api("named", "", 1, named));
  mocks.apis.sync();
  mocks.fleets.sync();
  await mocks.ready;
  assert.deepEqual(await statuses(), {
    "fleets/edge": 400,
    "fleets/other": 503,
    "shop/own": 200,
    "default/default": 503,
  });
  mocks.fleets.set(fleet("other", true), fleet("edge", false));
  await mocks.said(/answered anew/);
  assert.deepEqual(await statuses(), {
    "fleets/edge": 503,
    "fleets/other": 400,
    "shop/own": 200,
    "default/default": 503,
  });
  mocks.fleets.delete(fleet("other", true));
  while ((await statuses())["default/default"] === 503) await new Promise((resolve) => setTimeout(resolve, 1));

  async function statuses(): Promise<Record<string, number>> {
    const check = createClusterCheck((fleet) => mocks.checkOf(fleet));
    const fleets = ["fleets/edge", "fleets/other", "shop/own", "default/default"];
    return Object.fromEntries(
      await Promise.all(fleets.map(async (fleet) => {
        const { response } = await check(new Request(`http://localhost/check/${fleet}/todos?limit=true`), CLIENT);
        return [fleet, response.status] as const;
      })),
    );
  }
});
