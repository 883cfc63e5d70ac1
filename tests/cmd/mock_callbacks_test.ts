import assert from "node:assert/strict";
import { startGw } from "./process.ts";
import { serveReceiver } from "./receiver.ts";

const DEFINITION = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "Orders", version: "1.0.0" },
  paths: {
    "/orders": {
      post: {
        requestBody: { content: { "application/json": { schema: { type: "object" } } } },
        responses: {
          201: {
            description: "Ordered.",
            headers: { Location: { example: "/orders/7" } },
            content: { "application/json": { example: { id: 7 } } },
          },
        },
        callbacks: {
          shipped: {
            "{$request.body#/url}?order={$response.header.Location}": {
              post: {
                requestBody: { content: { "application/json": { example: { state: "shipped" } } } },
                responses: { 200: { description: "Thanks." } },
              },
            },
          },
        },
      },
    },
  },
});

/** Sends a request that contains the URL for its callbacks. */
async function order(gw: { url: string }, url: unknown, headers: Record<string, string> = {}): Promise<void> {
  const response = await fetch(`${gw.url}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ url }),
  });
  assert.equal(response.status, 201);
  assert.equal(await response.text(), '{"id":7}');
}

Deno.test("gw mock --callbacks sends an operation's callbacks after its answer", async () => {
  await using receiver = serveReceiver();
  await using gw = await startGw({ args: ["mock", "-", "--callbacks"], stdin: DEFINITION });
  await order(gw, `${receiver.url}/hook`);
  await gw.until(/callback shipped POST http:\/\/127\.0\.0\.1:\d+\/hook\?order=\/orders\/7 200 [\d.]+ ms\n/);
  assert.deepEqual(receiver.received, [{
    method: "POST",
    target: "/hook?order=/orders/7",
    contentType: "application/json",
    body: '{"state":"shipped"}',
  }]);
});

Deno.test("gw mock without --callbacks sends none", async () => {
  await using receiver = serveReceiver();
  await using gw = await startGw({ args: ["mock", "-"], stdin: DEFINITION });
  await order(gw, receiver.url);
  await gw.until(/POST \/orders 201/);
  assert.equal((await stop(gw)).stdout.includes("callback"), false);
  assert.deepEqual(receiver.received, []);
});

Deno.test("gw mock --callbacks says why a callback isn't sent, and goes on", async () => {
  await using receiver = serveReceiver({ "/moved": () => Response.redirect("http://example.com/") });
  await using gw = await startGw({ args: ["mock", "-", "--callbacks"], stdin: DEFINITION });
  const tries: [unknown, RegExp][] = [
    [
      "http://example.com/hook",
      /POST http:\/\/example\.com\/hook\?\S+ unsent\n {2}! example\.com is not this machine; /,
    ],
    [
      "http://192.0.2.1/hook",
      /unsent\n {2}! 192\.0\.2\.1 is not this machine; --callbacks=any lets callbacks leave it\./,
    ],
    ["ftp://localhost/", /callback shipped POST - unsent\n {2}! Its URL is to be .*: no http or https URL\./],
    [undefined, /callback shipped POST - unsent\n {2}! Its URL .* has no value: .* no \$request\.body#\/url\./],
    [closedUrl(), /callback shipped POST \S+ failed [\d.]+ ms\n {2}! Connection refused\./],
    [`${receiver.url}/moved`, /\/moved\?order=\/orders\/7 302 [\d.]+ ms\n/],
  ];
  for (const [url, said] of tries) {
    const from = gw.text().length;
    await order(gw, url);
    await gw.until(said, from);
  }
  assert.equal(receiver.received.length, 1);
});

Deno.test("gw mock --callbacks logs why a callback isn't sent, and leaves the reason out while it stays the same", async () => {
  await using gw = await startGw({ args: ["mock", "-", "--callbacks"], stdin: DEFINITION });
  for (const url of ["http://a.example/", "http://a.example/b", "http://b.example/", "http://a.example/"]) {
    const from = gw.text().length;
    await order(gw, url);
    await gw.until(/ unsent\n/, from);
  }
  const { stdout } = await stop(gw);
  assert.deepEqual(stdout.match(/\S+ (?:unsent$|is not this machine)/gm), [
    "http://a.example/?order=/orders/7 unsent",
    "a.example is not this machine",
    "http://a.example/b?order=/orders/7 unsent",
    "http://b.example/?order=/orders/7 unsent",
    "b.example is not this machine",
    "http://a.example/?order=/orders/7 unsent",
    "a.example is not this machine",
  ]);
});

Deno.test("gw mock --callbacks=any lets callbacks go to other machines", async () => {
  await using gw = await startGw({ args: ["mock", "-", "--callbacks=any"], stdin: DEFINITION });
  // No host name under `.invalid` exists (RFC 6761, section 6.4), so the callback fails when it is sent, not before.
  await order(gw, "http://nowhere.invalid/hook");
  await gw.until(/callback shipped POST http:\/\/nowhere\.invalid\/hook\?order=\/orders\/7 failed/);
});

Deno.test("gw mock --callbacks sends none for pages of other sites, unless --cors-origin permits them", async () => {
  await using receiver = serveReceiver();
  const args = ["mock", "-", "--callbacks", "--cors-origin", "https://app.example.com"];
  await using gw = await startGw({ args, stdin: DEFINITION });
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ];
  for (const headers of foreign) {
    const from = gw.text().length;
    await order(gw, `${receiver.url}/foreign`, headers);
    await gw.until(
      /POST \/orders 201 .*\n {2}! No callbacks are sent: the request comes from a page of another site\./,
      from,
    );
  }
  for (const origin of [gw.url, "http://localhost:3000", "https://app.example.com"]) {
    await order(gw, `${receiver.url}/own`, { origin });
  }
  await receiver.until(3);
  assert.deepEqual(receiver.received.map(({ target }) => target), Array(3).fill("/own?order=/orders/7"));
});

Deno.test("gw mock --callbacks sends none to gw's own endpoints, and marks those that it sends", async () => {
  const marks: (string | null)[] = [];
  await using receiver = serveReceiver({
    "/hook": ({ headers }) => {
      marks.push(headers.get("x-gw-callback"));
      return new Response();
    },
  });
  const args = ["mock", "-", "--callbacks=any", "--control", "/own/"];
  await using gw = await startGw({ args, stdin: DEFINITION });
  const refused = ["/own/state", "/own/s/a/own/state", "/_gw/state", "/x/../_gw/state", "/own/s/a"];
  for (const path of refused) {
    for (const url of [gw.url + path, receiver.url + path]) {
      const from = gw.text().length;
      await order(gw, url);
      await gw.until(/ unsent\n/, from);
    }
  }
  assert.match(gw.text(), / unsent\n {2}! \/own\/state is one of gw's own endpoints, which callbacks may not use\.\n/);
  assert.deepEqual(receiver.received, []);
  for (const path of ["/hook", "/own/s/a/hook", "/own", "/a/_gw/state"]) await order(gw, receiver.url + path);
  await receiver.until(4);
  assert.deepEqual(marks, ["true"]);
});

Deno.test("gw mock --callbacks --log-format json logs callbacks as objects", async () => {
  await using receiver = serveReceiver();
  await using gw = await startGw({ args: ["mock", "-", "--callbacks", "--log-format", "json"], stdin: DEFINITION });
  await order(gw, `${receiver.url}/hook`);
  const [line] = await gw.until(/.*"callback":.*/);
  const { time, duration, ...entry } = JSON.parse(line);
  assert.match(time, /^\d{4}-/);
  assert.equal(typeof duration, "number");
  assert.deepEqual(entry, {
    callback: "shipped",
    method: "POST",
    url: `${receiver.url}/hook?order=/orders/7`,
    status: 200,
  });
});

Deno.test("gw mock --callbacks doesn't let a slow receiver hold up answers, and waits for it at the end", async () => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await using receiver = serveReceiver({
    "/slow": async () => {
      await mayAnswer;
      return new Response();
    },
  });
  await using gw = await startGw({ args: ["mock", "-", "--callbacks"], stdin: DEFINITION });
  // More callbacks than are sent at the same time.
  await Promise.all(Array.from({ length: 15 }, () => order(gw, `${receiver.url}/slow`)));
  gw.signal("SIGTERM");
  await receiver.until(10);
  answer();
  const { code, stdout } = await gw.ended;
  assert.equal(code, 0);
  assert.equal(stdout.match(/callback shipped POST \S+ 200/g)?.length, 15);
  assert.equal(receiver.received.length, 15);
});

async function stop(gw: Awaited<ReturnType<typeof startGw>>): Promise<{ stdout: string }> {
  gw.signal("SIGTERM");
  return await gw.ended;
}

/** A URL whose port nothing listens on. */
function closedUrl(): string {
  using listener = Deno.listen({ port: 0, hostname: "127.0.0.1" });
  return `http://127.0.0.1:${listener.addr.port}/`;
}
