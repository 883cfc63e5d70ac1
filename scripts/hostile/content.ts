import { createStore } from "../../tests/cmd/serve_process.ts";
import { programWords } from "../bench/candidates.ts";
import type { Outcome } from "./commands.ts";
import { isListening, settle, start } from "./process.ts";
import { freePort } from "../../tests/free_port.ts";

/** Starts a `gw serve`, sends content to its management API, and measures CPU time and memory. */
export async function postContent(program: string, content: string): Promise<Outcome> {
  const folder = await Deno.makeTempDir({ prefix: "gw_hostile_" });
  try {
    await createStore(folder);
    const port = freePort();
    await using process = start([
      ...programWords(program),
      ...["serve", "--quiet", "--data", folder, "--port", String(port)],
    ]);
    await isListening(process, port);
    await settle(process);
    const { cpuSeconds } = process.taken();
    const response = await fetch(`http://127.0.0.1:${port}/apis`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: new TextEncoder().encode(content),
    });
    await response.bytes();
    const taken = process.taken();
    return {
      cpuSeconds: taken.cpuSeconds - cpuSeconds,
      megabytes: taken.megabytes,
      status: String(response.status),
      isBroken: response.status >= 500,
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
