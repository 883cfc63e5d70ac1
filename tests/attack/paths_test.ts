/**
 * `gw serve` before real servers: no spelling of a path reaches a protected or disabled operation, by an open template or
 * by a static route beside it.
 *
 * @module
 */
import assert from "node:assert/strict";
import { send, startServe } from "../cmd/serve_process.ts";
import { definitionOf, OPEN, SECRET, SPELLINGS } from "../paths/spellings.ts";
import { SERVERS } from "../paths/servers.ts";
import { converse } from "./wire.ts";

/** A host with the API alone, and one with a static route beside it. */
const HOSTS = ["alone.example", "beside.example"] as const;

for (const [name, start] of Object.entries(SERVERS)) {
  Deno.test(`gw serve before ${name}: no spelling of a path reaches what is refused`, async () => {
    await using server = await start("127.0.0.1");
    await using gw = await startServe({ args: ["--quiet"] });
    const upstream = { host: { hostname: "127.0.0.1", port: server.port } };
    for (const host of HOSTS) {
      const openapi = JSON.stringify(definitionOf({ hosts: [host], upstream }));
      await create(`${gw.api}/apis`, { name: host.replace(".example", ""), openapi });
    }
    await create(`${gw.api}/staticroutes`, {
      name: "rest",
      openapi: JSON.stringify({
        openapi: "3.1.0",
        info: { title: "Rest", version: "1" },
        paths: {},
        "x-svc": { hosts: ["beside.example"], upstream },
      }),
    });
    const port = Number(new URL(gw.fleet).port);
    const ask = (method: string, host: string, path: string): Promise<string> =>
      converse(port, {
        text: `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        timeout: 10_000,
      });

    const direct = await converse(server.port, {
      text: "GET /users/admin HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
      timeout: 10_000,
    });
    assert.match(direct, new RegExp(SECRET));
    const passed: string[] = [];
    for (const host of HOSTS) {
      for (const path of SPELLINGS) {
        for (const method of ["GET", "POST"]) {
          const answer = await ask(method, host, path);
          assert.match(answer, /^HTTP/, path);
          if (answer.includes(SECRET)) passed.push(`${method} ${host} ${path}`);
        }
      }
      for (const [path, want] of Object.entries(OPEN)) {
        assert.equal((await ask("GET", host, path)).split(/\r\n/).find((line) => line.startsWith("/")), want, path);
      }
    }
    assert.deepEqual(passed, []);
  });
}

async function create(url: string, content: unknown): Promise<void> {
  const response = await send(url, "POST", content);
  assert.ok(response.ok, await response.text());
}
