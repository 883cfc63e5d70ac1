/**
 * Runs a program of a Deployment as in a pod, with its own volumes and host names.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import type { ApiServer } from "./api_server.ts";
import { type Daemon, startDaemon } from "./daemon.ts";

/** The Kubernetes namespace of Envoy Gateway and its proxies. */
export const SYSTEM = "envoy-gateway-system";

/** A host outside the cluster that all pods can resolve. */
export const OUTSIDE = { name: "id.example.com", address: "10.77.0.2" };

/** The system's file of trusted certificate authorities, which Envoy Gateway and Envoy read. */
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

const SCRIPT = fileURLToPath(import.meta.resolve("./pod.sh"));

export interface PodOptions {
  /**
   * The folder with the files of the pod. The program sees its subfolders `certs`, `sds` and `hosts`; its output is in
   * `log`.
   */
  folder: string;
  command: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** The file of a certificate authority that the pod trusts beside the system's. */
  authority?: string;
}

export async function startPod({ folder, command, env = {}, authority }: PodOptions): Promise<Daemon> {
  await Deno.mkdir(folder, { recursive: true });
  // Envoy looks this name up with a trailing dot.
  const xds = `envoy-gateway.${SYSTEM}.svc.cluster.local`;
  await Deno.writeTextFile(
    `${folder}/hosts`,
    `127.0.0.1 localhost ${xds}. ${xds}\n${OUTSIDE.address} ${OUTSIDE.name}\n`,
  );
  if (authority !== undefined) {
    const all = [await Deno.readTextFile(AUTHORITIES), await Deno.readTextFile(authority)];
    await Deno.writeTextFile(`${folder}/authorities`, all.join("\n"));
  }
  return startDaemon({ command: [SCRIPT, folder, ...command], log: `${folder}/log`, env });
}

/** Writes each key of a Secret or ConfigMap as a file. */
export async function mountVolume(
  api: ApiServer,
  kind: "Secret" | "ConfigMap",
  name: string,
  folder: string,
): Promise<void> {
  const object = await api.read({ apiVersion: "v1", kind, metadata: { namespace: SYSTEM, name } });
  if (object === undefined) throw new Error(`No ${kind} ${SYSTEM}/${name}`);
  await Deno.mkdir(folder, { recursive: true });
  for (const [file, text] of Object.entries(Object(object["data"]))) {
    const content = kind === "Secret" ? Uint8Array.fromBase64(String(text)) : new TextEncoder().encode(String(text));
    await Deno.writeFile(`${folder}/${file}`, content);
  }
}
