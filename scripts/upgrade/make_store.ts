import { spawn } from "../../tests/cmd/process.ts";
import { FLEETS, STORED } from "../../tests/upgrade/stored.ts";
import { programIn } from "./old_program.ts";
import { freePort } from "../../tests/free_port.ts";

/** Deploys {@linkcode STORED} with the program in a folder, and copies its store to `target`. */
export async function makeStore(folder: string, target: string): Promise<void> {
  const data = await Deno.makeTempDir({ prefix: "gw-upgrade-" });
  try {
    const args = ["serve", "--port", "0", "--data", data, "--service", "default/echo=http://127.0.0.1:1"];
    await using gw = spawn({ program: programIn(folder), args });
    const [, api = ""] = await gw.until(/gateway-management-api [\d.]+ on (http:\/\/[^\s"]+)/);
    for (const fleet of FLEETS.filter((fleet) => fleet !== "default/default")) {
      const [namespace = "", name = ""] = fleet.split("/");
      const ports = [{ name: "http", port: freePort(), protocol: "TCP" }];
      await post(`${api}/fleets`, { namespace, name, serviceType: "ClusterIP", ports });
    }
    for (const { kind, namespace, name, fleet, openapi } of STORED) {
      const [proxyFleetNamespace = "", proxyFleetName = ""] = fleet.split("/");
      await post(`${api}/${kind}`, { namespace, name, proxyFleetNamespace, proxyFleetName, openapi });
    }
    gw.signal("SIGTERM");
    await gw.ended;
    const left = [...Deno.readDirSync(data)].map(({ name }) => name);
    if (left.join() !== "gw.db") throw new Error(`The store isn't one file: ${left.join(", ")}`);
    await Deno.copyFile(`${data}/gw.db`, target);
  } finally {
    await Deno.remove(data, { recursive: true });
  }
}

async function post(url: string, content: unknown): Promise<void> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(content) });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${text}`);
}
