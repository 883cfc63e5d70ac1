import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openSqliteStore } from "../../../../cmd/io/gateway/sqlite_store.ts";
import { migrate, SCHEMA_VERSION } from "../../../../cmd/io/gateway/sqlite_store.ts";
import type { AnyResource } from "../../../../lib/gateway/resource.ts";
import type { Store } from "../../../../lib/management/store.ts";
import type { StoreError } from "../../../../lib/gateway/store_error.ts";
import { createFolder } from "../../definitions.ts";
import { CASE_TIME, testStore } from "../../../lib/management/store_contract.ts";

testStore("the SQLite store", async (test) => {
  await using folder = await createFolder();
  const { store, close } = open(`${folder.path}/gw.db`, () => CASE_TIME);
  await test(store);
  close();
});

Deno.test("a SQLite store keeps its resources over a restart", async () => {
  await using folder = await createFolder();
  const path = `${folder.path}/gw.db`;
  const first = open(path);
  await first.store.apply([create("edge"), create("inner"), create("gone")]);
  await first.store.apply([{ kind: "update", resource: fleet("edge", 9000) }, remove("gone")]);
  const before = await contents(first.store);
  const { revision } = first.store;
  first.close();

  const second = open(path);
  assert.deepEqual(await contents(second.store), before);
  assert.equal(second.store.revision, revision);
  // A resource that is created again has a version that the deleted one never had.
  const [again] = await second.store.apply([create("gone")]);
  assert.equal(Number(again?.version), revision + 1);
  second.close();
});

Deno.test("a SQLite store is refused to a second user, and free again after the first", async () => {
  await using folder = await createFolder();
  const path = `${folder.path}/gw.db`;
  const first = open(path);
  assert.match(refusalOf(path), /^Another process uses the store .*gw\.db\. Stop that one, or choose another folder/);
  await first.store.apply([create("edge")]);
  assert.match(refusalOf(path), /^Another process uses/);
  first.close();
  open(path).close();
});

Deno.test("a damaged file is refused with a clear message, and stays as it is", async (t) => {
  await using folder = await createFolder();
  const good = `${folder.path}/good.db`;
  const { store, close } = open(good);
  await store.apply(Array.from({ length: 200 }, (_, index) => create(`fleet-${index}`)));
  close();
  const bytes = await Deno.readFile(good);
  const cases: { name: string; damage: (bytes: Uint8Array) => Uint8Array }[] = [
    { name: "another kind of file", damage: () => new TextEncoder().encode("openapi: 3.1.0\n".repeat(1000)) },
    { name: "cut short", damage: (bytes) => bytes.slice(0, bytes.length - 6000) },
    { name: "pages overwritten", damage: (bytes) => bytes.map((byte, index) => index > 5000 ? 0xaa : byte) },
    { name: "head overwritten", damage: (bytes) => bytes.map((byte, index) => index < 100 ? 0 : byte) },
  ];
  for (const { name, damage } of cases) {
    await t.step(name, async () => {
      const path = `${folder.path}/${name}.db`;
      const damaged = damage(bytes);
      await Deno.writeFile(path, damaged);
      assert.match(refusalOf(path), /is damaged, and was left as it is/);
      assert.deepEqual(await Deno.readFile(path), damaged);
    });
  }
});

Deno.test("a file with a broken row is refused with the row and the place, and its rows stay as they are", async (t) => {
  await using folder = await createFolder();
  const path = `${folder.path}/gw.db`;
  const { store, close } = open(path);
  const selector = { matchExpressions: [{ key: "team", operator: "Exists" as const }] };
  const allowedNamespaces = { from: "Selector" as const, selector };
  const edge = fleet("edge");
  await store.apply([{ kind: "create", resource: { ...edge, spec: { ...edge.spec, allowedNamespaces } } }, {
    kind: "create",
    resource: {
      kind: "api",
      namespace: "default",
      name: "pets",
      spec: {
        fleet: { namespace: "default", name: "edge" },
        openapi: "openapi: 3.1.0",
        summary: {
          version: "1",
          service: { namespace: "", name: "" },
          analysisUrl: "",
          upstreams: [{ namespace: "default", name: "backend", port: 80 }],
        },
      },
    },
  }]);
  close();
  const bytes = await Deno.readFile(path);
  const set = (kind: string, place: string, value: string): string =>
    `UPDATE resource SET spec = json_set(spec, '${place}', ${value}) WHERE kind = '${kind}'`;
  const cases: { edit: string; want: string }[] = [
    {
      edit: `UPDATE resource SET spec = '{"fleet": {' WHERE kind = 'api'`,
      want:
        "api default/pets: spec is not JSON: Expected property name or '}' in JSON at position 11 (line 1 column 12)",
    },
    {
      edit: "UPDATE resource SET spec = 'null' WHERE kind = 'fleet'",
      want: "fleet default/edge: spec must be an object",
    },
    { edit: "UPDATE resource SET spec = '{}' WHERE kind = 'api'", want: "api default/pets: spec/fleet is missing" },
    { edit: set("api", "$.openapi", "1"), want: "api default/pets: spec/openapi must be a string" },
    { edit: set("api", "$.summary.upstreams", "'x'"), want: "spec/summary/upstreams must be an array" },
    {
      edit: set("api", "$.summary.upstreams[0].port", "'80'"),
      want: "spec/summary/upstreams/0/port must be a number from 0 to 65535",
    },
    { edit: set("fleet", "$.ports[0].port", "70000"), want: "spec/ports/0/port must be a number from 0 to 65535" },
    { edit: set("fleet", "$.serviceType", "''"), want: "spec/serviceType must be one of ClusterIP, LoadBalancer" },
    {
      edit: set("fleet", "$.allowedNamespaces.selector.matchExpressions[0].values", "1"),
      want: "spec/allowedNamespaces/selector/matchExpressions/0/values must be an array",
    },
    { edit: "UPDATE resource SET kind = 'apis' WHERE kind = 'api'", want: "apis default/pets: kind must be one of" },
    {
      edit: "UPDATE resource SET version = 'x' WHERE kind = 'api'",
      want: "api default/pets: version must be a number",
    },
    { edit: "DELETE FROM counter", want: "the revision in the table counter is missing; it must be 2 or more" },
    { edit: "UPDATE counter SET value = 1", want: "the revision in the table counter is 1; it must be 2 or more" },
  ];
  for (const { edit, want } of cases) {
    await t.step(edit, async () => {
      await Deno.writeFile(path, bytes);
      edited(path, edit);
      const before = rowsOf(path);
      const message = refusalOf(path);
      assert.ok(message.includes(want), message);
      assert.match(
        message,
        /^Cannot read the store .*gw\.db, which was left as it is: .*\. Correct the rows, put a backup/,
      );
      assert.deepEqual(rowsOf(path), before);
    });
  }
});

Deno.test("a file without a table is refused as damaged, and stays as it is", async (t) => {
  await using folder = await createFolder();
  for (const table of ["resource", "counter"]) {
    await t.step(table, () => {
      const path = `${folder.path}/${table}.db`;
      open(path).close();
      edited(path, `DROP TABLE ${table}`);
      const want = `is damaged, and was left as it is: no such table: ${table}. Put a backup in its place`;
      const message = refusalOf(path);
      assert.ok(message.includes(want), message);
      using database = new DatabaseSync(path);
      assert.equal(database.prepare("SELECT name FROM sqlite_schema WHERE name = ?").get(table), undefined);
    });
  }
});

Deno.test("a file of a later version is refused", async () => {
  await using folder = await createFolder();
  const path = `${folder.path}/gw.db`;
  open(path).close();
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  database.close();
  assert.match(refusalOf(path), /a later gw has written it \(it has version \d+, this gw knows \d+ at most\)/);
});

Deno.test("migrate() goes on from the version that a file has", () => {
  using database = new DatabaseSync(":memory:");
  const steps = ["CREATE TABLE a (x);", "INSERT INTO a VALUES (1);"];
  migrate(database, steps.slice(0, 1));
  migrate(database, steps);
  migrate(database, steps);
  assert.deepEqual(database.prepare("SELECT x FROM a").all().map((row) => row["x"]), [1]);
});

Deno.test("a full disk refuses a change as a whole, and the store stays as it was", async () => {
  await using folder = await createFolder();
  const opened = openSqliteStore({ path: `${folder.path}/gw.db`, now: () => 0, mostPages: 30 });
  assert.ok(opened.kind === "open");
  const { store, close } = opened;
  await store.apply([create("edge")]);
  const large = { ...fleet("large"), spec: { serviceType: "ClusterIP" as const, ports: ports(5000) } };
  await assert.rejects(
    store.apply([create("inner"), { kind: "create", resource: large }]),
    (error: StoreError) => error.reason === "full" && error.message.includes("There is no room left"),
  );
  assert.deepEqual((await store.list("fleet")).items.map(({ name }) => name), ["edge"]);
  // After the failure, a smaller change that fits on the disk succeeds.
  await store.apply([create("inner")]);
  close();
  const again = open(`${folder.path}/gw.db`);
  assert.deepEqual((await again.store.list("fleet")).items.map(({ name }) => name), ["edge", "inner"]);
  again.close();
});

Deno.test("kill -9 during writes loses no acknowledged change, and the store opens", async () => {
  await using folder = await createFolder();
  const path = `${folder.path}/gw.db`;
  const acknowledged = new Set<string>();
  for (let round = 0; round < 4; round++) {
    await writeUntilKilled(path, `round-${round}`, acknowledged);
    const { store, close } = open(path);
    const kept = new Set((await store.list("fleet")).items.map(({ name }) => name));
    assert.ok(acknowledged.isSubsetOf(kept));
    close();
  }
});

/**
 * Starts a process that creates fleets one after the other, and kills it after 20 lines of output. Adds the
 * acknowledged names.
 */
async function writeUntilKilled(path: string, prefix: string, acknowledged: Set<string>): Promise<void> {
  const writer = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", `${import.meta.dirname}/store_writer.ts`, path, prefix],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let rest = "";
  let lines = 0;
  for await (const chunk of writer.stdout.pipeThrough(new TextDecoderStream())) {
    const names = (rest + chunk).split("\n");
    rest = names.pop() ?? "";
    for (const name of names) acknowledged.add(name);
    lines += names.length;
    if (lines >= 20) {
      try {
        writer.kill("SIGKILL");
      } catch {
        // The process has ended already. Its output is still read to the end.
      }
    }
  }
  assert.equal((await writer.status).signal, "SIGKILL");
}

function open(path: string, now = () => 0): { store: Store; close: () => void } {
  const opened = openSqliteStore({ path, now });
  assert.ok(opened.kind === "open", opened.kind === "refused" ? opened.message : "");
  return opened;
}

function refusalOf(path: string): string {
  const opened = openSqliteStore({ path, now: () => 0 });
  assert.ok(opened.kind === "refused");
  return opened.message;
}

function fleet(name: string, port = 8080): Extract<AnyResource, { kind: "fleet" }> {
  return { kind: "fleet", namespace: "default", name, spec: { serviceType: "ClusterIP", ports: ports(1, port) } };
}

function ports(count: number, port = 8080): Extract<AnyResource, { kind: "fleet" }>["spec"]["ports"] {
  return Array.from({ length: count }, () => ({ name: "http", nodePort: 0, port, protocol: "TCP", targetPort: 0 }));
}

function create(name: string): { kind: "create"; resource: AnyResource } {
  return { kind: "create", resource: fleet(name) };
}

function remove(name: string): { kind: "delete"; resource: AnyResource } {
  return { kind: "delete", resource: fleet(name) };
}

async function contents(store: Store): Promise<unknown> {
  return (await store.list("fleet")).items;
}

/** Edits a store by SQL, as another program would. */
function edited(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

function rowsOf(path: string): unknown[] {
  using database = new DatabaseSync(path);
  return [database.prepare("SELECT * FROM resource").all(), database.prepare("SELECT * FROM counter").all()];
}
