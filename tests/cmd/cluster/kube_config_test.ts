import assert from "node:assert/strict";
import { readKubeConfig } from "../../../cmd/cluster/kube_config.ts";

const PEM = "-----BEGIN CERTIFICATE-----\nä\n-----END CERTIFICATE-----\n";
const BASE64 = new TextEncoder().encode(PEM).toBase64();

const CONFIG = {
  apiVersion: "v1",
  kind: "Config",
  "current-context": "plain",
  clusters: [
    { name: "plain", cluster: { server: "http://10.0.0.1:8001/" } },
    {
      name: "full",
      cluster: {
        server: "https://10.0.0.1:6443/clusters/a",
        "certificate-authority-data": BASE64,
        "tls-server-name": "api.example",
        "insecure-skip-tls-verify": true,
        "proxy-url": "http://proxy.example:3128",
      },
    },
    { name: "files", cluster: { server: "https://10.0.0.1", "certificate-authority": "ca.crt" } },
  ],
  users: [
    { name: "token", user: { token: "abc" } },
    { name: "certificate", user: { "client-certificate-data": BASE64, "client-key": "key.pem" } },
    { name: "password", user: { username: "jane", password: "x" } },
    {
      name: "program",
      user: {
        exec: {
          apiVersion: "client.authentication.k8s.io/v1",
          command: "login",
          args: ["--for", "gw"],
          env: [{ name: "A", value: "b" }],
          installHint: "Install it.",
        },
      },
    },
  ],
  contexts: [
    { name: "plain", context: { cluster: "plain", user: "token" } },
    { name: "full", context: { cluster: "full", user: "certificate", namespace: "shop" } },
    { name: "files", context: { cluster: "files", user: "program" } },
    { name: "password", context: { cluster: "plain", user: "password" } },
    { name: "nobody", context: { cluster: "plain", user: "absent" } },
    { name: "nowhere", context: { cluster: "absent", user: "token" } },
  ],
};

Deno.test("readKubeConfig() reads the server and the identity of a client", async (t) => {
  const plain = { server: "http://10.0.0.1:8001", skipsTlsVerify: false, namespace: "default" };
  const exec = {
    apiVersion: "client.authentication.k8s.io/v1",
    command: "login",
    args: ["--for", "gw"],
    env: { A: "b" },
    installHint: "Install it.",
  };
  const table: [context: string | undefined, want: unknown][] = [
    [undefined, { ...plain, identity: { token: "abc" } }],
    ["full", {
      server: "https://10.0.0.1:6443/clusters/a",
      ca: PEM,
      tlsServerName: "api.example",
      skipsTlsVerify: true,
      proxyUrl: "http://proxy.example:3128",
      namespace: "shop",
      identity: { certificate: { cert: PEM, key: "key" } },
    }],
    ["files", {
      server: "https://10.0.0.1",
      ca: "ca",
      skipsTlsVerify: false,
      namespace: "default",
      identity: { exec },
    }],
    ["password", { ...plain, identity: { basic: { username: "jane", password: "x" } } }],
    ["nobody", { ...plain, identity: {} }],
  ];
  await using kubeconfig = await writeConfig(CONFIG);
  for (const [context, want] of table) {
    await t.step(context ?? "the current context", async () => {
      const options = { kubeconfig: kubeconfig.path, ...(context === undefined ? {} : { context }) };
      assert.deepEqual(await readKubeConfig(options), want);
    });
  }
});

Deno.test("readKubeConfig() says what is wrong with a kubeconfig", async (t) => {
  const table: [what: string, config: unknown, context: string | undefined, message: RegExp][] = [
    ["an unknown context", CONFIG, "staging", /has no context staging; it has plain, full, files, /],
    ["an unknown cluster", CONFIG, "nowhere", /has no cluster absent, which its context nowhere names/],
    ["no context", { ...CONFIG, "current-context": undefined }, undefined, /says no current-context/],
    ["nothing", "nonsense", undefined, /kubeconfig/],
  ];
  for (const [what, config, context, message] of table) {
    await t.step(what, async () => {
      await using kubeconfig = await writeConfig(config);
      const options = { kubeconfig: kubeconfig.path, ...(context === undefined ? {} : { context }) };
      await assert.rejects(readKubeConfig(options), message);
    });
  }
});

Deno.test("readKubeConfig() says that there is no kubeconfig with a context", async () => {
  const home = await Deno.makeTempDir();
  const variables = { HOME: home, USERPROFILE: home, KUBECONFIG: "" };
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    await assert.rejects(readKubeConfig({ context: "staging" }), {
      message: "There is no kubeconfig, and so no context staging. Name one with --kubeconfig or KUBECONFIG.",
    });
    await Deno.mkdir(`${home}/.kube`);
    await Deno.writeTextFile(`${home}/.kube/config`, JSON.stringify(CONFIG));
    await assert.rejects(
      readKubeConfig({ context: "staging" }),
      /^Error: ~\/\.kube\/config has no context staging; it /,
    );
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
    await Deno.remove(home, { recursive: true });
  }
});

async function writeConfig(config: unknown): Promise<AsyncDisposable & { path: string }> {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/ca.crt`, "ca");
  await Deno.writeTextFile(`${folder}/key.pem`, "key");
  await Deno.writeTextFile(`${folder}/kubeconfig`, JSON.stringify(config));
  return {
    path: `${folder}/kubeconfig`,
    [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }),
  };
}
