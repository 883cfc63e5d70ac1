import assert from "node:assert/strict";
import { mock } from "../../cmd/commands/mock.ts";
import { recordPlatform } from "./recorded_platform.ts";

Deno.test("gw mock --cluster refuses flags that contradict it", async (t) => {
  const cases: { args: string[]; env?: Record<string, string>; message: RegExp }[] = [
    { args: ["--cluster", "todo.yaml"], message: /definitions come from the cluster: leave todo\.yaml out/ },
    { args: ["--cluster", "--in", "todo.yaml"], message: /leave todo\.yaml out/ },
    { args: ["--cluster", "--dynamic"], message: /--dynamic can't be said with --cluster/ },
    { args: ["--cluster", "--seed", "7"], message: /--seed can't/ },
    { args: ["--cluster", "--validate", "error"], message: /--validate can't/ },
    { args: ["--cluster", "--proxy", "http://localhost:3000"], message: /--proxy can't/ },
    { args: ["--cluster", "--callbacks"], message: /--callbacks can't/ },
    { args: ["--cluster", "--no-watch"], message: /--no-watch can't/ },
    { args: ["--cluster", "--tls-cert", "a.pem", "--tls-key", "b.pem"], message: /--tls-cert can't/ },
    { args: ["--cluster"], env: { GW_MOCK_DELAY: "200" }, message: /--delay can't/ },
    { args: ["todo.yaml", "--kubeconfig", "config"], message: /--kubeconfig says something of --cluster only/ },
    { args: ["todo.yaml", "--context", "kind"], message: /--context says/ },
    { args: ["todo.yaml", "--check-port", "9000"], message: /--check-port says/ },
  ];
  for (const { args, env = {}, message } of cases) {
    await t.step([...Object.entries(env).map((pair) => pair.join("=")), ...args].join(" "), async () => {
      const platform = recordPlatform({ env });
      assert.equal(await mock(args, platform), 2);
      assert.match(platform.printed.stderr, message);
    });
  }
});

Deno.test("gw mock --cluster ends with 3 where there is no cluster to ask, and says why", async () => {
  const platform = recordPlatform();
  assert.equal(
    await mock(["--cluster", "--kubeconfig", "no/such/file", "--port", "0", "--check-port", "0"], platform),
    3,
  );
  assert.equal(platform.printed.stderr, "Cannot read no/such/file: there is no such file.\n");
});
