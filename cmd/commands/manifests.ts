import config from "../../deno.json" with { type: "json" };
import { API_SERVER_PORTS } from "../../lib/cluster/install/installation.ts";
import { installManifests as makeManifests } from "../../lib/cluster/install/manifests.ts";
import { readLine, refuse } from "../line/command.ts";
import { EXIT } from "../line/platform.ts";
import { choice, type FlagTable, httpUrl, integer } from "../line/flag.ts";
import { toYaml } from "../io/files/yaml.ts";
import type { Platform } from "../line/platform.ts";

const FLAGS = {
  "namespace": {
    short: "n",
    value: "NAME",
    read: label,
    default: "gw-system",
    description: "Namespace of gw itself.",
  },
  "image": {
    value: "IMAGE",
    read: image,
    default: `gw:${config.version}`,
    description: "Container image whose entrypoint is gw.",
  },
  "replicas": {
    value: "N",
    read: integer(1, 100),
    default: "2",
    description: "Replicas of gw serve, and at least of the mocks.",
  },
  "only": {
    value: "PART",
    read: choice("crds", "rbac", "serve", "mock"),
    description: "Print one part: crds, rbac, serve or mock. Default: all.",
  },
  "egress-port": {
    value: "PORT",
    read: integer(1, 65535),
    many: true,
    description: "A TCP port that the network policies let the pods connect to, that of the API server at least. " +
      `Default: ${API_SERVER_PORTS.join(", ")}.`,
  },
  "otel-endpoint": {
    value: "URL",
    read: httpUrl,
    description: "Have the pods send traces to this OpenTelemetry collector, by OTLP over HTTP: " +
      "http://collector.observability:4318. The network policies permit its port. Default: they don't trace.",
  },
  "service-monitor": { description: "Print ServiceMonitors too, where the Prometheus operator runs." },
} satisfies FlagTable;

export const MANIFESTS_COMMAND = {
  name: "manifests",
  usage: "[flags]",
  description: "Prints the objects that make gw a part of a Kubernetes cluster: its kinds, its rights, what runs.\n\n" +
    "The cluster needs Kubernetes 1.30 or newer, and an implementation of the Gateway API, such as Envoy Gateway.",
  flags: FLAGS,
  examples: [
    { line: "gw manifests | kubectl apply --server-side -f -", does: "Install gw, or bring it up to date" },
    {
      line: "gw manifests --only crds | kubectl diff --server-side -f -",
      does: "What a new version changes of the kinds",
    },
    {
      line: "gw manifests --only mock --replicas 4 > mock.yaml",
      does: "The mocks only, for a repository of manifests",
    },
  ],
};

/**
 * Prints the manifests of gw.
 *
 * @param args The command line after `gw manifests`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export function manifests(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(MANIFESTS_COMMAND, args, platform);
  if (line.kind === "exit") return Promise.resolve(line.code);
  const [operand] = line.operands;
  if (operand !== undefined) {
    return Promise.resolve(
      refuse(`gw manifests takes flags only, not ${operand}.`, MANIFESTS_COMMAND.name, platform).code,
    );
  }
  const { namespace, image, replicas, only, "service-monitor": serviceMonitors } = line.values;
  const { "egress-port": egressPorts, "otel-endpoint": otelEndpoint } = line.values;
  const objects = makeManifests({
    namespace,
    image,
    replicas,
    serviceMonitors,
    ...(egressPorts.length === 0 ? {} : { egressPorts }),
    ...(otelEndpoint === undefined ? {} : { otelEndpoint: otelEndpoint.href.replace(/\/$/, "") }),
    ...(only === undefined ? {} : { only }),
  });
  platform.stdout.write(toYaml(objects));
  return Promise.resolve(EXIT.fine);
}

/** Reads a DNS label (RFC 1123). */
function label(written: string): string {
  if (written.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(written)) return written;
  throw new RangeError("the name of a namespace is meant here: at most 63 lower-case letters, digits and -.");
}

/**
 * Reads the reference of a container image. It refuses only obvious mistakes; the container runtime has the exact
 * grammar.
 */
function image(written: string): string {
  if (/^[\w][\w.:/@-]*$/.test(written)) return written;
  throw new RangeError("an image is meant here, such as gw:1.0.0.");
}
