import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { createFolder } from "./definitions.ts";
import { runGw } from "./process.ts";
import { definition, send, startServe } from "./serve_process.ts";

Deno.test("gw serve with --token-file lets users in by their token, also from another address, and never logs it", async () => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/tokens`, "s3cret-of-alice,alice,developers\n");
  await using gw = await startServe({ args: ["--token-file", `${folder.path}/tokens`, "--log-format", "json"] });
  const content = { name: "pets", openapi: definition("pets") };
  for (const authorization of [undefined, "Bearer s3cret-of-bob", "Basic s3cret-of-alice"]) {
    const response = await send(
      `${gw.api}/apis`,
      "POST",
      content,
      authorization === undefined ? {} : { authorization },
    );
    assert.equal(response.status, 401);
    assert.match(response.headers.get("www-authenticate") ?? "", /^Bearer/);
    await response.body?.cancel();
  }
  const created = await send(`${gw.api}/apis`, "POST", content, { authorization: "Bearer s3cret-of-alice" });
  assert.equal(created.status, 201, await created.text());
  const [line] = await gw.until(/\{.*"status":201.*\}/);
  const { user, groups, verb, object, result } = JSON.parse(line);
  assert.deepEqual({ user, groups, verb, object, result }, {
    user: "alice",
    groups: ["developers"],
    verb: "create",
    object: "apis/default/pets",
    result: "done",
  });
  // gw's commands read the server and the token from these variables.
  const env = { GW_SERVER: gw.api, GW_TOKEN: "s3cret-of-alice" };
  assert.match((await runGw({ args: ["get", "apis"], env })).stdout, /pets/);
  assert.equal((await runGw({ args: ["get", "apis"], env: { GW_SERVER: gw.api } })).code, 3);
  for (const path of ["/healthz", "/readyz"]) {
    const response = await fetch(gw.api + path);
    assert.equal(response.status, 200);
    await response.body?.cancel();
  }

  // A token that was removed from the file is refused at once.
  await Deno.writeTextFile(`${folder.path}/tokens`, "s3cret-of-carol,carol\n");
  await gw.until(/Reloaded .*1 token\./);
  const late = await fetch(`${gw.api}/apis`, { headers: { authorization: "Bearer s3cret-of-alice" } });
  assert.equal(late.status, 401);
  await late.body?.cancel();
  assert.doesNotMatch(gw.text(), /s3cret/);
});

Deno.test("no page of another site changes anything on a gw serve of this machine", async (t) => {
  await using gw = await startServe();
  const body = JSON.stringify({ name: "pets", openapi: definition("pets") });
  const cases: { name: string; headers: Record<string, string>; want: number }[] = [
    {
      name: "a form's content type",
      headers: { origin: "https://evil.example", "content-type": "text/plain" },
      want: 403,
    },
    { name: "a sandboxed page", headers: { origin: "null", "content-type": "application/json" }, want: 403 },
    {
      name: "another name of this machine",
      headers: { host: "evil.example", "content-type": "application/json" },
      want: 403,
    },
    { name: "no page at all, but not JSON", headers: { "content-type": "text/plain" }, want: 415 },
  ];
  for (const { name, headers, want } of cases) {
    await t.step(name, async () => assert.equal(await post(gw.apiPort, headers, body), want));
  }
  assert.deepEqual(await (await fetch(`${gw.api}/apis`)).json(), []);
});

/** Sends a POST request with headers that `fetch` doesn't allow, such as `Host`. Returns the status. */
async function post(port: number, headers: Record<string, string>, body: string): Promise<number> {
  using connection = await Deno.connect({ port, hostname: "127.0.0.1" });
  const fields = { host: `127.0.0.1:${port}`, ...headers, "content-length": String(body.length), connection: "close" };
  const head = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const writer = connection.writable.getWriter();
  await writer.write(new TextEncoder().encode(`POST /apis HTTP/1.1\r\n${head}\r\n${body}`));
  writer.releaseLock();
  const reader = connection.readable.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader.read();
  await reader.cancel();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(value)?.[1]);
}

Deno.test("gw serve has its management API over HTTPS", async () => {
  const tls = (name: string): string => fileURLToPath(import.meta.resolve(`../data/tls/localhost.${name}.pem`));
  await using gw = await startServe({
    args: ["--tls-cert", tls("cert"), "--tls-key", tls("key"), "--host", "localhost"],
  });
  using client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(tls("cert"))] });
  const response = await fetch(`https://localhost:${gw.apiPort}/fleets`, { client });
  assert.equal(response.status, 200);
  assert.equal((await response.json())[0].name, "default");
});
