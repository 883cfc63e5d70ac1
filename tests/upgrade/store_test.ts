/**
 * The current `gw serve` opens a store that commit 27b1f2d wrote.
 *
 * @module
 */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import * as jose from "jose";
import { ask } from "../cluster/support/ask.ts";
import { type Serving, startServe } from "../cmd/serve_process.ts";
import { type Exchange, FLEETS, ISSUER_PORT, PASS, STORED, TOKEN } from "./stored.ts";
import { freePort } from "../free_port.ts";

const STORE = fileURLToPath(import.meta.resolve("./data/gw.db"));

Deno.test("A store of an earlier version: each accepted API is served, what was closed stays closed", async (t) => {
  const data = await Deno.makeTempDir({ prefix: "gw-upgrade-" });
  await using echo = startStub(({ method, url }) => new Response(`${method} ${pathOf(url)}`));
  await using guard = startStub(({ url, headers }) => {
    const status = headers.get("x-pass") === PASS["x-pass"] ? 200 : 403;
    return new Response(`guard at ${pathOf(url)}`, { status });
  });
  const issuer = await createIssuer();
  await using keys = startStub(() => Response.json({ keys: [issuer.key] }));
  const ports = new Map(FLEETS.map((fleet) => [fleet as string, freePort()]));
  await Deno.copyFile(STORE, `${data}/gw.db`);
  adapt(`${data}/gw.db`, ports, keys.port);

  try {
    // Start gw twice: the first start may write to the store, for example to migrate it.
    for (const start of ["first", "second"]) {
      const services = { "default/echo": echo.port, "team-b/echo": echo.port, "default/guard": guard.port };
      const args = Object.entries(services).flatMap((
        [name, port],
      ) => ["--service", `${name}=http://127.0.0.1:${port}`]);
      await using gw = await startServe({ data, args });
      await t.step(`the ${start} start complains of nothing`, () => {
        assert.doesNotMatch(gw.text(), /can't be served/);
      });
      await t.step(`the ${start} start lists each object`, async () => {
        for (const kind of ["apis", "staticroutes"] as const) {
          const listed: { namespace: string; name: string }[] = await (await fetch(`${gw.api}/${kind}`)).json();
          const want = STORED.filter((one) => one.kind === kind).map(nameOf).sort();
          assert.deepEqual(listed.map(nameOf).sort(), want);
        }
      });
      for (const { kind, namespace, name, fleet, exchanges } of STORED) {
        for (const exchange of exchanges) {
          const title = `the ${start} start, ${kind} ${namespace}/${name}: ${exchange.request} ${exchange.status}`;
          await t.step(title, () => check(ports.get(fleet) ?? 0, exchange, issuer.token));
        }
      }
      await stop(gw);
    }
  } finally {
    await Deno.remove(data, { recursive: true });
  }
});

async function check(port: number, { request, host, headers, body, status, has = "" }: Exchange, token: string) {
  const [method = "", path = ""] = request.split(" ");
  const reply = await ask(port, {
    method,
    path,
    host: host ?? `127.0.0.1:${port}`,
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(headers === TOKEN ? { authorization: `Bearer ${token}` } : headers),
    },
    ...(body === undefined ? {} : { body }),
  });
  assert.equal(reply.status, status, reply.text);
  assert.ok(reply.text.includes(has), reply.text);
}

/**
 * Adapts the copy of a store to this test: free ports for its fleets, and the port of the test's issuer in its
 * definitions.
 */
function adapt(path: string, ports: ReadonlyMap<string, number>, keysPort: number): void {
  const database = new DatabaseSync(path);
  const setPort = database.prepare(
    "UPDATE resource SET spec = json_replace(spec, '$.ports[0].port', ?) " +
      "WHERE kind = 'fleet' AND namespace || '/' || name = ?",
  );
  for (const [fleet, port] of ports) setPort.run(port, fleet);
  database.prepare("UPDATE resource SET spec = replace(spec, ?, ?)")
    .run(`127.0.0.1:${ISSUER_PORT}/keys`, `127.0.0.1:${keysPort}/keys`);
  database.close();
}

async function createIssuer(): Promise<{ key: jose.JWK; token: string }> {
  const { publicKey, privateKey } = await jose.generateKeyPair("ES256");
  const token = await new jose.SignJWT({ iss: "https://id.example", aud: "bank" })
    .setProtectedHeader({ alg: "ES256", kid: "test" }).setExpirationTime("1h").sign(privateKey);
  return { key: { ...await jose.exportJWK(publicKey), kid: "test", alg: "ES256" }, token };
}

function startStub(answer: (request: Request) => Response): { port: number } & AsyncDisposable {
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, answer);
  return { port: server.addr.port, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function stop(gw: Serving): Promise<void> {
  gw.signal("SIGTERM");
  assert.equal((await gw.ended).code, 0);
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

function nameOf({ namespace, name }: { namespace: string; name: string }): string {
  return `${namespace}/${name}`;
}
