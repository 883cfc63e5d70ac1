import assert from "node:assert/strict";
import type { Output } from "../../cmd/io/terminal/terminal.ts";
import { manifests } from "../../cmd/commands/manifests.ts";
import type { Platform } from "../../cmd/line/platform.ts";
import { parseAllDocuments } from "yaml";

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: "", err: "" };
  const output = (name: "out" | "err"): Output => ({
    color: false,
    waiting: 0,
    isClosed: false,
    write: (text) => void (written[name] += text),
    flush: () => Promise.resolve(),
  });
  const platform: Platform = {
    env: () => undefined,
    envNames: () => [],
    readStdin: () => Promise.reject(new Error("not used")),
    onStop: () => () => {},
    stdout: output("out"),
    stderr: output("err"),
  };
  return { code: await manifests(args, platform), ...written };
}

function kindsOf(text: string): Set<string> {
  return new Set(parseAllDocuments(text).map((document) => document.toJS().kind));
}

Deno.test("gw manifests prints YAML", async () => {
  const { code, out, err } = await run();
  assert.equal(code, 0);
  assert.equal(err, "");
  const kinds = kindsOf(out);
  for (const kind of ["Namespace", "CustomResourceDefinition", "ClusterRole", "Deployment", "NetworkPolicy"]) {
    assert.ok(kinds.has(kind), kind);
  }
  assert.ok(!kinds.has("ServiceMonitor"));
});

Deno.test("gw manifests prints the requested parts", async () => {
  assert.deepEqual(kindsOf((await run("--only", "crds")).out), new Set(["CustomResourceDefinition"]));
  assert.ok(kindsOf((await run("--service-monitor")).out).has("ServiceMonitor"));
  const { out } = await run("--only=serve", "-n", "edge", "--image", "example/gw:2", "--replicas", "5");
  assert.match(out, /^ {2}replicas: 5$/m);
  assert.match(out, /image: example\/gw:2$/m);
  assert.match(out, /^ {2}namespace: edge$/m);
  const { out: policies } = await run(
    "--egress-port",
    "7443",
    "--egress-port=6443",
    "--otel-endpoint",
    "http://otel:4318",
  );
  assert.deepEqual([...policies.matchAll(/port: (7443|6443|4318)$/gm)].map(([, port]) => port), [
    ...["7443", "6443", "4318"],
    ...["7443", "6443", "4318"],
  ]);
  assert.match(policies, /value: http:\/\/otel:4318$/m);
});

Deno.test("gw manifests explains an invalid command line", async (test) => {
  const cases: [string[], RegExp][] = [
    [["todo.yaml"], /^gw manifests takes flags only, not todo\.yaml\./],
    [["--only", "crd"], /^--only crd: one of crds, rbac, serve, mock is meant here\. Did you mean crds\?/],
    [["--namespace", "Edge"], /^--namespace Edge: the name of a namespace is meant here/],
    [["--image", "a b"], /^--image a b: an image is meant here/],
    [["--egress-port", "0"], /^--egress-port 0: a whole number from 1 to 65535 is meant here/],
    [["--otel-endpoint", "otel:4318"], /^--otel-endpoint otel:4318: a URL such as/],
    [["--replicas", "0"], /^--replicas 0: a whole number from 1 to 100 is meant here/],
  ];
  for (const [args, want] of cases) {
    await test.step(args.join(" "), async () => {
      const { code, out, err } = await run(...args);
      assert.deepEqual({ code, out }, { code: 2, out: "" });
      assert.match(err, want);
    });
  }
});
