import type { Cluster, User } from "@kubernetes/client-node";
import { isObject } from "../../lib/schema/json/node.ts";
import { reasonOf } from "../io/files/read.ts";

/** Options of {@linkcode readKubeConfig}. */
export interface KubeConfigOptions {
  /** The path of a kubeconfig. Default: the files that `KUBECONFIG` names, or `~/.kube/config`. */
  kubeconfig?: string;
  /** The context of the kubeconfig. Default: its current context. */
  context?: string;
  /** Whether to use the pod's service account. Default: yes in a pod, unless `kubeconfig` or `context` is given. */
  inCluster?: boolean;
}

/** The address of an API server, and the client's identity. */
export interface KubeConfig {
  /** The URL of the API server, such as `https://10.0.0.1:443`. */
  server: string;
  /** The CA certificates, in PEM, by which the client verifies the server's certificate. */
  ca?: string;
  /** The host name for which the server's certificate is verified. Default: the host of `server`. */
  tlsServerName?: string;
  /** Whether the server's certificate is accepted without verification. */
  skipsTlsVerify: boolean;
  /** The URL of a proxy, such as `http://proxy.example.com:3128`. */
  proxyUrl?: string;
  /** The namespace of requests that name none. */
  namespace: string;
  identity: Identity;
}

/** The identity of a client, by a token, a certificate or a program. It is empty for an anonymous client. */
export interface Identity {
  token?: string;
  /** The path of a file with the token, which another program may replace at any time. */
  tokenFile?: string;
  basic?: { username: string; password: string };
  certificate?: Certificate;
  exec?: ExecCommand;
}

/** A client certificate and its key, in PEM. */
export interface Certificate {
  cert: string;
  key: string;
}

/**
 * An exec plugin: a program that prints credentials.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins}
 */
export interface ExecCommand {
  apiVersion: string;
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Advice on how to install the program, for users who don't have it. */
  installHint: string;
}

/** The folder in which a pod finds its service account. */
const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

/** Tells whether this process runs in a pod with a service account. */
export function isInCluster(env: (name: string) => string | undefined): boolean {
  return Boolean(env("KUBERNETES_SERVICE_HOST")) && isFile(`${SERVICE_ACCOUNT}/token`);
}

/**
 * Reads the configuration for a cluster from the pod, or from a kubeconfig.
 *
 * @throws {Error} With a message that says what is wrong with the file.
 */
export async function readKubeConfig(options: KubeConfigOptions = {}): Promise<KubeConfig> {
  const namesNone = options.kubeconfig === undefined && options.context === undefined;
  const { inCluster = namesNone && isInCluster((name) => Deno.env.get(name)) } = options;
  return inCluster ? await readPod() : await readFile(options);
}

/**
 * Reads the service account of the pod. The result has the path of its token, not the token, because Kubernetes rotates
 * it.
 */
async function readPod(): Promise<KubeConfig> {
  const host = Deno.env.get("KUBERNETES_SERVICE_HOST");
  const port = Deno.env.get("KUBERNETES_SERVICE_PORT") ?? "443";
  if (!host) throw new Error("This is no pod of a cluster: KUBERNETES_SERVICE_HOST is not set. Name a --kubeconfig.");
  const namespace = await Deno.readTextFile(`${SERVICE_ACCOUNT}/namespace`).catch(() => "default");
  return {
    server: `https://${host.includes(":") ? `[${host}]` : host}:${port}`,
    ca: await Deno.readTextFile(`${SERVICE_ACCOUNT}/ca.crt`),
    skipsTlsVerify: false,
    namespace: namespace.trim(),
    identity: { tokenFile: `${SERVICE_ACCOUNT}/token` },
  };
}

async function readFile({ kubeconfig, context }: KubeConfigOptions): Promise<KubeConfig> {
  // This module takes longer to load than the rest of gw, and a `gw serve` outside a cluster never needs it.
  const { KubeConfig } = await import("@kubernetes/client-node");
  const config = new KubeConfig();
  const which = kubeconfig ?? (Deno.env.get("KUBECONFIG") || "~/.kube/config");
  try {
    if (kubeconfig === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfig);
  } catch (error) {
    throw new Error(`Cannot read ${which}: ${reasonOf(error)}.`, { cause: error });
  }
  const name = context ?? config.getCurrentContext() ?? "";
  const found = config.getContextObject(name);
  const contexts = config.getContexts().map(({ name }) => name);
  // Without a kubeconfig, the client makes up this context, of http://localhost:8080.
  if (found === null && contexts.length === 1 && contexts[0] === "loaded-context") {
    throw new Error(`There is no kubeconfig, and so no context ${name}. Name one with --kubeconfig or KUBECONFIG.`);
  }
  const known = contexts.join(", ") || "none";
  if (found === null) {
    const missing = name === "" ? "says no current-context; name one with --context" : `has no context ${name}`;
    throw new Error(`${which} ${missing}; it has ${known}.`);
  }
  const cluster = config.getCluster(found.cluster);
  if (cluster === null) throw new Error(`${which} has no cluster ${found.cluster}, which its context ${name} names.`);
  const user = config.getUser(found.user);
  return { ...await readCluster(cluster), namespace: found.namespace ?? "default", identity: await readUser(user) };
}

async function readCluster(cluster: Cluster): Promise<Omit<KubeConfig, "namespace" | "identity">> {
  const { server, caData, caFile, tlsServerName, skipTLSVerify, proxyUrl } = cluster;
  const ca = await readPem(caData, caFile);
  return {
    server: server.replace(/\/+$/, ""),
    skipsTlsVerify: skipTLSVerify === true,
    ...(ca === undefined ? {} : { ca }),
    ...(tlsServerName ? { tlsServerName } : {}),
    ...(proxyUrl ? { proxyUrl } : {}),
  };
}

async function readUser(user: User | null): Promise<Identity> {
  if (user === null) return {};
  const { token, username, password, certData, certFile, keyData, keyFile } = user;
  const authProvider: unknown = user.authProvider;
  const exec = readExec(user.exec);
  const tokenFile = isObject(authProvider) && isObject(authProvider["config"])
    ? authProvider["config"]["tokenFile"]
    : undefined;
  const [cert, key] = [await readPem(certData, certFile), await readPem(keyData, keyFile)];
  return {
    ...(token ? { token } : {}),
    ...(typeof tokenFile === "string" ? { tokenFile } : {}),
    ...(username ? { basic: { username, password: password ?? "" } } : {}),
    ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
    ...(exec === undefined ? {} : { exec }),
  };
}

function readExec(written: unknown): ExecCommand | undefined {
  if (!isObject(written) || typeof written["command"] !== "string") return undefined;
  const { apiVersion, command, args, env, installHint } = written;
  const variables = (Array.isArray(env) ? env : []).flatMap((variable: unknown): [string, string][] =>
    isObject(variable) ? [[String(variable["name"]), String(variable["value"])]] : []
  );
  return {
    apiVersion: typeof apiVersion === "string" ? apiVersion : "client.authentication.k8s.io/v1",
    command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(variables),
    installHint: typeof installHint === "string" ? installHint : "",
  };
}

async function readPem(base64: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (base64) return new TextDecoder().decode(Uint8Array.fromBase64(base64));
  if (!file) return undefined;
  try {
    return await Deno.readTextFile(file);
  } catch (error) {
    throw new Error(`Cannot read ${file}, which the kubeconfig names: ${reasonOf(error)}.`, { cause: error });
  }
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
