import type { FlagGroups } from "../line/command.ts";
import {
  choice,
  type FlagTable,
  hostPattern,
  httpUrl,
  integer,
  origin,
  size,
  text,
  type Values,
  withScheme,
} from "../line/flag.ts";
import type { ServiceAddress } from "../io/gateway/gateway_platform.ts";
import { addressRange } from "../io/address_range.ts";
import { isLocal } from "../io/listener.ts";
import { isInCluster } from "../cluster/kube_config.ts";

/** The port of the management API. */
export const MANAGEMENT_PORT = 8090;

const FLAGS = {
  "port": {
    short: "p",
    value: "PORT",
    read: integer(0, 65535),
    default: String(MANAGEMENT_PORT),
    description: "Port of the management API; 0 takes any.",
  },
  "host": {
    value: "HOST",
    read: text,
    default: "127.0.0.1",
    description: "Address that the management API and the fleets listen on; one that others reach needs --token-file.",
  },
  "fleet-port": {
    value: "PORT",
    read: integer(0, 65535),
    description:
      "Port of the fleet default/default, which is moved to it; 0 takes any. Default: the port that it has " +
      "in the store; at the first start the first free one from 8080.",
  },
  "data": {
    short: "d",
    value: "DIR",
    read: text,
    description: "Folder of the store, or :memory:. Default: gw in the folder for state, ~/.local/state.",
  },
  "store": {
    value: "sqlite|kubernetes",
    read: choice("sqlite", "kubernetes"),
    description:
      "Where APIs, fleets and static routes are kept. Default: kubernetes with --kubeconfig or --context, and in a " +
      "pod unless --data or --service is given; else sqlite.",
  },
  "kubeconfig": {
    value: "FILE",
    read: text,
    description: "Of the cluster. Default: the pod's own, or that of KUBECONFIG, or ~/.kube/config.",
  },
  "context": { value: "NAME", read: text, description: "Of the kubeconfig. Default: its current one." },
  "namespace": {
    value: "NAME",
    read: text,
    description: "Namespace of gw itself in the cluster. Default: gw-system.",
  },
  "controller": {
    description:
      "In a cluster: stand for election as the leader, which makes the gateway's objects. Default: only in a " +
      "pod of that cluster, so that a laptop never leads.",
  },
  "no-controller": { description: "In a cluster: never lead, also in a pod." },
  "webhook-port": {
    value: "PORT",
    read: integer(0, 65535),
    description: "In a cluster: port of the validating webhook, which gw manifests sets up. Default: none.",
  },
  "token-file": {
    value: "FILE",
    read: text,
    description: "Who may use the management API: token,user,group on each line; read again when it changes. " +
      "Default in a cluster: the cluster's users, as far as its RBAC lets them.",
  },
  "insecure": { description: "Let everybody who reaches --host use the management API, without tokens." },
  "tls-cert": {
    value: "FILE",
    read: text,
    description: "Certificate of the management API, in PEM: HTTPS and HTTP/2; needs --tls-key.",
  },
  "tls-key": { value: "FILE", read: text, description: "Private key of the certificate, in PEM." },
  "cors-origin": {
    value: "ORIGIN",
    read: origin,
    many: true,
    description: "Let pages of this origin use the management API. Default: none.",
  },
  "allow-host": {
    value: "HOST",
    read: hostPattern,
    many: true,
    description: "Let fleets with upstreams answer this host too, or *.example.com, while --host is of this machine: " +
      "against DNS rebinding they answer only hosts of the machine, of definitions (x-svc.hosts) and of upstreams.",
  },
  "trusted-proxy": {
    value: "CIDR",
    read: addressRange,
    many: true,
    description:
      "Addresses of proxies whose X-Forwarded-Proto and -Host tell how clients have asked a fleet, such as " +
      "10.0.0.0/8. Default: none.",
  },
  "max-body": {
    value: "SIZE",
    read: size,
    default: "16MiB",
    description: "Largest body that the management API takes.",
  },
  "url-file": {
    value: "FILE",
    read: text,
    once: true,
    description: "Write the URL of the management API to this file once gw answers there; remove it at the end.",
  },
  "analysis-url": {
    value: "URL",
    read: text,
    description: "The externalurl of APIs that don't say one, with {namespace} and {name}.",
  },
  "service": {
    short: "s",
    value: "NS/NAME[:PORT]=URL",
    read: serviceAddress,
    many: true,
    description:
      "Where the upstream service NAME of namespace NS is, all its ports or PORT: default/todo=http://127.0.0.1:3000.",
  },
  "config": {
    short: "c",
    value: "FILE",
    read: text,
    description: "YAML with these flags as keys, without dashes; flags and environment beat it.",
  },
  "log-format": { value: "text|json", read: choice("text", "json"), default: "text", description: "Form of the log." },
  "quiet": { short: "q", description: "Print only the URLs, and errors." },
  "verbose": { short: "v", description: "Print the deployed resources too." },
} satisfies FlagTable;

const GROUPS = {
  "Most used": ["port", "fleet-port", "service", "data", "config", "quiet", "verbose", "log-format", "help"],
  "Who may use the management API": [
    "host",
    "token-file",
    "insecure",
    "cors-origin",
    "allow-host",
    "trusted-proxy",
    "tls-cert",
    "tls-key",
    "max-body",
    "url-file",
    "analysis-url",
  ],
  "Kubernetes": [
    "store",
    "kubeconfig",
    "context",
    "namespace",
    "controller",
    "no-controller",
    "webhook-port",
  ],
} satisfies FlagGroups<keyof typeof FLAGS>;

export type ServeSettings = Values<typeof FLAGS>;

export const SERVE_COMMAND = {
  name: "serve",
  usage: "[flags]",
  description:
    "Serves the management API of a gateway, and the gateway itself: APIs that are deployed are answered on\n" +
    "the ports of their fleet, mocked or from their upstream. Everything is kept for the next start. In a cluster it\n" +
    "is kept as custom resources, and the cluster's own gateway serves it.",
  flags: FLAGS,
  groups: GROUPS,
  examples: [
    { line: "gw serve", does: `The management API on http://127.0.0.1:${MANAGEMENT_PORT}, a fleet on port 8080` },
    { line: "gw serve --data :memory: --port 0 --fleet-port 0", does: "For a test: any free ports, nothing is kept" },
    {
      line: "gw serve --service default/todo=http://127.0.0.1:3000",
      does: "Where an upstream that definitions name as a service is",
    },
    { line: "gw serve --host 0.0.0.0 --token-file tokens.csv", does: "For others too, with tokens" },
    {
      line: "gw serve --context staging",
      does: "For a cluster: resources are kept in it, and the gw serve that leads there acts on them",
    },
    { line: "gw deploy todo.yaml", does: "In another terminal: deploy an API" },
  ],
};

export type StoreKind = NonNullable<ServeSettings["store"]>;

/** The flags that are valid for one store only. */
const FLAGS_OF_ONE_STORE = {
  sqlite: ["data", "service", "fleet-port", "allow-host", "trusted-proxy"],
  kubernetes: ["kubeconfig", "context", "namespace", "controller", "no-controller", "webhook-port"],
} as const satisfies Record<StoreKind, readonly (keyof ServeSettings)[]>;

/** The store that the flags name or imply; by default the cluster if the process runs in a pod, else a file. */
export function storeOf(settings: ServeSettings, env: (name: string) => string | undefined): StoreKind {
  if (settings.store !== undefined) return settings.store;
  if (isGiven(settings.kubeconfig) || isGiven(settings.context)) return "kubernetes";
  if (FLAGS_OF_ONE_STORE.sqlite.some((flag) => isGiven(settings[flag]))) return "sqlite";
  return isInCluster(env) ? "kubernetes" : "sqlite";
}

/**
 * Tells whether this process stands for election as the leader. By default it does in a pod that serves its own
 * cluster; elsewhere only with `--controller`.
 */
export function mayLead(settings: ServeSettings, isPod: boolean): boolean {
  if (settings["no-controller"]) return false;
  // A pod that was given a kubeconfig or a context may serve another cluster than its own.
  const isOwnCluster = settings.kubeconfig === undefined && settings.context === undefined;
  return settings.controller || (isPod && isOwnCluster);
}

/** The message of a contradiction between flags that are valid one by one. */
export function serveMistake(
  operands: readonly string[],
  settings: ServeSettings,
  store: StoreKind,
): string | undefined {
  const [operand] = operands;
  if (operand !== undefined) return `gw serve takes flags only. To deploy ${operand}: gw deploy ${operand}.`;
  if ((settings["tls-cert"] === undefined) !== (settings["tls-key"] === undefined)) {
    return "--tls-cert and --tls-key need each other.";
  }
  const other = store === "sqlite" ? "kubernetes" : "sqlite";
  const useless = FLAGS_OF_ONE_STORE[other].find((flag) => isGiven(settings[flag]));
  if (useless !== undefined) return `--${useless} is for --store ${other}; this is --store ${store}.`;
  if (settings.controller && settings["no-controller"]) return "--controller and --no-controller exclude each other.";
  const { port, "fleet-port": fleetPort } = settings;
  if (port !== 0 && port === fleetPort) {
    return `--port and --fleet-port are both ${port}, but the management API and the fleet need a port each.`;
  }
  const asksNobody = store === "sqlite" && settings["token-file"] === undefined;
  if (!isLocal(settings.host) && asksNobody && !settings.insecure) {
    return `--host ${settings.host} would let everybody who reaches it deploy APIs. ` +
      "Name the tokens of those who may with --token-file, or let everybody with --insecure.";
  }
  return undefined;
}

function isGiven(value: ServeSettings[keyof ServeSettings]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
}

/** Reads `default/todo=http://127.0.0.1:3000`, or `default/todo:8080=http://127.0.0.1:3000`. */
function serviceAddress(written: string): ServiceAddress {
  const [, namespace = "", name = "", port, address = ""] =
    /^([^/=:]+)\/([^/=:]+)(?::(\d{1,5}))?=(.+)$/.exec(written) ?? [];
  const url = URL.parse(address);
  if (url !== null && /^https?:$/.test(url.protocol)) {
    return { namespace, name, url: httpUrl(address), ...(port === undefined ? {} : { port: Number(port) }) };
  }
  const meant = withScheme(address);
  throw new RangeError(
    meant === undefined
      ? "a service and its address are meant here, such as default/todo=http://127.0.0.1:3000."
      : `the address is a URL: did you mean ${written.slice(0, -address.length)}${meant}?`,
  );
}
