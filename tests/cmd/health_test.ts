import assert from "node:assert/strict";
import { HEALTH_COMMAND } from "../../cmd/commands/health.ts";
import { MANAGEMENT_PORT } from "../../cmd/serve/settings.ts";
import { runGw, startGw } from "./process.ts";
import { startServe } from "./serve_process.ts";
import { TODO } from "./definitions.ts";

Deno.test("gw health ends with 0 when a server answers 2xx", async () => {
  await using gw = await startGw({ args: ["mock", TODO] });
  const up = await runGw({ args: ["health", `${gw.url}/_gw/health`] });
  assert.deepEqual([up.code, up.stdout, up.stderr], [0, "", ""]);
  const missing = await runGw({ args: ["health", `${gw.url}/nothing`] });
  assert.deepEqual([missing.code, missing.stderr], [3, `${gw.url}/nothing answers 404.\n`]);
});

Deno.test("The examples of gw health ask the ports and paths of gw mock and gw serve", async () => {
  const urls = HEALTH_COMMAND.examples.flatMap(({ line }) => /http:\S+/.exec(line) ?? []);
  assert.deepEqual(urls, [`http://127.0.0.1:${MANAGEMENT_PORT}/healthz`]);
  await using gw = await startServe();
  // Not the fleet, which serves the deployed APIs.
  const fleet = await runGw({ args: ["health", `${gw.fleet}/healthz`] });
  assert.equal(fleet.code, 3);
  const up = await runGw({ args: ["health", `${gw.api}/healthz`] });
  assert.deepEqual([up.code, up.stderr], [0, ""]);
});

Deno.test("gw health says what is wrong with its operands, and ends with 2", async () => {
  const cases = [
    { args: ["ftp://127.0.0.1/"], want: "ftp://127.0.0.1/ is no URL of HTTP, such as" },
    { args: ["8080"], want: "8080 is no URL of HTTP, such as" },
    { args: ["http://a", "http://b"], want: "One URL at a time, please." },
  ];
  for (const { args, want } of cases) {
    const { code, stderr } = await runGw({ args: ["health", ...args] });
    assert.equal(code, 2);
    assert.ok(stderr.startsWith(want), stderr);
  }
});

Deno.test("gw health ends with 3 where nothing listens", async () => {
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = taken.addr;
  taken.close();
  const { code, stderr } = await runGw({ args: ["health", `http://127.0.0.1:${port}/`] });
  assert.equal(code, 3);
  assert.match(stderr, /^http:\/\/127\.0\.0\.1:\d+\/ doesn't answer: (?!fetch failed).+\.\n$/);
});
