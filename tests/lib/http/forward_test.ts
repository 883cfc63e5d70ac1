import assert from "node:assert/strict";
import { createForwarder, type ForwardOptions } from "../../../lib/http/forward.ts";

const UPSTREAM = new URL("http://upstream.example/base/");

/** What a request becomes on its way. */
async function forwarded(request: Request, options: Partial<ForwardOptions> = {}): Promise<Request> {
  let seen: Request | undefined;
  const fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    seen = new Request(input, init);
    return Promise.resolve(new Response());
  };
  await createForwarder(UPSTREAM, { fetch, ...options })(request);
  assert.ok(seen);
  return seen;
}

/** What a response becomes on its way back. */
async function returned(response: Response, method = "GET"): Promise<Response> {
  const forward = createForwarder(UPSTREAM, { fetch: () => Promise.resolve(response) });
  return await forward(new Request("http://localhost/pets", { method }));
}

Deno.test("createForwarder() puts the path of the upstream before that of the request", async (t) => {
  for (
    const [asked, want] of [
      ["http://localhost:8080/pets", "http://upstream.example/base/pets"],
      ["http://localhost:8080/pets?a=1&b=%20", "http://upstream.example/base/pets?a=1&b=%20"],
      ["http://localhost:8080/a%2Fb/%zz", "http://upstream.example/base/a%2Fb/%zz"],
      ["http://localhost:8080//evil.example/x", "http://upstream.example/base//evil.example/x"],
    ] as const
  ) {
    await t.step(asked, async () => assert.equal((await forwarded(new Request(asked))).url, want));
  }
});

Deno.test("createForwarder() sends method, end-to-end headers and body", async () => {
  const request = new Request("https://localhost/pets", {
    method: "PATCH",
    body: "hello",
    headers: { "authorization": "Bearer x", "connection": "keep-alive, X-Mine", "x-mine": "1", "te": "trailers" },
  });
  const seen = await forwarded(request);
  assert.equal(seen.method, "PATCH");
  assert.equal(await seen.text(), "hello");
  assert.equal(seen.headers.get("authorization"), "Bearer x");
  for (const name of ["connection", "x-mine", "te", "host"]) assert.equal(seen.headers.get(name), null, name);
});

Deno.test("createForwarder() tells the upstream who asked, and how", async () => {
  const headers = { "host": "api.example:8080", "x-forwarded-for": "192.0.2.1", "forwarded": "for=192.0.2.1" };
  const seen = await forwarded(new Request("https://api.example:8080/pets", { headers }), {
    clientOf: () => "2001:db8::1",
  });
  assert.equal(seen.headers.get("x-forwarded-for"), "192.0.2.1, 2001:db8::1");
  assert.equal(seen.headers.get("x-forwarded-host"), "api.example:8080");
  assert.equal(seen.headers.get("x-forwarded-proto"), "https");
  assert.equal(
    seen.headers.get("forwarded"),
    'for=192.0.2.1, for="[2001:db8::1]";host="api.example:8080";proto=https',
  );
});

Deno.test("createForwarder() gives back status, end-to-end headers and body", async () => {
  const headers = new Headers([["set-cookie", "a=1"], ["set-cookie", "b=2"], ["connection", "close"], ["etag", '"x"']]);
  const response = await returned(new Response("made", { status: 201, statusText: "Made", headers }));
  assert.equal(response.status, 201);
  assert.equal(response.statusText, "Made");
  assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
  assert.equal(response.headers.get("connection"), null);
  assert.equal(response.headers.get("etag"), '"x"');
  assert.equal(await response.text(), "made");
});

Deno.test("createForwarder() gives back redirects and responses without a body as they are", async () => {
  assert.equal(
    (await returned(new Response(null, { status: 302, headers: { location: "/a" } }))).headers.get("location"),
    "/a",
  );
  assert.equal((await returned(new Response(null, { status: 204 }))).body, null);
  assert.equal((await returned(new Response(null, { status: 304 }))).status, 304);
});

Deno.test("createForwarder() passes on a body that comes coded although it wasn't asked for", async () => {
  const coded = await new Response(new Blob(["hello"]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    () => new Response(coded, { headers: { "content-encoding": "gzip" } }),
  );
  const forward = createForwarder(new URL(`http://127.0.0.1:${server.addr.port}`), { fetch });
  const response = await forward(new Request("http://localhost/a", { headers: { "accept-encoding": "gzip" } }));
  assert.equal(response.headers.get("content-encoding"), "gzip");
  assert.deepEqual(await response.bytes(), coded);
});

Deno.test("createForwarder() answers 502 when the upstream can't be reached", async () => {
  const fetch = () => Promise.reject(new TypeError("fetch failed", { cause: "connection refused" }));
  const response = await createForwarder(UPSTREAM, { fetch })(new Request("http://localhost/pets"));
  assert.equal(response.status, 502);
  assert.match((await response.json()).detail, /http:\/\/upstream\.example\/base can't be reached: connection refused/);
});

Deno.test("createForwarder() answers 504 when the upstream is silent for too long", async () => {
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("aborted"))));
  const response = await createForwarder(UPSTREAM, { fetch, timeout: 1 })(new Request("http://localhost/pets"));
  assert.equal(response.status, 504);
});

Deno.test("createForwarder() gives up when the client does", async () => {
  const client = new AbortController();
  const fetch = (_: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((_, reject) => init?.signal?.addEventListener("abort", () => reject(new Error("gone"))));
  const answer = createForwarder(UPSTREAM, { fetch })(new Request("http://localhost/pets", { signal: client.signal }));
  client.abort();
  assert.equal((await answer).status, 502);
});
