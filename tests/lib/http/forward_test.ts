import assert from "node:assert/strict";
import { createForwarder, type ForwardOptions } from "../../../lib/http/forward.ts";
import type { Send, UpstreamOutcome } from "../../../lib/http/url/upstream.ts";

const UPSTREAM = new URL("http://upstream.example/base/");

/** A sender that gives the same outcome for every request. */
function sending(outcome: UpstreamOutcome): Send {
  return () => Promise.resolve(outcome);
}

/** Forwards a request. Returns the request that the upstream gets. */
async function forwarded(request: Request, options: Partial<ForwardOptions> = {}): Promise<Request> {
  let seen: Request | undefined;
  const send: Send = (url, { method, headers, body }) => {
    seen = new Request(url, { method, headers, body });
    return Promise.resolve({ kind: "answered", response: new Response() });
  };
  await createForwarder(UPSTREAM, { send, ...options })(request);
  assert.ok(seen);
  return seen;
}

/** Forwards a request to an upstream with the given response. Returns the response that the client gets. */
async function returned(response: Response, method = "GET"): Promise<Response> {
  const forward = createForwarder(UPSTREAM, { send: sending({ kind: "answered", response }) });
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
  const request = new Request("https://api.example:8080/pets", {
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

Deno.test("createForwarder() tells the upstream the client, host and scheme of a request", async () => {
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

Deno.test("createForwarder() tells the host of the target, not of the header", async () => {
  const seen = await forwarded(new Request("http://shop.example:81/pets", { headers: { host: "admin.example" } }));
  assert.equal(seen.headers.get("x-forwarded-host"), "shop.example:81");
  assert.equal(seen.headers.get("forwarded"), 'for=unknown;host="shop.example:81";proto=http');
});

Deno.test("createForwarder() tells the host of HTTP/2, which has no Host", async () => {
  const seen = await forwarded(new Request("https://api.example:8443/pets"));
  assert.equal(seen.headers.get("x-forwarded-host"), "api.example:8443");
  assert.equal(seen.headers.get("forwarded"), 'for=unknown;host="api.example:8443";proto=https');
});

Deno.test("createForwarder() sends no field that reads as one of its own with underscores", async () => {
  const forged = [
    "x_forwarded_host",
    "X_Forwarded-Proto",
    "x-forwarded_for",
    "_via",
    "transfer_encoding",
    "content_length",
  ];
  const headers = new Headers([...forged.map((name): [string, string] => [name, "1"]), ["x_own", "kept"]]);
  const seen = await forwarded(new Request("http://localhost/pets", { headers }));
  const names = [...seen.headers.keys()].filter((name) => name.includes("_"));
  assert.deepEqual(names, ["_via", "x_own"]);
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

Deno.test("createForwarder() sends a length only with a body that has it", async (t) => {
  const cases: { method: string; headers: [string, string][]; want: string | null }[] = [
    { method: "GET", headers: [["content-length", "5"]], want: null },
    { method: "HEAD", headers: [["content-length", "5"]], want: null },
    { method: "POST", headers: [["content-length", "5"]], want: "5" },
    { method: "DELETE", headers: [["content-length", "0"]], want: "0" },
    { method: "POST", headers: [["content-length", "5"], ["content-length", "5"]], want: null },
    { method: "POST", headers: [["content-length", "5"], ["transfer-encoding", "chunked"]], want: null },
  ];
  for (const { method, headers, want } of cases) {
    await t.step(`${method} ${JSON.stringify(headers)}`, async () => {
      const request = new Request("http://localhost/pets", { method, headers });
      assert.equal((await forwarded(request)).headers.get("content-length"), want);
    });
  }
});

Deno.test("createForwarder() adds itself to Via, and passes on the codings that the client takes", async () => {
  const headers = { "via": "1.0 fred", "accept-encoding": "br;q=0.5, gzip" };
  const seen = await forwarded(new Request("http://localhost/pets", { headers }));
  assert.equal(seen.headers.get("via"), "1.0 fred, 1.1 gw");
  assert.equal(seen.headers.get("accept-encoding"), "br;q=0.5, gzip");
  const plain = await forwarded(new Request("http://localhost/pets"));
  assert.equal(plain.headers.get("via"), "1.1 gw");
  assert.equal(plain.headers.get("accept-encoding"), null);
});

Deno.test("createForwarder() says why there is no response", async (t) => {
  const cases: { outcome: UpstreamOutcome; status: number; detail: RegExp }[] = [
    {
      outcome: { kind: "unreachable", reason: "connection refused" },
      status: 502,
      detail: /http:\/\/upstream\.example\/base can't be reached: connection refused/,
    },
    { outcome: { kind: "broken", reason: "Invalid token" }, status: 502, detail: /valid response: Invalid token/ },
    { outcome: { kind: "unsendable", reason: "invalid header" }, status: 400, detail: /invalid header/ },
    { outcome: { kind: "timeout" }, status: 504, detail: /within 60 s/ },
    { outcome: { kind: "gone" }, status: 502, detail: /disconnected/ },
  ];
  for (const { outcome, status, detail } of cases) {
    await t.step(outcome.kind, async () => {
      const { forward } = createForwarder(UPSTREAM, { send: sending(outcome) });
      const { response, failure } = await forward(new Request("http://localhost/pets"));
      assert.equal(response.status, status);
      const problem = await response.json();
      assert.match(problem.detail, detail);
      assert.equal(failure, outcome.kind === "gone" ? undefined : problem.detail);
    });
  }
});

Deno.test("createForwarder() tells the sender when the client disconnects, and how long it may wait", async () => {
  const client = new AbortController();
  const send: Send = (_, { signal, headTimeout }) => {
    assert.equal(headTimeout, 7);
    return new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "gone" })));
  };
  const request = new Request("http://localhost/pets", { signal: client.signal });
  const answer = createForwarder(UPSTREAM, { send, timeout: 7 })(request);
  client.abort();
  assert.equal((await answer).status, 502);
});
