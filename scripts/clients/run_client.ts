import { generate } from "selfsigned";
import { type Running, startGw } from "../../tests/cmd/process.ts";
import { type Client, flagsOf, type Mode } from "./client.ts";
import { provideDefinition } from "./definition.ts";
import { prepareGo } from "./go_runner.ts";
import { prepareNode } from "./node_runner.ts";
import { preparePython } from "./python_runner.ts";
import type { TestResult } from "./result.ts";
import type { Runner } from "./runner.ts";

/** Downloads a client's tests and their dependencies, unless they are in the cache. */
export async function prepareClient(client: Client): Promise<Runner> {
  switch (client.tests.language) {
    case "Go":
      return await prepareGo(client, client.tests);
    case "Python":
      return await preparePython(client, client.tests);
    case "Node":
      return await prepareNode(client, client.tests);
  }
}

/** Starts a `gw mock`, and runs a client's tests against it. */
export async function runClient(
  client: Client,
  runner: Runner,
  mode: Mode,
  sample: readonly string[],
): Promise<TestResult[]> {
  await using gw = await startMock(client, mode);
  return await runner.run(client.environment(new URL(gw.url)), sample);
}

async function startMock(client: Client, mode: Mode): Promise<Running> {
  const args = ["mock", await provideDefinition(client), "--quiet", ...flagsOf(client, mode)];
  if (client.tls !== true) return await startGw({ args });
  const folder = await Deno.makeTempDir();
  try {
    const { cert, private: key } = await generate([{ name: "commonName", value: "localhost" }]);
    await Deno.writeTextFile(`${folder}/cert.pem`, cert);
    await Deno.writeTextFile(`${folder}/key.pem`, key);
    return await startGw({ args: [...args, "--tls-cert", `${folder}/cert.pem`, "--tls-key", `${folder}/key.pem`] });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
