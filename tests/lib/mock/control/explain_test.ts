import assert from "node:assert/strict";
import type { Explanation } from "../../../../lib/mock/explain/explanation.ts";
import { createControlled } from "./controlled.ts";

Deno.test("POST explain tells why a described request gets its answer, in the session that it names", async () => {
  const ask = await createControlled({ validate: "error", journal: 10 });
  await ask("POST /_gw/s/a/_gw/rules", "GET /status: 503");
  const explained = async (line: string, described: unknown): Promise<Explanation["outcome"]> => {
    const response = await ask(line, described);
    assert.equal(response.status, 200);
    return (await response.json()).outcome;
  };
  const cases: readonly [line: string, described: unknown, decidedBy: string, status: number, reason: RegExp][] = [
    ["POST /_gw/explain", { path: "/statuz" }, "route", 404, /"statuz"/],
    ["POST /_gw/explain", { path: "/status" }, "content", 200, /example/],
    ["POST /_gw/s/a/_gw/explain", { path: "/status" }, "rules", 503, /status is 503/],
    ["POST /_gw/explain?session=a", { path: "/status" }, "rules", 503, /status is 503/],
    ["POST /_gw/explain", { path: "/status", headers: { "X-Gw-Session": "a" } }, "rules", 503, /503/],
    ["POST /_gw/explain", { path: "/_gw/s/a/status" }, "rules", 503, /503/],
    ["POST /_gw/explain", { method: "post", path: "/pets", body: { name: "" } }, "validation", 422, /name/],
    ["POST /_gw/explain", { method: "POST", path: "/pets", body: '{"name"' }, "validation", 415, /text\/plain/],
    ["POST /_gw/explain", { method: "POST", path: "/pets", body: { id: 9, name: "Tom" } }, "content", 201, /create/],
    ["POST /_gw/explain", { path: "http://localhost/pets/1" }, "content", 200, /pets as read/],
  ];
  for (const [line, described, decidedBy, status, reason] of cases) {
    const outcome = await explained(line, described);
    assert.deepEqual([outcome.decidedBy, outcome.status], [decidedBy, status], outcome.reason);
    assert.match(outcome.reason, reason);
  }
  assert.equal((await (await ask("GET /_gw/requests")).json()).total, 0);
  assert.equal((await (await ask("GET /_gw/state/pets")).json()).length, 3);
});

Deno.test("POST explain refuses what is no request", async () => {
  const ask = await createControlled();
  for (
    const described of [
      {},
      { path: "pets" },
      { path: "ftp://localhost/pets" },
      { path: "/pets", method: "CONNECT" },
      { path: "/pets", method: "a b" },
      { path: "/pets", headers: { "a b": "c" } },
      { path: "/pets", headers: { a: "b\nc: d" } },
      { path: "/pets", headers: { a: "\u1000" } },
      { path: "http://:x/" },
      { path: "/pets", other: 1 },
    ]
  ) {
    const response = await ask("POST /_gw/explain", described);
    assert.equal(response.status, 422, JSON.stringify(described));
    await response.body?.cancel();
  }
});

Deno.test("POST explain says that a GET request has no body", async () => {
  const ask = await createControlled();
  const { outcome, notes } = await (await ask("POST /_gw/explain", { path: "/pets", body: {} })).json();
  assert.equal(outcome.status, 200);
  assert.deepEqual(notes, ["The body is left out: a GET request has none."]);
});

Deno.test("GET requests/{id}/explain compares the answer that a request got with the one that it would get now", async () => {
  const ask = await createControlled({ journal: 10 });
  assert.equal((await ask("GET /pets/1")).status, 200);
  const explain = async (id: number): Promise<Explanation> =>
    await (await ask(`GET /_gw/requests/${id}/explain`)).json();
  assert.deepEqual((await explain(1)).recorded, { id: 1, status: 200, source: "state", differs: false });
  await ask("DELETE /pets/1");
  const { recorded, outcome } = await explain(1);
  assert.deepEqual(recorded, { id: 1, status: 200, source: "state", differs: true });
  assert.equal(outcome.status, 404);
  assert.equal((await ask("GET /_gw/requests/99/explain")).status, 404);
  assert.equal((await ask("GET /_gw/requests/x/explain")).status, 404);
});

Deno.test("GET requests/{id}/explain shows no secrets unless the query asks for them", async () => {
  const ask = await createControlled({ journal: 10, validate: "warn" });
  const secret = "s3cr3t-password-of-mine";
  await (await ask("POST /pets", { name: 7, password: secret }, {
    "x-gw-session": "a",
    authorization: `Bearer ${secret}`,
  }))
    .text();
  await ask(`GET /petz?token=${secret}`, undefined, { "x-gw-session": "a" });
  for (const id of [1, 2]) {
    const redacted = await (await ask(`GET /_gw/requests/${id}/explain?session=a`)).text();
    assert.ok(!redacted.includes(secret), redacted);
  }
  assert.match(await (await ask("GET /_gw/requests/2/explain?session=a&secrets=shown")).text(), /s3cr3t/);
});

Deno.test("GET requests/{id}/explain says what of a request wasn't recorded", async () => {
  const ask = await createControlled({ journal: 10 });
  const name = "x".repeat(100_000);
  await (await ask("POST /pets", { name })).text();
  const { notes } = await (await ask("GET /_gw/requests/1/explain")).json();
  assert.deepEqual(notes, [`Only the first 65536 of ${name.length + 11} bytes of the body were recorded.`]);
});
