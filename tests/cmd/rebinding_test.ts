/** DNS rebinding: a page whose host name means this machine asks a server of this machine. */
import assert from "node:assert/strict";
import { createFolder, texts } from "./definitions.ts";
import { mock } from "../../cmd/commands/mock.ts";
import { startGw } from "./process.ts";
import { serveReceiver } from "./receiver.ts";
import { recordPlatform } from "./recorded_platform.ts";
import { sendRaw } from "./raw.ts";
import { askServe, send, startServe } from "./serve_process.ts";

const DEFINITION = texts({ "/pets": "mocked" });

function serveUpstream(): { url: URL } & AsyncDisposable {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response("private"));
  return { url: new URL(`http://localhost:${server.addr.port}`), [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Sends GET requests to a server with each host. Returns the statuses. */
async function statusesOf(port: number, hosts: readonly string[], path = "/pets"): Promise<number[]> {
  return await Promise.all(hosts.map(async (host) => {
    const origin = `Origin: http://${host}:${port}\r\n`;
    const answer = await sendRaw(
      port,
      `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\n${origin}Connection: close\r\n\r\n`,
    );
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
  }));
}

Deno.test("gw proxy and gw mock --proxy on loopback refuse hosts that aren't theirs, with the flag that allows them", async () => {
  await using upstream = serveUpstream();
  const hosts = ["127.0.0.1", "localhost", "host.docker.internal", "a.dev.example", "evil.example"];
  for (const args of [["proxy", "-", upstream.url.href], ["mock", "-", "--proxy", upstream.url.href]]) {
    const env = args[0] === "proxy" ? {} : { GW_MOCK_ALLOW_HOST: "other.example,*.dev.example" };
    const flags = args[0] === "proxy" ? ["--allow-host", "other.example", "--allow-host", "*.DEV.example"] : [];
    await using gw = await startGw({ args: [...args, ...flags], stdin: DEFINITION, env });
    assert.deepEqual(await statusesOf(gw.port, [...hosts, "other.example"]), [200, 200, 200, 200, 421, 200]);
    assert.deepEqual(await statusesOf(gw.port, ["evil.example"], "/_gw/health"), [421]);
    await gw.until(
      /GET \/pets 421 application\/problem\+json .*\n {2}! .* --allow-host evil\.example has it answered\.\n/,
    );
  }
});

Deno.test("gw mock answers every host without an upstream, and on an address of other machines", async () => {
  await using plain = await startGw({ args: ["mock", "-"], stdin: DEFINITION });
  assert.deepEqual(await statusesOf(plain.port, ["evil.example", "localhost"]), [200, 200]);
  await using upstream = serveUpstream();
  const args = ["mock", "-", "--proxy", upstream.url.href, "--host", "0.0.0.0"];
  await using open = await startGw({ args, stdin: DEFINITION });
  assert.deepEqual(await statusesOf(open.port, ["evil.example"]), [200]);
});

Deno.test("--allow-host takes hosts and wildcards of domains", async () => {
  for (const value of ["http://a.example", "a.example:80", "*", "a.*.example", "a/b", "*.", ""]) {
    const platform = recordPlatform();
    assert.equal(await mock(["a.yaml", "--allow-host", value], platform), 2);
    const want = /^--allow-host .*: a host such as api\.example\.com or \*\.example\.com is meant here/;
    assert.match(platform.printed.stderr, want, value);
  }
});

Deno.test("gw mock --callbacks sends none for a host that isn't its own", async () => {
  await using receiver = serveReceiver({ "/own": () => new Response(), "/foreign": () => new Response() });
  const paths = {
    "/subscriptions": {
      get: {
        parameters: [{ name: "url", in: "query", schema: { type: "string" } }],
        responses: { 204: { description: "Subscribed." } },
        callbacks: { event: { "{$request.query.url}": { post: { responses: { 204: { description: "" } } } } } },
      },
    },
  };
  const stdin = JSON.stringify({ openapi: "3.1.0", info: { title: "Events", version: "1" }, paths });
  await using gw = await startGw({ args: ["mock", "-", "--callbacks", "--allow-host", "*.dev.example"], stdin });
  const subscribe = (path: string): string => `/subscriptions?url=${receiver.url}${path}`;
  assert.deepEqual(await statusesOf(gw.port, ["evil.example"], subscribe("/foreign")), [204]);
  await gw.until(/No callbacks are sent: the request comes from a page of another site\./);
  assert.deepEqual(await statusesOf(gw.port, ["a.dev.example", "localhost"], subscribe("/own")), [204, 204]);
  await receiver.until(2);
  assert.deepEqual(receiver.received.map(({ target }) => target), ["/own", "/own"]);
});

Deno.test("a fleet of gw serve on loopback answers the hosts of its definitions and upstreams, once it has an upstream", async () => {
  await using folder = await createFolder();
  await using upstream = serveUpstream();
  await Deno.writeTextFile(`${folder.path}/gw.yaml`, "allow-host: [allowed.example]\n");
  const args = ["--config", `${folder.path}/gw.yaml`, "--service", `default/shop=${upstream.url.href}`];
  await using gw = await startServe({ args });
  const port = Number(new URL(gw.fleet).port);
  const deploy = async (name: string, settings: Record<string, unknown>): Promise<void> => {
    const responses = { 200: { description: "", content: { "text/plain": { schema: { type: "string" } } } } };
    const paths = { [`/${name}`]: { get: { responses } } };
    const info = { title: name, version: "1.0.0" };
    const openapi = JSON.stringify({ openapi: "3.1.0", info, paths, "x-svc": settings });
    const created = await send(`${gw.api}/apis`, "POST", { name, openapi });
    assert.equal(created.status, 201, await created.text());
  };
  const hosts = ["localhost", "api.example", "a.wild.example", "a.tld", "allowed.example", "evil.example"];
  await deploy("mock", { mocking: { enabled: true } });
  assert.deepEqual(await statusesOf(port, hosts, "/mock"), hosts.map(() => 200));

  await deploy("named", { hosts: ["api.example", "*.wild.example", "*.tld"], mocking: { enabled: true } });
  await deploy("shop", { upstream: { service: { name: "shop" } } });
  assert.deepEqual(await statusesOf(port, hosts, "/shop"), [200, 200, 200, 421, 200, 421]);
  assert.deepEqual(await statusesOf(port, hosts, "/mock"), [200, 200, 200, 421, 200, 421]);
  assert.deepEqual(await statusesOf(port, ["evil.example"], "/unknown"), [404]);
  const upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
  assert.match(await sendRaw(port, `GET /shop HTTP/1.1\r\nHost: evil.example\r\n${upgrade}\r\n`), /^HTTP\/1\.1 421 /);
  assert.equal((await askServe(gw, ["delete", "api", "shop"])).code, 0);
  assert.deepEqual(await statusesOf(port, ["evil.example"], "/mock"), [200]);
});
