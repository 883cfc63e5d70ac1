import assert from "node:assert/strict";
import { freePort } from "../free_port.ts";
import { createFolder } from "./definitions.ts";
import { runGw } from "./process.ts";
import { createStore, send, startServe } from "./serve_process.ts";

Deno.test("gw serve refuses a public address without authentication", async (t) => {
  const cases = [
    { args: ["--host", "0.0.0.0"], want: /^--host 0\.0\.0\.0 would let everybody who reaches it deploy APIs\./ },
    { args: ["--host", "::"], want: /^--host :: would let everybody/ },
    { args: ["--host", "192.0.2.1"], want: /^--host 192\.0\.2\.1 would let everybody/ },
    { args: ["--tls-cert", "cert.pem"], want: /^--tls-cert and --tls-key need each other\./ },
    {
      args: ["--port", "9000", "--fleet-port", "9000"],
      want: /^--port and --fleet-port are both 9000, but the management API and the fleet need a port each\./,
    },
    { args: ["--fleet-port", "8090"], want: /^--port and --fleet-port are both 8090/ },
    { args: ["todo.yaml"], want: /^gw serve takes flags only\. To deploy todo\.yaml: gw deploy todo\.yaml\./ },
    { args: ["--max-body", "much"], want: /^--max-body much: a size is meant here/ },
    { args: ["--service", "todo"], want: /^--service todo: a service and its address are meant here/ },
    { args: ["--cors-origin", "example.com"], want: /^--cors-origin example\.com: an origin is meant here/ },
  ];
  for (const { args, want } of cases) {
    await t.step(args.join(" "), async () => {
      const { code, stderr } = await runGw({ args: ["serve", "--data", ":memory:", ...args] });
      assert.match(stderr, want);
      assert.equal(code, 2);
    });
  }
});

Deno.test("gw serve logs user and operation of each request, also of requests without an operation", async () => {
  await using gw = await startServe();
  for (const path of ["/apis", "/"]) await (await fetch(gw.api + path)).body?.cancel();
  await gw.until(/GET \/apis 200 application\/json list apis by anonymous [\d.]+ ms\n/);
  await gw.until(/GET \/ \d+ \S+ by anonymous [\d.]+ ms\n/);
});

Deno.test("gw serve says which file or port is unavailable", async (t) => {
  await using folder = await createFolder();
  await Deno.writeTextFile(`${folder.path}/tokens`, "secret\n");
  await Deno.mkdir(`${folder.path}/damaged`);
  await Deno.writeTextFile(
    `${folder.path}/damaged/gw.db`,
    "not a database, but long enough to look like one".repeat(100),
  );
  const damaged = await Deno.readFile(`${folder.path}/damaged/gw.db`);
  await using other = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => new Response());
  const { port } = other.addr;
  const cases = [
    { args: ["--token-file", "absent"], want: /^Cannot read absent: there is no such file\./ },
    { args: ["--token-file", "tokens"], want: /^tokens:1: a line must be token,user,group/ },
    { args: ["--data", "damaged"], want: /^The store damaged\/gw\.db is damaged, and was left as it is: / },
    { args: ["--data", "tokens"], want: /^Cannot keep a store in tokens: / },
    {
      args: ["--data", ":memory:", "--port", String(port)],
      want: new RegExp(`^Port ${port} is taken by another program`),
    },
    { args: ["--config", "absent.yaml"], want: /^Cannot read absent\.yaml: there is no such file\./ },
  ];
  for (const { args, want } of cases) {
    await t.step(args.join(" "), async () => {
      const { code, stderr } = await runGw({ args: ["serve", "--data", "state", ...args], cwd: folder.path });
      assert.match(stderr, want);
      assert.doesNotMatch(stderr, /secret/);
      assert.equal(code, 3);
    });
  }
  assert.deepEqual(await Deno.readFile(`${folder.path}/damaged/gw.db`), damaged);
});

Deno.test("gw serve --fleet-port moves the stored default fleet, and says so", async () => {
  await using folder = await createFolder();
  const before = await createStore(folder.path);
  const wanted = freePort();
  {
    await using gw = await startServe({ data: folder.path, args: ["--fleet-port", String(wanted)] });
    assert.equal(gw.fleet, `http://127.0.0.1:${wanted}`);
    await gw.until(new RegExp(`fleet default/default on \\S+:${wanted} \\(before: port ${before}\\)\n`));
  }
  await using again = await startServe({ data: folder.path });
  assert.equal(again.fleet, `http://127.0.0.1:${wanted}`);
});

Deno.test("two gw serve on one store: the second is refused", async () => {
  await using folder = await createFolder();
  await using _first = await startServe({ data: folder.path });
  const second = await runGw({ args: ["serve", "--port", "0", "--data", folder.path] });
  assert.equal(second.code, 3);
  assert.match(
    second.stderr,
    /^Another process uses the store .*gw\.db\. Stop that one, or choose another folder with --data\.\n$/,
  );
});

Deno.test("gw serve takes flags over environment over --config", async () => {
  await using folder = await createFolder();
  const config = `${folder.path}/gw.yaml`;
  await Deno.writeTextFile(
    config,
    "analysis-url: 'https://file.example/{namespace}/{name}'\nmax-body: 1KiB\nservice:\n  - default/a=http://127.0.0.1:1\n" +
      "log-format: json\nhost: 0.0.0.0\n",
  );
  await using gw = await startServe({
    args: ["--config", config, "--host", "127.0.0.1"],
    env: { GW_SERVE_MAX_BODY: "2KiB", GW_SERVE_LOG_FORMAT: "text" },
  });
  assert.match(gw.text(), /^gateway-management-api /);
  const tooLarge = await send(`${gw.api}/apis`, "POST", { name: "a", openapi: "x".repeat(3000) });
  assert.equal(tooLarge.status, 413);
  await tooLarge.body?.cancel();
  const fits = await send(`${gw.api}/apis`, "POST", { name: "a", openapi: "x".repeat(1500) });
  assert.equal(fits.status, 400);
  await fits.body?.cancel();

  await Deno.writeTextFile(config, "prot: 8090\n");
  const unknown = await runGw({ args: ["serve", "--config", config] });
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /has an unknown key prot\. Did you mean port\?/);
  await Deno.writeTextFile(config, "port: many\n");
  const bad = await runGw({ args: ["serve", "--config", config] });
  assert.equal(bad.code, 2);
  assert.match(bad.stderr, /gw\.yaml: port many: a whole number from 0 to 65535 is meant here\./);
});

Deno.test("gw serve logs user, operation and object of each request as JSON", async () => {
  await using gw = await startServe({ args: ["--log-format", "json"] });
  await (await fetch(`${gw.api}/apis/default/absent`, { method: "DELETE" })).body?.cancel();
  const [line] = await gw.until(/\{.*"method":"DELETE".*\}/);
  const { time: _, duration: __, ...entry } = JSON.parse(line);
  assert.deepEqual(entry, {
    method: "DELETE",
    target: "/apis/default/absent",
    status: 404,
    mediaType: "application/problem+json",
    source: "delete apis/default/absent by anonymous",
    user: "anonymous",
    verb: "delete",
    object: "apis/default/absent",
    result: "refused",
  });
});
