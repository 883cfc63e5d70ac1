/**
 * A real Kubernetes API server: etcd and kube-apiserver on this machine. No controllers of Kubernetes run: namespaces
 * aren't deleted, and dependents of deleted owners aren't collected. So each test makes its own namespace.
 *
 * @module
 */
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { type KubernetesTools, provideKubernetes } from "../../../scripts/cluster/tools.ts";
import { createCertificates, createUserCertificate } from "./certificates.ts";
import { type Daemon, runCommand, startDaemon } from "./daemon.ts";
import { collectionOf, pathOf } from "./resource_path.ts";
import { until } from "./until.ts";
import { freePort } from "../../free_port.ts";

/** The environment variable with the folder of the server that all test files share. */
export const SHARED_SERVER = "GW_TEST_API_SERVER";

export interface ApiServerOptions {
  /** Whether to start a separate server. A test that stops the server needs one. Default: the shared server is used. */
  own?: boolean;
}

/** A Kubernetes API server. */
export interface ApiServer extends AsyncDisposable {
  /** The URL, such as `https://127.0.0.1:41233`. */
  readonly url: string;
  /** The folder of the server's files: `kubeconfig`, `pki/ca.crt`, `*.log`. */
  readonly folder: string;
  /**
   * The path of a kubeconfig. Its contexts are `admin` (the current one, by certificate), `admin-token` and `nobody`.
   */
  readonly kubeconfig: string;
  /** Bearer tokens of two users: `admin` may do anything, `nobody` nothing. */
  readonly tokens: { readonly admin: string; readonly nobody: string };
  /** Sends a request as the user `admin`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a request with a JSON body as the user `admin`. Rejects with the server's message if it fails. */
  request(method: string, path: string, body?: unknown, contentType?: string): Promise<KubernetesObject>;
  /** Applies objects one after the other by server-side apply. */
  apply(...objects: readonly KubernetesObject[]): Promise<void>;
  /** Reads an object; `undefined` if it doesn't exist. */
  read(object: KubernetesObject): Promise<KubernetesObject | undefined>;
  /** Deletes an object, if it exists. */
  delete(object: KubernetesObject): Promise<void>;
  /** Runs kubectl as the user `admin`. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /**
   * Writes objects directly into etcd, with their uids, generations, field managers and statuses. The API server would
   * set new ones.
   */
  restore(...objects: readonly KubernetesObject[]): Promise<void>;
  /** Makes a namespace with a unique name. */
  createNamespace(): Promise<string>;
  /** Makes a kubeconfig for a new user, who is identified by a certificate. */
  createUser(name: string, groups?: readonly string[]): Promise<string>;
  /** Makes a bearer token for a service account, which is created if missing. */
  createToken(namespace: string, serviceAccount: string): Promise<string>;
  /** Stops kube-apiserver, but not etcd. Allowed only with `own: true`. */
  stop(): Promise<void>;
  /** Starts kube-apiserver again, at the same address, and waits until it is ready. */
  start(): Promise<void>;
}

/** The contents of `server.json`, by which test files find the shared server. */
interface Address {
  url: string;
  etcd: string;
  tokens: { admin: string; nobody: string };
}

/**
 * Starts an API server with the CRDs of the Gateway API and of Envoy Gateway, or connects to the shared one.
 *
 * @throws {Error} If a program of the cluster can't be installed; the message says which.
 */
export async function startApiServer({ own = false }: ApiServerOptions = {}): Promise<ApiServer> {
  const tools = await provideKubernetes();
  const shared = Deno.env.get(SHARED_SERVER) ?? "";
  if (!own && shared !== "") {
    const address: Address = JSON.parse(await Deno.readTextFile(`${shared}/server.json`));
    return connect(tools, shared, address, notOurs, notOurs, () => Promise.resolve());
  }

  const folder = await Deno.makeTempDir({ prefix: "gw-api-server-" });
  const etcdUrl = `http://127.0.0.1:${freePort()}`;
  const address: Address = {
    url: `https://127.0.0.1:${freePort()}`,
    etcd: etcdUrl,
    tokens: { admin: crypto.randomUUID(), nobody: crypto.randomUUID() },
  };
  await createCertificates(`${folder}/pki`);
  await Deno.writeTextFile(
    `${folder}/pki/tokens.csv`,
    `${address.tokens.admin},admin,admin-uid,"system:masters"\n${address.tokens.nobody},nobody,nobody-uid\n`,
  );
  await Deno.writeTextFile(`${folder}/server.json`, JSON.stringify(address));

  const etcd = startEtcd(tools, folder, etcdUrl);
  let server: Daemon | undefined;
  const api = connect(tools, folder, address, start, stop, end);
  try {
    await writeKubeconfig(folder, address);
    await until(async () => (await (await fetch(`${etcdUrl}/health`)).text()).includes('"health":"true"'), {
      what: () => `etcd:\n${Deno.readTextFileSync(`${folder}/etcd.log`)}`,
    });
    await start();
    await api.kubectl(["apply", "--server-side", "--force-conflicts", "-f", tools.crds]);
    await api.kubectl(["wait", "--for=condition=Established", "crd", "--all", "--timeout=60s"]);
    return api;
  } catch (error) {
    await end();
    throw error;
  }

  async function start(): Promise<void> {
    let isEnded = true;
    await until(async () => {
      // Another program may have taken the port meanwhile. kube-apiserver then ends: start it again.
      if (isEnded) {
        isEnded = false;
        server = startKubeApiserver(tools, folder, address, etcdUrl);
        server.ended.then(() => isEnded = true);
      }
      return (await (await api.fetch("/readyz")).text()) === "ok";
    }, {
      within: 60_000,
      what: () => `kube-apiserver:\n${Deno.readTextFileSync(`${folder}/kube-apiserver.log`).slice(-2000)}`,
    });
  }

  async function stop(): Promise<void> {
    await server?.stop();
  }

  async function end(): Promise<void> {
    await stop();
    await etcd.stop();
    await Deno.remove(folder, { recursive: true });
  }
}

function startEtcd({ etcd }: KubernetesTools, folder: string, url: string): Daemon {
  const peer = `http://127.0.0.1:${freePort()}`;
  return startDaemon({
    command: [
      etcd,
      "--name=test",
      `--data-dir=${folder}/etcd`,
      "--unsafe-no-fsync",
      "--log-level=warn",
      `--listen-client-urls=${url}`,
      `--advertise-client-urls=${url}`,
      `--listen-peer-urls=${peer}`,
      `--initial-advertise-peer-urls=${peer}`,
      `--initial-cluster=test=${peer}`,
    ],
    log: `${folder}/etcd.log`,
  });
}

function startKubeApiserver(
  { kubeApiserver }: KubernetesTools,
  folder: string,
  address: Address,
  etcdUrl: string,
): Daemon {
  const pki = `${folder}/pki`;
  return startDaemon({
    command: [
      kubeApiserver,
      `--etcd-servers=${etcdUrl}`,
      `--cert-dir=${folder}/self-signed`,
      "--bind-address=127.0.0.1",
      "--advertise-address=127.0.0.1",
      `--secure-port=${new URL(address.url).port}`,
      "--endpoint-reconciler-type=none",
      `--tls-cert-file=${pki}/server.crt`,
      `--tls-private-key-file=${pki}/server.key`,
      `--client-ca-file=${pki}/ca.crt`,
      `--token-auth-file=${pki}/tokens.csv`,
      "--authorization-mode=RBAC",
      "--service-account-issuer=https://kubernetes.default.svc",
      `--service-account-key-file=${pki}/sa.pub`,
      `--service-account-signing-key-file=${pki}/sa.key`,
      "--service-cluster-ip-range=10.0.0.0/24",
      // Call webhooks at the addresses of their pods: nothing forwards requests to Services.
      "--enable-aggregator-routing=true",
      // This plugin would wait for tokens of service accounts, which no controller makes.
      "--disable-admission-plugins=ServiceAccount",
      "--profiling=false",
      // Don't wait for load balancers: there are none.
      "--shutdown-delay-duration=0s",
      "--shutdown-watch-termination-grace-period=1s",
    ],
    log: `${folder}/kube-apiserver.log`,
  });
}

/** Connects to the API server at an address, whose files are in `folder`. */
function connect(
  tools: KubernetesTools,
  folder: string,
  { url, etcd, tokens }: Address,
  start: () => Promise<void>,
  stop: () => Promise<void>,
  end: () => Promise<void>,
): ApiServer {
  const pki = `${folder}/pki`;
  const kubeconfig = `${folder}/kubeconfig`;
  const client = Deno.createHttpClient({
    caCerts: [Deno.readTextFileSync(`${pki}/ca.crt`)],
    cert: Deno.readTextFileSync(`${pki}/admin.crt`),
    key: Deno.readTextFileSync(`${pki}/admin.key`),
  });

  const api: ApiServer = {
    url,
    folder,
    kubeconfig,
    tokens,
    start,
    stop,
    fetch: (path, init = {}) => fetch(`${url}${path}`, { ...init, client }),
    async request(method, path, body, contentType = "application/json") {
      const response = await api.fetch(path, {
        method,
        headers: { "content-type": contentType },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.message}`);
      return answer;
    },
    async apply(...objects) {
      for (const object of objects) {
        const path = `${pathOf(object)}?fieldManager=test&force=true`;
        await api.request("PATCH", path, object, "application/apply-patch+yaml");
      }
    },
    async read(object) {
      const response = await api.fetch(pathOf(object));
      if (response.status !== 404 && !response.ok) throw new Error(`${pathOf(object)}: ${await response.text()}`);
      if (response.ok) return await response.json();
      await response.body?.cancel();
      return undefined;
    },
    async delete(object) {
      const response = await api.fetch(pathOf(object), { method: "DELETE" });
      const text = await response.text();
      if (!response.ok && response.status !== 404) throw new Error(`DELETE ${pathOf(object)}: ${text}`);
    },
    kubectl: (args, input) =>
      runCommand([tools.kubectl, "--kubeconfig", kubeconfig, ...args], input === undefined ? {} : { input }),
    async restore(...objects) {
      for (const object of objects) {
        const body = JSON.stringify({ key: btoa(storageKeyOf(object)), value: base64(JSON.stringify(object)) });
        const response = await fetch(`${etcd}/v3/kv/put`, { method: "POST", body });
        const text = await response.text();
        if (!response.ok) throw new Error(`etcd: ${text}`);
      }
    },
    async createNamespace() {
      const name = `test-${crypto.randomUUID().slice(0, 13)}`;
      await api.request("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name } });
      return name;
    },
    async createUser(name, groups = []) {
      const path = `${folder}/kubeconfig-${name}`;
      await createUserCertificate(pki, name, groups);
      const user = { "client-certificate": `${pki}/${name}.crt`, "client-key": `${pki}/${name}.key` };
      await Deno.writeTextFile(path, JSON.stringify(kubeconfigOf(folder, url, { [name]: user })));
      return path;
    },
    async createToken(namespace, name) {
      await api.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } });
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
      const spec = { audiences: ["https://kubernetes.default.svc"], expirationSeconds: 3600 };
      const { status } = await api.request("POST", path, {
        kind: "TokenRequest",
        apiVersion: "authentication.k8s.io/v1",
        spec,
      });
      if (typeof status === "object" && status !== null && "token" in status) return String(status.token);
      throw new Error(`No token for ${namespace}/${name}`);
    },
    async [Symbol.asyncDispose]() {
      client.close();
      await end();
    },
  };
  return api;
}

/** The etcd key of a custom resource, or of an object of the group `apps`. */
function storageKeyOf({ apiVersion, kind, metadata: { namespace = "", name } }: KubernetesObject): string {
  const [group = ""] = apiVersion.split("/");
  const plural = collectionOf(apiVersion, kind).split("/").at(-1);
  return ["/registry", ...(group === "apps" ? [] : [group]), plural, namespace, name].join("/");
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

async function writeKubeconfig(folder: string, { url, tokens }: Address): Promise<void> {
  const users = {
    admin: { "client-certificate": `${folder}/pki/admin.crt`, "client-key": `${folder}/pki/admin.key` },
    "admin-token": { token: tokens.admin },
    nobody: { token: tokens.nobody },
  };
  // JSON is YAML too.
  await Deno.writeTextFile(`${folder}/kubeconfig`, JSON.stringify(kubeconfigOf(folder, url, users), null, 2));
}

/** A kubeconfig with one context per user, which has the user's name. The first one is current. */
export function kubeconfigOf(folder: string, server: string, users: Readonly<Record<string, unknown>>): unknown {
  const names = Object.keys(users);
  return {
    apiVersion: "v1",
    kind: "Config",
    "current-context": names[0],
    clusters: [{ name: "test", cluster: { server, "certificate-authority": `${folder}/pki/ca.crt` } }],
    users: names.map((name) => ({ name, user: users[name] })),
    contexts: names.map((name) => ({ name, context: { cluster: "test", user: name, namespace: "default" } })),
  };
}

function notOurs(): Promise<void> {
  return Promise.reject(
    new Error("The test files share this API server: stop one of your own, startApiServer({ own: true })"),
  );
}
