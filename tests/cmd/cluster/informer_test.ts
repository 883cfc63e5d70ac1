import assert from "node:assert/strict";
import { type KubeClient, KubeError, type ObjectList, type WatchEvent } from "../../../cmd/cluster/client.ts";
import { createInformer, type Informer } from "../../../cmd/cluster/informer.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";

const TYPE = { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" };

Deno.test("an informer has the objects of a list, and the changes of a watch from there on", async () => {
  const server = createServer([{ items: [object("a", 1), object("b", 2)], resourceVersion: "5" }]);
  await using following = follow(server);
  const { informer, changes } = following;
  assert.equal(informer.isSynced, false);
  await informer.synced;
  assert.deepEqual(names(informer), ["a", "b"]);
  const watch = await server.watched();
  assert.equal(watch.resourceVersion, "5");
  watch.tell("ADDED", object("c", 6));
  watch.tell("MODIFIED", object("a", 7));
  watch.tell("DELETED", object("b", 8));
  assert.deepEqual(names(informer), ["a", "c"]);
  assert.equal(informer.get("default", "a")?.metadata.resourceVersion, "7");
  assert.deepEqual(changes, ["set a1", "set b2", "set c6", "set a7", "deleted b8"]);
  assert.equal(informer.revision, 5);
});

Deno.test("an informer gives the same list until something changes", async () => {
  const server = createServer([{ items: [object("a", 1)], resourceVersion: "1" }]);
  await using following = follow(server);
  const { informer } = following;
  await informer.synced;
  const before = informer.list();
  assert.equal(informer.list(), before);
  (await server.watched()).tell("MODIFIED", object("a", 2));
  assert.notEqual(informer.list(), before);
});

Deno.test("an informer reads long lists page by page", async () => {
  const server = createServer([
    { items: [object("a", 1)], resourceVersion: "3", continue: "x" },
    { items: [object("b", 2)], resourceVersion: "3" },
  ]);
  await using following = follow(server);
  await following.informer.synced;
  assert.deepEqual(names(following.informer), ["a", "b"]);
  assert.deepEqual(server.queries.map((query) => query["continue"]), [undefined, "x"]);
});

Deno.test("an informer watches on from the resourceVersion of the last event or bookmark", async () => {
  const server = createServer([{ items: [], resourceVersion: "5" }]);
  await using following = follow(server);
  const first = await server.watched();
  first.tell("ADDED", object("a", 6));
  first.tell("BOOKMARK", object("", 9));
  first.end();
  const second = await server.watched();
  assert.equal(second.resourceVersion, "9");
  assert.equal(server.queries.length, 1);
  assert.deepEqual(following.changes, ["set a6"]);
  assert.deepEqual(following.errors, []);
});

Deno.test("an informer lists anew when its resourceVersion has expired, and tells what has changed meanwhile", async () => {
  const server = createServer([
    { items: [object("a", 1), object("b", 2), object("c", 3)], resourceVersion: "5" },
    { items: [object("a", 1), object("c", 8), object("d", 9)], resourceVersion: "10" },
  ]);
  await using following = follow(server);
  const watch = await server.watched();
  following.changes.length = 0;
  watch.fail(new KubeError(410, "Expired", "too old resource version"));
  assert.equal((await server.watched()).resourceVersion, "10");
  assert.deepEqual(following.changes, ["deleted b2", "set c8", "set d9"]);
  assert.deepEqual(following.errors, []);
});

Deno.test("an informer keeps its objects while the server can't be reached, and tries again by itself", async () => {
  const away = new KubeError(0, "", "connection refused");
  const server = createServer([{ items: [object("a", 1)], resourceVersion: "5" }], [away, away]);
  await using following = follow(server);
  const { informer, errors } = following;
  const watch = await server.watched();
  watch.fail(away);
  assert.deepEqual(names(informer), ["a"]);
  const again = await server.watched();
  assert.equal(again.resourceVersion, "5");
  assert.deepEqual(errors, [away, away, away]);
  assert.deepEqual(names(informer), ["a"]);
});

Deno.test("an informer isn't synced before its first list is complete", async () => {
  const server = createServer([new KubeError(503, "", "starting"), { items: [object("a", 1)], resourceVersion: "1" }]);
  await using following = follow(server);
  await following.informer.synced;
  assert.deepEqual(names(following.informer), ["a"]);
  assert.equal(following.errors.length, 1);
});

Deno.test("a listener that throws stops neither the others nor the informer", async () => {
  const server = createServer([{ items: [], resourceVersion: "1" }]);
  await using following = follow(server);
  const { informer, errors, changes } = following;
  const forget = informer.onChange(() => {
    throw new Error("mine");
  });
  const watch = await server.watched();
  watch.tell("ADDED", object("a", 2));
  forget();
  watch.tell("ADDED", object("b", 3));
  assert.deepEqual(changes, ["set a2", "set b3"]);
  assert.deepEqual(errors.map(String), ["Error: mine"]);
});

Deno.test("an informer drops managedFields", async () => {
  const written = object("a", 1);
  written.metadata["managedFields"] = [{ manager: "kubectl" }];
  const server = createServer([{ items: [written], resourceVersion: "1" }]);
  await using following = follow(server);
  await following.informer.synced;
  assert.equal(following.informer.get("default", "a")?.metadata["managedFields"], undefined);
});

/** Starts an informer, and records its events. */
function follow(server: Pick<KubeClient, "list" | "watch">): AsyncDisposable & {
  informer: Informer;
  changes: string[];
  errors: unknown[];
} {
  const changes: string[] = [];
  const errors: unknown[] = [];
  const informer = createInformer(server, TYPE, { onError: (error) => errors.push(error) });
  informer.onChange(({ metadata: { name, resourceVersion } }, kind) =>
    void changes.push(`${kind} ${name}${resourceVersion}`)
  );
  return {
    informer,
    changes,
    errors,
    async [Symbol.asyncDispose]() {
      informer.stop();
      await Promise.resolve();
    },
  };
}

interface Watch {
  readonly resourceVersion: string;
  tell(type: WatchEvent["type"], object: KubernetesObject): void;
  end(): void;
  fail(error: Error): void;
}

/**
 * A server with the given lists, one for each list request. The test sends the events of its watches.
 *
 * @param refusals The errors with which the second watch and later ones fail, in order.
 */
function createServer(lists: (ObjectList | Error)[], refusals: Error[] = []) {
  const queries: Readonly<Record<string, string>>[] = [];
  const begun: Watch[] = [];
  let next = Promise.withResolvers<void>();
  let isFirst = true;
  return {
    queries,
    list(_type: unknown, _namespace: string, query: Readonly<Record<string, string>> = {}): Promise<ObjectList> {
      queries.push(query);
      const list = lists.shift() ?? new Error("There is no further list.");
      return list instanceof Error ? Promise.reject(list) : Promise.resolve(list);
    },
    watch: ((_type, _namespace, { resourceVersion, signal }, listener) => {
      const refusal = isFirst ? undefined : refusals.shift();
      isFirst = false;
      if (refusal !== undefined) return Promise.reject(refusal);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      signal.addEventListener("abort", () => resolve());
      begun.push({
        resourceVersion,
        tell: (type, object) => listener({ type, object }),
        end: resolve,
        fail: reject,
      });
      next.resolve();
      return promise;
    }) satisfies KubeClient["watch"],
    /** Resolves when a further watch is started. */
    async watched(): Promise<Watch> {
      for (;;) {
        const watch = begun.shift();
        if (watch !== undefined) return watch;
        next = Promise.withResolvers<void>();
        await next.promise;
      }
    },
  };
}

function object(name: string, version: number): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", resourceVersion: String(version) },
  };
}

function names(informer: Informer): string[] {
  return informer.list().map(({ metadata: { name } }) => name).sort();
}
