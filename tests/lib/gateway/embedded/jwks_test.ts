/** The keys of token issuers (JWKS): when they are fetched, and which requests wait for that. */
import assert from "node:assert/strict";
import type { JSONWebKeySet } from "jose";
import { KeySet } from "../../../../lib/gateway/embedded/jwks.ts";
import { serve } from "./fleet.ts";

const URI = "https://id.example/keys";
const MINUTE = 60_000;

/** An issuer whose responses and clock the test controls. */
class Issuer {
  time = 1_000_000;
  /** Requests for the keys that have no response yet. */
  readonly waiting: PromiseWithResolvers<Response>[] = [];
  asked = 0;
  /** The keys that the issuer sends at once; while `undefined`, requests for the keys wait. */
  keys: string | undefined = "first";

  readonly keySet: KeySet<JSONWebKeySet> = new KeySet(
    URI,
    { fetch: () => this.answer(), now: () => this.time },
    (keys) => keys,
  );

  answer(): Promise<Response> {
    this.asked++;
    if (this.keys !== undefined) return Promise.resolve(keysOf(this.keys));
    const question = Promise.withResolvers<Response>();
    this.waiting.push(question);
    return question.promise;
  }

  /** Ends all waiting requests with a timeout. */
  timeOut(): void {
    this.time += 5_000;
    for (const { reject } of this.waiting.splice(0)) reject(new Error("timed out"));
  }

  async name(): Promise<string | undefined> {
    return nameOf(await this.keySet.keys());
  }
}

function keysOf(name: string): Response {
  return Response.json({ keys: [{ kty: "oct", kid: name }] });
}

function nameOf(keys: JSONWebKeySet | undefined): string | undefined {
  return keys?.keys[0]?.kid;
}

Deno.test("KeySet fetches the keys once for concurrent requests", async () => {
  const issuer = new Issuer();
  assert.deepEqual(await Promise.all([issuer.name(), issuer.name(), issuer.name()]), ["first", "first", "first"]);
  issuer.time += 4 * MINUTE;
  assert.equal(await issuer.name(), "first");
  assert.equal(issuer.asked, 1);
});

Deno.test("KeySet renews its keys in the background", async () => {
  const issuer = new Issuer();
  await issuer.name();
  issuer.time += 6 * MINUTE;
  issuer.keys = undefined;
  assert.equal(await issuer.name(), "first");
  assert.equal(await issuer.name(), "first");
  assert.equal(issuer.asked, 2);
  issuer.waiting[0]?.resolve(keysOf("second"));
  while (await issuer.name() !== "second") await new Promise((resolve) => setTimeout(resolve));
  assert.equal(issuer.asked, 2);
});

Deno.test("KeySet fails at once after a slow failure, until the issuer answers", async () => {
  const issuer = new Issuer();
  issuer.keys = undefined;
  const first = assert.rejects(issuer.name(), /timed out/);
  issuer.timeOut();
  await first;
  for (let request = 0; request < 20; request++) {
    await assert.rejects(issuer.name(), /timed out/);
    issuer.time += 100;
  }
  assert.equal(issuer.asked, 2);
  issuer.waiting[0]?.resolve(keysOf("second"));
  let name: string | undefined;
  while (name === undefined) {
    name = await issuer.name().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert.equal(name, "second");
});

Deno.test("KeySet keeps old keys in use while the issuer hangs, for unknown keys too", async () => {
  const issuer = new Issuer();
  await issuer.name();
  issuer.time += 11 * MINUTE;
  issuer.keys = undefined;
  const waited = issuer.name();
  issuer.timeOut();
  assert.equal(await waited, "first");
  for (let request = 0; request < 20; request++) {
    const keys = await issuer.keySet.keys();
    assert.equal(nameOf(keys), "first");
    assert.equal(await issuer.keySet.newer(keys), undefined);
    issuer.time += 500;
  }
});

Deno.test("KeySet finds changed keys in spite of many unknown keys", async () => {
  const issuer = new Issuer();
  for (let second = 0; second < 60; second++) {
    for (let attempt = 0; attempt < 100; attempt++) {
      const keys = await issuer.keySet.keys();
      await issuer.keySet.newer(keys);
    }
    issuer.time += 1_000;
  }
  assert.ok(issuer.asked <= 25, `the issuer was asked ${issuer.asked} times in a minute`);
  issuer.keys = "second";
  let waited = 0;
  while (nameOf(await issuer.keySet.newer(await issuer.keySet.keys()) ?? await issuer.keySet.keys()) !== "second") {
    issuer.time += 1_000;
    waited++;
  }
  assert.ok(waited <= 5, `the new keys were known after ${waited} s`);
});

Deno.test("KeySet gives newer keys that another request has fetched", async () => {
  const issuer = new Issuer();
  const old = await issuer.keySet.keys();
  issuer.keys = "second";
  assert.equal(nameOf(await issuer.keySet.newer(old)), "second");
  for (let request = 0; request < 100; request++) assert.equal(nameOf(await issuer.keySet.newer(old)), "second");
  assert.equal(issuer.asked, 2);
});

Deno.test("KeySet fetches again soon after a quick failure", async () => {
  const issuer = new Issuer();
  issuer.keys = undefined;
  const failed = assert.rejects(issuer.name(), /refused/);
  issuer.waiting[0]?.reject(new Error("refused"));
  await failed;
  issuer.keys = "second";
  await assert.rejects(issuer.name(), /refused/);
  issuer.time += 1_000;
  assert.equal(await issuer.name(), "second");
});

Deno.test("KeySet follows no redirect and reads a bounded body", async (t) => {
  await using elsewhere = serve(() => keysOf("other"));
  const cases: [name: string, answer: () => Response, want: RegExp][] = [
    ["a redirect", () => Response.redirect(elsewhere.url, 302), /answers 302/],
    ["an error", () => new Response("{}", { status: 500 }), /answers 500/],
    ["another document", () => Response.json({ key: [] }), /has no `keys`/],
    ["no JSON", () => new Response("<html>"), /JSON/],
    ["a large body", () => Response.json({ keys: [], more: "x".repeat(1 << 20) }), /more than 1048576 bytes/],
    ["a large body in a coding", () => {
      const body = new Blob([`{"keys": []${" ".repeat(64 << 20)}}`]).stream();
      const headers = { "content-encoding": "gzip" };
      return new Response(body.pipeThrough(new CompressionStream("gzip")), { headers });
    }, /more than 1048576 bytes/],
  ];
  for (const [name, answer, want] of cases) {
    await t.step(name, async () => {
      await using issuer = serve(answer);
      const keySet = new KeySet(`${issuer.url}/keys`, { fetch, now: () => 0 }, (keys) => keys);
      await assert.rejects(keySet.keys(), want);
    });
  }
});

Deno.test("KeySet ignores entries that are no keys", async () => {
  const key = { kty: "oct", kid: "good" };
  const entries: readonly unknown[] = [null, 5, "oct", [], {}, { kty: 5 }, { kid: "x" }, key, null];
  const fetch = (): Promise<Response> => Promise.resolve(Response.json({ keys: entries, more: 1 }));
  const keySet = new KeySet(URI, { fetch, now: () => 0 }, (keys) => keys);
  assert.deepEqual(await keySet.keys(), { keys: [key] });
});
