import assert from "node:assert/strict";
import { DataPlane } from "../../../../cmd/io/gateway/data_plane.ts";
import type { AllowedNamespaces } from "../../../../lib/gateway/allowed_namespaces.ts";
import { planRoutes } from "../../../../lib/gateway/plan_routes.ts";
import { createMemoryStore } from "../../../../lib/management/memory_store.ts";
import type { AnyResource } from "../../../../lib/gateway/resource.ts";
import type { Store } from "../../../../lib/management/store.ts";
import { parseDocument } from "../../../../lib/openapi/document.ts";
import { definition } from "../../serve_process.ts";
import { freePort } from "../../../free_port.ts";

const FLEET = { namespace: "default", name: "edge" };
const SUMMARY = { version: "", service: { name: "", namespace: "" }, analysisUrl: "", upstreams: [] };

/** A data plane whose fleets answer every request with the names of their plans. */
function create(store: Store): { dataPlane: DataPlane; complaints: string[] } {
  const complaints: string[] = [];
  const dataPlane = new DataPlane({
    store,
    host: "127.0.0.1",
    createHandler: (_, plans) => () => new Response(plans.map(({ name }) => name).join()),
    complain: (message) => complaints.push(message),
  });
  return { dataPlane, complaints };
}

async function withDataPlane(
  test: (store: Store, dataPlane: DataPlane, complaints: string[]) => Promise<void>,
): Promise<void> {
  const store = createMemoryStore(() => 0);
  const { dataPlane, complaints } = create(store);
  try {
    await test(store, dataPlane, complaints);
  } finally {
    dataPlane.server.shutdown();
    await dataPlane.server.finished;
  }
}

function fleet(ports: readonly number[], name = FLEET.name): AnyResource {
  const spec = {
    serviceType: "ClusterIP" as const,
    ports: ports.map((port) => ({ name: "", nodePort: 0, port, protocol: "TCP", targetPort: 0 })),
  };
  return { kind: "fleet", namespace: "default", name, spec };
}

function api(name: string, openapi = definition(name)): AnyResource {
  return { kind: "api", namespace: "default", name, spec: { fleet: FLEET, openapi, summary: SUMMARY } };
}

async function ask(port: number): Promise<string> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/`)).text();
  } catch {
    return "nobody";
  }
}

Deno.test("a data plane listens on each port of a fleet, and no longer when they are gone", () =>
  withDataPlane(async (store, dataPlane) => {
    const [first, second] = [freePort(), freePort()];
    await store.apply([{ kind: "create", resource: fleet([first, second]) }, {
      kind: "create",
      resource: api("pets"),
    }]);
    await dataPlane.apply();
    assert.deepEqual([await ask(first), await ask(second)], ["pets", "pets"]);
    assert.deepEqual(dataPlane.addresses.map(({ port }) => port), [first, second]);
    await store.apply([{ kind: "update", resource: fleet([second]) }]);
    await dataPlane.apply();
    assert.deepEqual([await ask(first), await ask(second)], ["nobody", "pets"]);
    await store.apply([{ kind: "delete", resource: api("pets") }, { kind: "delete", resource: fleet([]) }]);
    await dataPlane.apply();
    assert.equal(await ask(second), "nobody");
    assert.equal(dataPlane.isReady, true);
  }));

Deno.test("a data plane swaps routes only of the fleet that changed, and plans only what changed", () =>
  withDataPlane(async (store, dataPlane) => {
    await store.apply([{ kind: "create", resource: fleet([freePort()]) }, { kind: "create", resource: api("pets") }]);
    await dataPlane.apply();
    const before = dataPlane.plansOf(FLEET);
    await dataPlane.apply();
    assert.equal(dataPlane.plansOf(FLEET), before);
    await store.apply([{ kind: "create", resource: api("users") }]);
    await dataPlane.apply();
    assert.equal(dataPlane.plansOf(FLEET)[0], before[0]);
    assert.deepEqual(dataPlane.plansOf(FLEET).map(({ name }) => name), ["pets", "users"]);
  }));

Deno.test("a data plane finds the plans that may exclude another one", () =>
  withDataPlane(async (store, dataPlane) => {
    const rivals = async (name: string): Promise<string[]> => {
      const document = await parseDocument(definition(name));
      const plan = planRoutes({ namespace: "default", name: "new", fleet: FLEET, document });
      return dataPlane.rivalsOf(plan).map(({ name }) => name);
    };
    await store.apply([{ kind: "create", resource: fleet([freePort()]) }, { kind: "create", resource: api("pets") }]);
    await dataPlane.apply();
    assert.deepEqual(await rivals("pets"), ["pets"]);
    assert.deepEqual(await rivals("other"), []);
    await store.apply([{ kind: "delete", resource: api("pets") }]);
    await dataPlane.apply();
    assert.deepEqual(await rivals("pets"), []);
  }));

Deno.test("a definition that can't be served stops no other, and is logged once with line and column", () =>
  withDataPlane(async (store, dataPlane, complaints) => {
    const port = freePort();
    await store.apply([
      { kind: "create", resource: fleet([port]) },
      { kind: "create", resource: api("broken", "openapi: 3.1.0\npaths: {/pets: [") },
      { kind: "create", resource: api("pets") },
      { kind: "create", resource: { ...api("zero", "\0"), namespace: "other" } },
    ]);
    await dataPlane.apply();
    await dataPlane.apply();
    assert.equal(await ask(port), "pets");
    assert.equal(dataPlane.isReady, true);
    const about = complaints.filter((message) => message.includes("broken"));
    assert.equal(about.length, 1, complaints.join("\n"));
    assert.match(about[0] ?? "", /^The api default\/broken can't be served, the others are\. .* 2:\d+: /);
    assert.equal(complaints.length, 2, complaints.join("\n"));
  }));

Deno.test("a port that is taken is logged, and the other fleets are served", () =>
  withDataPlane(async (store, dataPlane, complaints) => {
    await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response("other"));
    const { port: taken } = other.addr;
    const free = freePort();
    await store.apply([
      { kind: "create", resource: fleet([taken], "blocked") },
      { kind: "create", resource: fleet([free]) },
      { kind: "create", resource: api("pets") },
    ]);
    await dataPlane.apply();
    assert.equal(await ask(free), "pets");
    assert.equal(dataPlane.isReady, false);
    assert.match(
      complaints.join(),
      /^Fleet default\/blocked is not served on port \d+: Port \d+ is taken by another program\. Stop that program, or/,
    );
    await other.shutdown();
    await dataPlane.apply();
    assert.equal(dataPlane.isReady, true);
  }));

Deno.test("a data plane reserves all ports of a fleet or none, and releases them", () =>
  withDataPlane(async (_, dataPlane) => {
    const [port, second] = [freePort(), freePort()];
    assert.equal(dataPlane.reserve(FLEET, [port]), undefined);
    assert.equal(await ask(port), "");
    const refusal = dataPlane.reserve({ namespace: "default", name: "other" }, [second, port]);
    assert.match(refusal ?? "", new RegExp(`^Port ${port} can't be had: The fleet default/edge has it`));
    assert.equal(await ask(second), "nobody");
    dataPlane.release(FLEET);
    assert.equal(await ask(port), "nobody");
  }));

Deno.test("a port that another program has is listened on when that program is gone, without a change", async () => {
  const store = createMemoryStore(() => 0);
  const complaints: string[] = [];
  const listened = Promise.withResolvers<string>();
  const other = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  const { port } = other.addr;
  const dataPlane = new DataPlane({
    store,
    host: "127.0.0.1",
    createHandler: (_, plans) => () => new Response(plans.map(({ name }) => name).join()),
    complain: (message) => complaints.push(message),
    onListen: (_, url) => listened.resolve(url),
    retryAfter: 10,
  });
  await store.apply([{ kind: "create", resource: fleet([port]) }, { kind: "create", resource: api("pets") }]);
  await dataPlane.apply();
  assert.equal(dataPlane.isReady, false);
  assert.equal(complaints.length, 1);
  assert.match(complaints[0] ?? "", /tried again/);
  other.close();
  assert.equal(await listened.promise, `http://127.0.0.1:${port}`);
  assert.equal(await ask(port), "pets");
  assert.equal(dataPlane.isReady, true);
  dataPlane.server.shutdown();
  await dataPlane.server.finished;
});

Deno.test("A fleet serves only the namespaces that it admits, and says which it doesn't", async () => {
  await withDataPlane(async (store, dataPlane, complaints) => {
    const port = freePort();
    const { spec, ...rest } = fleet([port]);
    if (rest.kind !== "fleet" || !("ports" in spec)) throw new Error("no fleet");
    const own = api("own");
    const guest = { ...api("guest"), namespace: "shop" };
    await store.apply([{ kind: "create", resource: fleet([port]) }, { kind: "create", resource: own }, {
      kind: "create",
      resource: guest,
    }]);
    const answerBy = async (allowedNamespaces: AllowedNamespaces | undefined): Promise<string> => {
      const said = allowedNamespaces === undefined ? spec : { ...spec, allowedNamespaces };
      await store.apply([{ kind: "update", resource: { ...rest, kind: "fleet", spec: said } }]);
      await dataPlane.apply();
      return await ask(port);
    };
    const select = (name: string): AllowedNamespaces => ({
      from: "Selector",
      selector: { matchLabels: { "kubernetes.io/metadata.name": name } },
    });
    assert.equal(await answerBy(undefined), "own,guest");
    assert.equal(await answerBy({ from: "Same" }), "own");
    assert.equal(await answerBy({ from: "Same" }), "own");
    assert.equal(complaints.length, 1);
    assert.match(complaints[0] ?? "", /^The api shop\/guest isn't served\. The fleet default\/edge doesn't admit/);
    assert.equal(await answerBy(select("shop")), "guest");
    assert.equal(await answerBy({ from: "Selector", selector: { matchLabels: { team: "a" } } }), "");
    assert.equal(await answerBy({ from: "All" }), "own,guest");
  });
});

Deno.test("A resource that is created again, and again isn't admitted, is logged again", async () => {
  await withDataPlane(async (store, dataPlane, complaints) => {
    const { spec, ...rest } = fleet([freePort()]);
    if (rest.kind !== "fleet" || !("ports" in spec)) throw new Error("no fleet");
    const closed = { ...rest, kind: "fleet", spec: { ...spec, allowedNamespaces: { from: "Same" } } } as const;
    const guest = { ...api("guest"), namespace: "shop" };
    await store.apply([{ kind: "create", resource: closed }]);
    for (const count of [1, 2]) {
      await store.apply([{ kind: "create", resource: guest }]);
      await dataPlane.apply();
      assert.equal(complaints.length, count);
      await store.apply([{ kind: "delete", resource: guest }]);
      await dataPlane.apply();
    }
  });
});

Deno.test("Of two APIs that claim one path the older one is served, and the other one's status says so", async () => {
  let clock = 0;
  const store = createMemoryStore(() => clock += 1000);
  const { dataPlane, complaints } = create(store);
  try {
    const port = freePort();
    const { spec, ...rest } = fleet([port]);
    if (rest.kind !== "fleet" || !("ports" in spec)) throw new Error("no fleet");
    // By name, the younger one comes first.
    const older = { ...api("older", definition("same")), namespace: "zeta" };
    const younger = { ...api("younger", definition("same")), namespace: "alpha" };
    for (const resource of [fleet([port]), older, younger]) await store.apply([{ kind: "create", resource }]);
    await dataPlane.apply();
    await dataPlane.apply();
    assert.equal(await ask(port), "older");
    assert.deepEqual(complaints.length, 1);
    assert.match(
      complaints[0] ?? "",
      /^The api alpha\/younger isn't served\. GET \/same is taken by the API zeta\/older/,
    );
    assert.match(dataPlane.refusalOf(younger) ?? "", /That one is older/);
    assert.equal(dataPlane.refusalOf(older), undefined);
    // A new version of the older one is no conflict, one of the younger is.
    const plansOf = async (namespace: string, name: string): Promise<string[]> => {
      const document = await parseDocument(definition("same"));
      const plan = planRoutes({ namespace, name, fleet: FLEET, document });
      return dataPlane.rivalsOf(plan).map(({ name }) => name);
    };
    assert.deepEqual(await plansOf("zeta", "older"), ["older"]);
    assert.deepEqual(await plansOf("alpha", "younger"), ["older"]);
    await store.apply([{ kind: "delete", resource: older }]);
    await dataPlane.apply();
    assert.equal(await ask(port), "younger");
    assert.equal(dataPlane.refusalOf(younger), undefined);
  } finally {
    dataPlane.server.shutdown();
    await dataPlane.server.finished;
  }
});
