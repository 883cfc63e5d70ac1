/**
 * Envoy before real servers: no spelling of a path reaches a protected or disabled operation, by an open template or by a
 * static route beside it. tests/attack/paths_test.ts asks the embedded gateway the same.
 *
 * @module
 */
import assert from "node:assert/strict";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import { converse } from "../../attack/wire.ts";
import { SERVERS } from "../../paths/servers.ts";
import { definitionOf, OPEN, SECRET, SPELLINGS } from "../../paths/spellings.ts";
import { normalPath } from "../../../lib/http/url/normal_path.ts";
import { deployApi, deployFleet, untilTrue } from "../support/deploy.ts";
import { takeStack } from "../support/stack.ts";
import { startIssuer } from "../support/tokens.ts";
import { until } from "../support/until.ts";
import { newAddress, serviceObjects } from "../support/upstream.ts";

for (const [name, start] of Object.entries(SERVERS)) {
  Deno.test(`Envoy before ${name}: no spelling of a path reaches what is refused`, async () => {
    await using stack = await takeStack();
    await stack.installGw();
    const address = newAddress();
    await using server = await start(address);
    await using issuer = await startIssuer();
    const namespace = await stack.api.createNamespace();
    await stack.api.apply(...serviceObjects({ namespace, name, endpoints: [{ address, port: server.port }] }));
    const { port } = await deployFleet(stack, namespace);
    const upstream = { service: { name } };
    const hosts = [`alone.${name}.example`, `beside.${name}.example`];
    const rest = {
      apiVersion: API_VERSION,
      kind: "StaticRoute",
      metadata: { namespace, name: "rest" },
      spec: { fleet: { name: "edge" }, hosts: hosts.slice(1), upstream },
    };
    await stack.api.apply(rest);
    await Promise.all(hosts.map((host, index) =>
      deployApi(stack.api, {
        namespace,
        name: `api-${index}`,
        definition: definitionOf({ hosts: [host], upstream }, issuer.jwksUri),
      }, 90_000)
    ));
    await untilTrue(stack.api, rest, "Programmed");
    const ask = (method: string, host: string, path: string): Promise<string> =>
      converse(port, {
        text: `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`,
        timeout: 10_000,
      });

    const passed: string[] = [];
    const statuses: string[] = [];
    const attack = async (method: string, host: string, path: string): Promise<void> => {
      const answer = await ask(method, host, path);
      assert.match(answer, /^HTTP/, path);
      if (answer.includes(SECRET)) passed.push(`${method} ${host} ${path}`);
      // Envoy resolves `..;x` as `..` itself, and nginx refuses `%u002e`.
      if (/\/\.\.?;|%u/.test(path)) return;
      const isRefused = answer.startsWith("HTTP/1.1 400");
      if (isRefused !== (normalPath(path) === undefined)) statuses.push(`${host} ${path} ${answer.slice(9, 12)}`);
    };
    for (const host of hosts) {
      await until(async () => (await ask("GET", host, "/users/admin")).startsWith("HTTP/1.1 401"), { within: 60_000 });
      // Envoy waits a second before it closes a connection, so several requests are sent at a time.
      for (const method of ["GET", "POST"]) await Promise.all(SPELLINGS.map((path) => attack(method, host, path)));
      for (const [path, want] of Object.entries(OPEN)) {
        assert.equal((await ask("GET", host, path)).split(/\r\n/).find((line) => line.startsWith("/")), want, path);
      }
    }
    assert.deepEqual({ passed, statuses }, { passed: [], statuses: [] });
    assert.doesNotMatch(await stack.logOfEnvoys(), /rejected/);
  });
}
