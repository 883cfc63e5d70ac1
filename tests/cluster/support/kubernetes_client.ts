/**
 * Creates, reads, lists, changes and deletes objects of ten kinds with the official Kubernetes client for JavaScript,
 * and prints the results as JSON. Runs as a process of its own, since the client's package is installed outside the
 * repository.
 *
 * Arguments: the URL of the client's module, the path of a kubeconfig, a namespace.
 *
 * @module
 */

// The program prints.
// deno-lint-ignore-file no-console

/** The properties of Kubernetes objects that this program reads. */
interface KubernetesObject {
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly creationTimestamp?: unknown;
    readonly resourceVersion?: string;
  };
  readonly items?: readonly KubernetesObject[];
}

type Method = (parameters: Record<string, unknown>, options?: unknown) => Promise<KubernetesObject>;
type Api = Readonly<Record<string, Method>>;

/** The parts of the client's module that this program uses. */
interface Client {
  readonly KubeConfig: new () => { loadFromFile(path: string): void; makeApiClient(api: unknown): Api };
  readonly PatchStrategy: { readonly MergePatch: string };
  readonly setHeaderOptions: (name: string, value: string) => unknown;
  readonly [api: string]: unknown;
}

/** Namespaced kinds: the client's class, and the properties of an object beside its metadata. */
const KINDS: readonly { api: string; kind: string; rest: Record<string, unknown> }[] = [
  { api: "CoreV1Api", kind: "ConfigMap", rest: { data: { color: "blue" } } },
  { api: "CoreV1Api", kind: "Secret", rest: { data: { password: "c2VjcmV0" }, type: "Opaque" } },
  { api: "CoreV1Api", kind: "ServiceAccount", rest: { automountServiceAccountToken: false } },
  { api: "CoreV1Api", kind: "LimitRange", rest: { spec: { limits: [{ type: "Pod", max: { cpu: "2" } }] } } },
  { api: "CoreV1Api", kind: "ResourceQuota", rest: { spec: { hard: { pods: "9" } } } },
  { api: "CoreV1Api", kind: "PodTemplate", rest: { template: podTemplate() } },
  {
    api: "AppsV1Api",
    kind: "Deployment",
    rest: { spec: { replicas: 2, selector: { matchLabels: { app: "shop" } }, template: podTemplate() } },
  },
  {
    api: "BatchV1Api",
    kind: "CronJob",
    rest: { spec: { schedule: "0 * * * *", jobTemplate: { spec: { template: podTemplate("Never") } } } },
  },
  {
    api: "RbacAuthorizationV1Api",
    kind: "Role",
    rest: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  },
  { api: "CoordinationV1Api", kind: "Lease", rest: { spec: { holderIdentity: "ada", leaseDurationSeconds: 15 } } },
];

if (import.meta.main) {
  const [module = "", kubeconfig = "", namespace = ""] = Deno.args;
  console.log(JSON.stringify(await useClient(await import(module), kubeconfig, namespace), null, 2));
}

/** Runs all steps for each kind. Returns the results by kind. */
async function useClient(client: Client, kubeconfig: string, namespace: string): Promise<Record<string, unknown>> {
  const config = new client.KubeConfig();
  config.loadFromFile(kubeconfig);
  const mergePatch = client.setHeaderOptions("Content-Type", client.PatchStrategy.MergePatch);
  const got: Record<string, unknown> = {};
  for (const { api: name, kind, rest } of KINDS) {
    const api = config.makeApiClient(client[name]);
    const call = async (verb: string, parameters: object, options?: unknown): Promise<KubernetesObject | number> => {
      try {
        return await api[`${verb}Namespaced${kind}`]?.({ namespace, ...parameters }, options) ?? {};
      } catch (error) {
        const code = error instanceof Error && "code" in error ? error.code : undefined;
        if (typeof code === "number") return code;
        throw error;
      }
    };
    const made = (name: string): object => ({ metadata: { name, labels: { made: "here" } }, ...rest });
    const created = await call("create", { body: made("first") });
    await call("create", { body: made("second") });
    const read = await call("read", { name: "first" });
    const listed = await call("list", {});
    const change = { metadata: { labels: { made: null, changed: "yes" }, annotations: { note: "by hand" } } };
    const changed = await call("patch", { name: "first", body: change }, mergePatch);
    const reread = await call("read", { name: "first" });
    const deleted = await call("delete", { name: "first" });
    got[kind] = {
      created: shown(created, rest),
      read: shown(read, rest),
      listed: typeof listed === "number" ? listed : listed.items?.map((item) => item.metadata?.name)
        .filter((name) => name === "first" || name === "second").sort(),
      changed: shown(changed, rest),
      hasOtherVersion: versionOf(created) !== versionOf(changed),
      reread: shown(reread, rest),
      deleted: typeof deleted === "number" ? deleted : "deleted",
      afterwards: await call("read", { name: "first" }),
      other: shown(await call("read", { name: "second" }), rest),
      deletedAgain: await call("delete", { name: "first" }),
    };
    await call("delete", { name: "second" });
  }
  return got;
}

/** The properties that the client sent, as the server returned them, and whether the server added metadata. */
function shown(object: KubernetesObject | number, rest: Record<string, unknown>): unknown {
  if (typeof object === "number") return object;
  const { name, namespace, labels, annotations, creationTimestamp, resourceVersion } = object.metadata ?? {};
  return {
    ...{ name, namespace, labels, annotations },
    hasTime: creationTimestamp !== undefined,
    hasVersion: resourceVersion !== undefined && resourceVersion !== "",
    parts: partOf({ ...object }, rest),
  };
}

/** The parts of a value that a pattern has too, at every depth. Other parts are the server's defaults. */
function partOf(value: unknown, pattern: unknown): unknown {
  if (Array.isArray(pattern) && Array.isArray(value)) return value.map((part, index) => partOf(part, pattern[index]));
  if (!isRecord(pattern) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(pattern).map(([key, wanted]) => [key, partOf(value[key], wanted)]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function versionOf(object: KubernetesObject | number): string | undefined {
  return typeof object === "number" ? undefined : object.metadata?.resourceVersion;
}

function podTemplate(restartPolicy = "Always"): object {
  return {
    metadata: { labels: { app: "shop" } },
    spec: { restartPolicy, containers: [{ name: "shop", image: "shop:1" }] },
  };
}
