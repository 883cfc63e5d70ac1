import assert from "node:assert/strict";
import type { GatewayResourceKind } from "../../../lib/gateway/resource.ts";
import type { AnyResource } from "../../../lib/gateway/resource.ts";
import type { Change, Store } from "../../../lib/management/store.ts";
import { StoreError } from "../../../lib/gateway/store_error.ts";

/** How a store may differ from others. */
export interface Traits {
  /** A pattern of creation times. Default: exactly {@linkcode CASE_TIME}. */
  created?: RegExp;
}

/**
 * Declares the tests that every store must pass. In them, a replacement always differs from the resource that it
 * replaces: stores may or may not count an equal one as a change.
 *
 * @param name The prefix of the tests' names.
 * @param open Calls the test with an empty store, and cleans up afterwards. The store's clock shows {@linkcode
 * CASE_TIME}, unless the traits allow another time.
 */
export function testStore(
  name: string,
  open: (test: (store: Store) => Promise<void>) => Promise<void>,
  { created = /^2026-01-02T03:04:05\.678Z$/ }: Traits = {},
): void {
  for (const [behaviour, test] of Object.entries(CASES)) {
    Deno.test(`${name} ${behaviour}`, () => open((store) => test(store, { created })));
  }
}

/** The time that the store's clock shows during a test. */
export const CASE_TIME = Date.parse("2026-01-02T03:04:05.678Z");

const CASES: Readonly<Record<string, (store: Store, traits: Required<Traits>) => Promise<void>>> = {
  "is empty at first": async (store) => {
    for (const kind of ["api", "fleet", "staticroute"] as const) {
      assert.deepEqual(await store.list(kind), { items: [] });
      assert.equal(await store.get(kind, "default", "todo"), undefined);
    }
    assert.deepEqual(await store.namespaces(), []);
  },

  "gives back what was put in": async (store, traits) => {
    for (const resource of [api("todo"), fleet("edge"), staticRoute("rest")]) {
      const [stored] = await store.apply([{ kind: "create", resource }]);
      assert.ok(stored);
      const { version, created, ...rest } = stored;
      assert.deepEqual(rest, resource);
      assert.notEqual(version, "");
      assert.match(created, traits.created);
      assert.deepEqual(await store.get(resource.kind, "default", resource.name), stored);
      assert.deepEqual(await store.list(resource.kind), { items: [stored] });
    }
  },

  "keeps the text of a definition to the letter": async (store) => {
    const openapi = '\ufeffopenapi: 3.1.0\r\n# "quoted" \u0000 \ud83d\ude00 {"a": 1}\n\n';
    await store.apply([{ kind: "create", resource: api("todo", { openapi }) }]);
    assert.equal((await store.get("api", "default", "todo"))?.spec.openapi, openapi);
  },

  "keeps a text of six megabytes": async (store) => {
    const openapi = "openapi: 3.1.0 # ä\n".repeat(320_000);
    await store.apply([{ kind: "create", resource: api("large", { openapi }) }]);
    assert.ok((await store.get("api", "default", "large"))?.spec.openapi === openapi);
  },

  "tells kinds and namespaces apart": async (store) => {
    await create(store, api("x"), fleet("x"), staticRoute("x"), api("x", { namespace: "other" }));
    assert.equal((await store.get("fleet", "default", "x"))?.kind, "fleet");
    assert.equal((await store.get("api", "other", "x"))?.namespace, "other");
    assert.equal(await store.get("fleet", "other", "x"), undefined);
    assert.deepEqual(await store.namespaces(), ["default", "other"]);
  },

  "lists in the order of namespace and name": async (store) => {
    await create(
      store,
      api("b"),
      api("a"),
      api("a-1"),
      api("a0"),
      api("z", { namespace: "default-2" }),
      api("y", { namespace: "a" }),
    );
    assert.deepEqual(await names(store, "api"), [
      "a/y",
      "default/a",
      "default/a-1",
      "default/a0",
      "default/b",
      "default-2/z",
    ]);
    assert.deepEqual(await names(store, "api", "default"), ["default/a", "default/a-1", "default/a0", "default/b"]);
    assert.deepEqual(await names(store, "api", "nowhere"), []);
  },

  "pages through a list": async (store) => {
    await create(store, ...["e", "d", "c", "b", "a"].map((name) => api(name)), api("f", { namespace: "other" }));
    const first = await store.list("api", { limit: 2 });
    assert.deepEqual(first.items.map(({ name }) => name), ["a", "b"]);
    assert.ok(first.continue);
    // The second page must be right even after the last item of the first page, and the item after that, were deleted.
    await store.apply([remove("api", "b"), remove("api", "c")]);
    const second = await store.list("api", { limit: 2, continue: first.continue });
    assert.deepEqual(second.items.map(({ name }) => name), ["d", "e"]);
    assert.ok(second.continue);
    const third = await store.list("api", { limit: 2, continue: second.continue });
    assert.deepEqual(third.items.map(({ name }) => name), ["f"]);
    assert.equal(third.continue, undefined);
  },

  "gives no further page after one that fits to the item": async (store) => {
    await create(store, api("a"), api("b"), api("c", { namespace: "other" }));
    assert.equal((await store.list("api", { namespace: "default", limit: 2 })).continue, undefined);
    assert.equal((await store.list("api", { limit: 3 })).continue, undefined);
  },

  "refuses a continue that no list has given": async (store) => {
    await create(store, api("a"));
    await refused("bad-continue", store.list("api", { continue: "nonsense" }));
  },

  "refuses to create what is there": async (store) => {
    await create(store, api("todo"));
    await refused("exists", store.apply([{ kind: "create", resource: api("todo") }]));
  },

  "updates, and leaves the time of creation": async (store) => {
    const [before] = await create(store, api("todo"));
    const resource = api("todo", { openapi: "changed" });
    const [after] = await store.apply([{ kind: "update", resource }]);
    assert.ok(before && after?.kind === "api");
    assert.equal(after.spec.openapi, "changed");
    assert.equal(after.created, before.created);
    assert.notEqual(after.version, before.version);
    assert.deepEqual(await store.get("api", "default", "todo"), after);
  },

  "refuses to update or delete what isn't there": async (store) => {
    await refused("missing", store.apply([{ kind: "update", resource: api("todo") }]));
    await refused("missing", store.apply([remove("api", "todo")]));
    await refused("missing", store.apply([{ kind: "update", resource: api("todo"), ifVersion: "1" }]));
  },

  "deletes, and gives what was deleted": async (store) => {
    const [stored] = await create(store, api("todo"));
    assert.deepEqual(await store.apply([remove("api", "todo")]), [stored]);
    assert.equal(await store.get("api", "default", "todo"), undefined);
    assert.deepEqual(await store.namespaces(), []);
  },

  "never gives a version twice": async (store) => {
    const versions: string[] = [];
    for (let round = 0; round < 3; round++) {
      versions.push(...(await create(store, api("todo"), api("other"))).map(({ version }) => version));
      const [updated] = await store.apply([{ kind: "update", resource: api("todo", { openapi: "changed" }) }]);
      versions.push(updated?.version ?? "");
      await store.apply([remove("api", "todo"), remove("api", "other")]);
    }
    assert.equal(new Set(versions).size, 9);
  },

  "changes only the version that is meant": async (store) => {
    const [first] = await create(store, api("todo"));
    assert.ok(first);
    const changed = api("todo", { openapi: "changed" });
    const [second] = await store.apply([{ kind: "update", resource: changed, ifVersion: first.version }]);
    assert.ok(second);
    await refused("stale", store.apply([{ kind: "update", resource: api("todo"), ifVersion: first.version }]));
    await refused("stale", store.apply([{ ...remove("api", "todo"), ifVersion: first.version }]));
    assert.deepEqual(await store.get("api", "default", "todo"), second);
    await store.apply([{ ...remove("api", "todo"), ifVersion: second.version }]);
  },

  "lets one of two updates of a version win": async (store) => {
    const [first] = await create(store, api("todo"));
    const updates = ["one", "other"].map((openapi): Change => (
      { kind: "update", resource: api("todo", { openapi }), ifVersion: first?.version ?? "" }
    ));
    const results = await Promise.allSettled(updates.map((update) => store.apply([update])));
    assert.deepEqual(results.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  },

  "makes all changes of a call or none": async (store) => {
    const [kept] = await create(store, api("kept"));
    await refused(
      "exists",
      store.apply([
        { kind: "create", resource: api("new") },
        remove("api", "kept"),
        { kind: "create", resource: fleet("edge") },
        { kind: "create", resource: fleet("edge") },
      ]),
    );
    assert.deepEqual(await store.list("api"), { items: [kept] });
    assert.deepEqual(await store.list("fleet"), { items: [] });
    await store.apply([{ kind: "create", resource: api("new") }, remove("api", "kept")]);
    assert.deepEqual(await names(store, "api"), ["default/new"]);
  },

  "makes the changes of a call in their order": async (store) => {
    await create(store, api("todo"));
    await store.apply([remove("api", "todo"), { kind: "create", resource: api("todo", { openapi: "again" }) }]);
    assert.equal((await store.get("api", "default", "todo"))?.spec.openapi, "again");
  },

  "tries without changing anything": async (store) => {
    const [before] = await create(store, api("todo"));
    const { revision } = store;
    const [tried] = await store.apply([{ kind: "update", resource: api("todo", { openapi: "x" }) }], { dryRun: true });
    assert.equal(tried?.kind === "api" ? tried.spec.openapi : "", "x");
    await store.apply([remove("api", "todo"), { kind: "create", resource: fleet("edge") }], { dryRun: true });
    await refused("exists", store.apply([{ kind: "create", resource: api("todo") }], { dryRun: true }));
    assert.deepEqual(await store.get("api", "default", "todo"), before);
    assert.deepEqual(await store.list("fleet"), { items: [] });
    assert.equal(store.revision, revision);
  },

  "has another revision after each change": async (store) => {
    const revisions = [store.revision];
    await create(store, api("todo"));
    revisions.push(store.revision);
    await store.apply([{ kind: "update", resource: api("todo", { openapi: "changed" }) }]);
    revisions.push(store.revision);
    await store.apply([remove("api", "todo")]);
    revisions.push(store.revision);
    assert.equal(new Set(revisions).size, 4);
    await store.apply([remove("api", "todo")]).catch(() => {});
    assert.equal(store.revision, revisions[3]);
  },

  "holds what nobody can change from outside": async (store) => {
    await create(store, fleet("edge"));
    const before = JSON.stringify(await store.get("fleet", "default", "edge"));
    const page = await store.list("fleet");
    page.items.length = 0;
    assert.equal(JSON.stringify(await store.get("fleet", "default", "edge")), before);
    assert.equal((await store.list("fleet")).items.length, 1);
  },
};

function create(store: Store, ...resources: AnyResource[]): ReturnType<Store["apply"]> {
  return store.apply(resources.map((resource) => ({ kind: "create", resource })));
}

function remove(kind: GatewayResourceKind, name: string): Extract<Change, { kind: "delete" }> {
  return { kind: "delete", resource: { kind, namespace: "default", name } };
}

async function names(store: Store, kind: GatewayResourceKind, namespace?: string): Promise<string[]> {
  const { items } = await store.list(kind, namespace === undefined ? {} : { namespace });
  return items.map(({ namespace, name }) => `${namespace}/${name}`);
}

async function refused(reason: StoreError["reason"], promise: Promise<unknown>): Promise<void> {
  await assert.rejects(promise, (error) => error instanceof StoreError && error.reason === reason);
}

const DEFAULT_FLEET = { name: "default", namespace: "default" };
const SUMMARY = {
  version: "1.0",
  service: { name: "todo", namespace: "default" },
  analysisUrl: "",
  upstreams: [{ name: "todo", namespace: "default", port: 80 }],
};

/**
 * A definition whose summary is {@linkcode SUMMARY}. A store may ignore the given summary, and make one from this text.
 */
const DEFINITION = `openapi: 3.1.0
info: {title: Todo, version: "1.0"}
x-svc: {upstream: {service: {name: todo}}}
paths: {/todos: {get: {responses: {default: {description: Anything.}}}}}
`;

function api(name: string, { namespace = "default", openapi = DEFINITION } = {}): AnyResource {
  return { kind: "api", namespace, name, spec: { fleet: DEFAULT_FLEET, openapi, summary: SUMMARY } };
}

function staticRoute(name: string): AnyResource {
  const spec = { fleet: DEFAULT_FLEET, openapi: DEFINITION, summary: SUMMARY };
  return { kind: "staticroute", namespace: "default", name, spec };
}

function fleet(name: string): AnyResource {
  const ports = [{ name: "http", nodePort: 0, port: 8080, protocol: "TCP", targetPort: 0 }];
  return { kind: "fleet", namespace: "default", name, spec: { serviceType: "LoadBalancer", ports } };
}
