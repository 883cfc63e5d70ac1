import assert from "node:assert/strict";
import { join } from "node:path";
import { DEFINITION, ORDINARY, type PlantedRequest, plantSecrets } from "./planted_secrets.ts";
import { startGw } from "./process.ts";
import { startServe } from "./serve_process.ts";

/** An upstream that answers a request's secrets back: its target, its headers and its body. */
function startEcho(): { url: string } & AsyncDisposable {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
    const body = new Uint8Array(await request.arrayBuffer());
    const isText = !request.headers.get("content-type")?.includes("grpc");
    const echoed = {
      ...ORDINARY,
      url: request.url,
      headers: [...request.headers],
      body: isText ? new TextDecoder().decode(body) : "",
    };
    return Response.json(echoed, { headers: { location: `/x?access_token=none`, "set-cookie": "session=abc12345" } });
  });
  return { url: `http://127.0.0.1:${server.addr.port}`, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function askAll(url: string, planted: readonly PlantedRequest[]): Promise<void> {
  for (const { path, init } of planted) await (await fetch(url + path, init)).body?.cancel();
}

function assertWithout(outputs: Readonly<Record<string, string>>, planted: readonly PlantedRequest[]): void {
  for (const [name, output] of Object.entries(outputs)) {
    const found = planted.filter(({ secret }) =>
      [secret, encodeURIComponent(secret), btoa(secret).replace(/=+$/, "").slice(0, -2)].some((form) =>
        output.includes(form)
      )
    );
    assert.deepEqual(found.map(({ path, init }) => [path, init]), [], `${name} has secrets`);
  }
}

for (const format of ["text", "json"]) {
  Deno.test(`gw proxy: no planted secret is in the ${format} log, in reports or in the recording`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const planted = plantSecrets();
      assert.ok(planted.length >= 100, String(planted.length));
      await using upstream = startEcho();
      const outputs: Record<string, string> = {};
      const reports = format === "text" ? ["md", "xml"] : ["json"];
      for (const extension of reports) {
        const [report, record] = [join(folder, `report.${extension}`), join(folder, `${extension}.yaml`)];
        const args = ["proxy", "-", upstream.url, "--record", record, "--report", report, "--log-format", format];
        await using gw = await startGw({ args, stdin: DEFINITION });
        await askAll(gw.url, planted);
        for (const path of ["/requests?limit=1000", "/requests.har", "/report", "/"]) {
          outputs[`${path} for ${extension}`] = await (await fetch(`${gw.url}/_gw${path}`)).text();
        }
        gw.signal("SIGTERM");
        await gw.ended;
        outputs[`log for ${extension}`] = gw.text();
        outputs[report] = await Deno.readTextFile(report);
        outputs[record] = await Deno.readTextFile(record);
        assert.match(gw.text(), /must have an API key/);
        assert.doesNotMatch(outputs[report] ?? "", /must have (?:an )?REDACTED/);
        for (const value of Object.values(ORDINARY)) assert.ok(outputs[record]?.includes(value), value);
      }
      assertWithout(outputs, planted);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

Deno.test("gw mock: no planted secret is in the log or in the exports of the journal, unless they are asked for", async () => {
  const planted = plantSecrets();
  await using gw = await startGw({ args: ["mock", "-"], stdin: DEFINITION });
  const stream = await fetch(`${gw.url}/_gw/requests`, { headers: { accept: "text/event-stream" } });
  await askAll(gw.url, planted);
  const read = async (path: string): Promise<string> => await (await fetch(`${gw.url}/_gw${path}`)).text();
  const expectation = { path: "/items/1", query: { limit: "98" }, body: { "/password": "other" }, count: 500 };
  const verified = await fetch(`${gw.url}/_gw/requests/verify`, {
    method: "POST",
    body: JSON.stringify(expectation),
    headers: { "content-type": "application/json" },
  });
  assertWithout({
    json: await read("/requests?limit=1000"),
    har: await read("/requests.har"),
    verification: await verified.text(),
    events: await readEvents(stream, planted.length),
  }, planted);
  const shown = await read("/requests.har?secrets=shown");
  const texts = planted.filter(({ secret }) => shown.includes(secret));
  assert.ok(texts.length > planted.length * 0.8, `${texts.length} of ${planted.length} are shown`);
  gw.signal("SIGTERM");
  const { stdout, stderr } = await gw.ended;
  assert.match(stdout, /GET \/items\/1\?limit=99&k=REDACTED/);
  assertWithout({ stdout, stderr }, planted);
});

async function readEvents(response: Response, count: number): Promise<string> {
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.split("event: request").length > count) break;
  }
  return text;
}

Deno.test("gw serve: no planted secret is in the log", async () => {
  const planted = plantSecrets();
  await using gw = await startServe();
  const definition = `${DEFINITION}\nx-svc: { mocking: { enabled: true, generate: true } }\n`;
  const deployed = await fetch(`${gw.api}/apis`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "vault", namespace: "default", openapi: definition }),
  });
  const text = await deployed.text();
  assert.ok(deployed.ok, text);
  await askAll(gw.fleet, planted);
  // The management API doesn't know which parameters the definition declares as secrets.
  const declared = /[?&](?:k|unlock)=|\/reset\//;
  await askAll(gw.api, planted.filter(({ path, init }) => init.method === undefined && !declared.test(path)));
  gw.signal("SIGTERM");
  const { stdout, stderr } = await gw.ended;
  assert.match(stdout, /GET \/items\/1\?limit=99&password=REDACTED/);
  assertWithout({ stdout, stderr }, planted);
});

Deno.test("gw serve: no secret of a WebSocket is in the log, in metrics or in problems", async (t) => {
  await using upstream = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request, { protocol: request.headers.get(PROTOCOL) ?? "" });
    socket.onmessage = ({ data }) => data === "close" ? socket.close(4000, data) : socket.send(data);
    return response;
  });
  await using gw = await startServe();
  const { hostname, port } = upstream.addr;
  const host = `{ hostname: ${hostname}, port: ${port} }`;
  const openapi = `
openapi: 3.1.0
info: { title: Chat, version: "1" }
x-svc: { websocket: true, upstream: { host: ${host} } }
paths: { "/chat": { get: { responses: { "101": { description: "" } } } } }
`;
  const deployed = await fetch(`${gw.api}/apis`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "chat", namespace: "default", openapi }),
  });
  assert.ok(deployed.ok, await deployed.text());
  const secrets = ["query", "protocol", "message", "unknown"].map((name) => `${name}-${"x9Kq".repeat(6)}`);
  const [query = "", protocol = "", message = "", unknown = ""] = secrets;
  await t.step("messages pass", async () => {
    const url = `${gw.fleet.replace("http", "ws")}/chat?access_token=${query}`;
    const socket = new WebSocket(url, [`bearer.${protocol}`]);
    await new Promise((resolve, reject) => {
      socket.onopen = resolve;
      socket.onerror = () => reject(new Error("The handshake failed."));
    });
    const echoed = new Promise<unknown>((resolve) => socket.onmessage = ({ data }) => resolve(data));
    const text = JSON.stringify({ password: message });
    socket.send(text);
    assert.equal(await echoed, text);
    const closed = new Promise((resolve) => socket.onclose = resolve);
    socket.send("close");
    await closed;
  });
  await (await fetch(`${gw.fleet}/nothing?token=${unknown}`)).body?.cancel();
  const metrics = await (await fetch(`${gw.api}/metrics`)).text();
  gw.signal("SIGTERM");
  const { stdout, stderr } = await gw.ended;
  assert.match(stdout, /GET \/chat\?access_token=REDACTED/);
  for (const output of [metrics, stdout, stderr]) {
    assert.deepEqual(secrets.filter((secret) => output.includes(secret)), []);
  }
});

const PROTOCOL = "sec-websocket-protocol";
