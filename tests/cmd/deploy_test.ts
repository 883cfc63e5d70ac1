import assert from "node:assert/strict";
import { explainConditions, readWait, waitUntilServed } from "../../cmd/remote/deploy_wait.ts";
import type { ClientReply } from "../../cmd/io/gateway/management_client.ts";
import { createFolder } from "./definitions.ts";
import { askServe, definition, startServe } from "./serve_process.ts";

Deno.test("gw deploy says when nothing changes, and refuses what came from another file", async (t) => {
  await using folder = await createFolder();
  await using gw = await startServe();
  const long = "a".repeat(63);
  const files = ["pets_v1.json", "pets.v1.json", `${long}-one.json`, `${long}-two.json`];
  for (const [index, file] of files.entries()) {
    await Deno.writeTextFile(`${folder.path}/${file}`, definition(`pets${index}`));
  }
  const deploy = (file: string, ...args: string[]) => askServe(gw, ["deploy", `${folder.path}/${file}`, ...args]);

  for (const [first = "", second = "", name] of [[files[0], files[1], "pets-v1"], [files[2], files[3], long]]) {
    await t.step(`${first} and ${second}`, async () => {
      assert.match((await deploy(first)).stdout, new RegExp(`^Created api default/${name} `));
      assert.match((await deploy(first)).stdout, new RegExp(`^Unchanged: api default/${name} `));
      const refused = await deploy(second);
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /was deployed from .*--name NAME/);
      assert.match((await deploy(first)).stdout, /^Unchanged:/);
      assert.match((await deploy(second, "--name", "other")).stdout, /^Created api default\/other /);
      assert.match((await deploy(second, "--name", "other")).stdout, /^Unchanged: api default\/other /);
      await askServe(gw, ["delete", "api", "other"]);
      assert.match((await deploy(second, "--name", `${name}`)).stdout, new RegExp(`^Replaced api default/${name} `));
      assert.equal((await deploy(first)).code, 1);
    });
  }
  await t.step("a dry run changes nothing", async () => {
    await Deno.writeTextFile(`${folder.path}/own.json`, definition("own"));
    assert.match((await deploy("own.json")).stdout, /^Created/);
    assert.match((await deploy("own.json", "--dry-run")).stdout, /^Could replace/);
  });
  await t.step("on a laptop --wait has nothing to wait for", async () => {
    const waited = await deploy("own.json", "--wait", "10m");
    assert.deepEqual([waited.code, waited.stderr], [0, ""]);
    assert.equal((await deploy("own.json", "--wait", "soon")).code, 2);
  });
});

Deno.test("waitUntilServed() waits for the conditions of the present generation", async (t) => {
  const condition = (type: string, status: string, observedGeneration = 2) => (
    { type, status, observedGeneration, reason: "Pending", message: `${type} it is.`, lastTransitionTime: "" }
  );
  const ready = [condition("Accepted", "True"), condition("Programmed", "True")];
  const stale = [condition("Accepted", "True", 1), condition("Programmed", "True", 1)];
  const pending = [condition("Accepted", "True"), condition("Programmed", "False")];
  const refused = [condition("Accepted", "False"), condition("Programmed", "False")];
  const bodyOf = (conditions: unknown): unknown => ({ metadata: { generation: 2 }, status: { conditions } });
  interface Case {
    name: string;
    bodies: readonly unknown[];
    most: number;
    kind: "served" | "not-served";
    asked: number;
    says?: RegExp;
  }
  const cases: readonly Case[] = [
    { name: "a laptop", bodies: [{ metadata: { name: "a" } }], most: 9_000, kind: "served", asked: 1 },
    { name: "served already", bodies: [bodyOf(ready)], most: 9_000, kind: "served", asked: 1 },
    { name: "served after a while", bodies: [bodyOf(stale), bodyOf(ready)], most: 9_000, kind: "served", asked: 2 },
    {
      name: "refused",
      bodies: [bodyOf(refused)],
      most: 9_000,
      kind: "not-served",
      asked: 1,
      says: /Accepted is False/,
    },
    {
      name: "not served in time",
      bodies: [bodyOf(pending)],
      most: 0,
      kind: "not-served",
      asked: 1,
      says: /^! Programmed is False \(Pending\): Programmed it is\.\n$/,
    },
    {
      name: "no status yet",
      bodies: [bodyOf(undefined)],
      most: 0,
      kind: "not-served",
      asked: 1,
      says: /No controller/,
    },
  ];
  for (const { name, bodies, most, kind, asked, says } of cases) {
    await t.step(name, async () => {
      let count = 0;
      const client = (): Promise<ClientReply> =>
        Promise.resolve({
          status: 200,
          body: bodies[count++],
          text: "",
          warnings: [],
          servedAt: [],
          etag: null,
          source: undefined,
        });
      const served = await waitUntilServed(client, "/apis/a/b", most);
      assert.deepEqual([served.kind, count], [kind, asked]);
      if (served.kind === "not-served" && says !== undefined) assert.match(explainConditions(served.conditions), says);
    });
  }
});

Deno.test("readWait() reads times", () => {
  const cases: [string, number | undefined][] = [
    ["60s", 60_000],
    ["2m", 120_000],
    ["500ms", 500],
    ["1.5s", 1500],
    ["0", 0],
    ["60", undefined],
    ["2h", undefined],
    ["", undefined],
    ["61m", undefined],
    ["-1s", undefined],
  ];
  for (const [written, want] of cases) {
    if (want === undefined) assert.throws(() => readWait(written), RangeError, written);
    else assert.equal(readWait(written), want);
  }
});
