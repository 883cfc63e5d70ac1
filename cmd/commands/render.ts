import { type Fleet, renderFleet } from "../../lib/cluster/translate/fleet.ts";
import { MOCKS } from "../../lib/cluster/names.ts";
import { keyOfObject, type KubernetesObject } from "../../lib/cluster/object.ts";
import { type Mocks, renderGatewayApi, type Rendering } from "../../lib/cluster/translate/render.ts";
import type { RoutePlan } from "../../lib/gateway/route.ts";
import { apiNameOf } from "../io/files/definition.ts";
import { type Command, readLine, refuse } from "../line/command.ts";
import { atOrigins, readWarning } from "../remote/deploy_messages.ts";
import { EXIT } from "../line/platform.ts";
import { choice, text, type Values } from "../line/flag.ts";
import { overlaidText } from "../../lib/openapi/overlay/overlaid_text.ts";
import { textIn } from "../io/files/definition.ts";
import { toYaml } from "../io/files/yaml.ts";
import { displayName } from "../io/files/location.ts";
import { jsonText, oneLine } from "../../lib/http/one_line.ts";
import { textReport } from "../io/terminal/report.ts";
import { readingProblems } from "../mock/messages.ts";
import { definitionsOf } from "../line/operands.ts";
import { ALLOW_REMOTE_REFS } from "../io/files/reference_policy.ts";
import { OVERLAY_FLAG } from "../line/overlay_flag.ts";
import { conflictDiagnostics, planDefinition, type Planned, refusalDiagnostics } from "./render_checks.ts";
import type { Diagnostic } from "../../lib/openapi/diagnostic.ts";
import { readingOf, readOperands } from "../line/read_operands.ts";
import type { Platform } from "../line/platform.ts";

const FLAGS = {
  "name": {
    value: "NAME",
    read: label,
    description:
      "Name of the API. Default: that of the file without its ending; of openapi.yaml and the like, the title.",
  },
  "namespace": { short: "n", value: "NAME", read: label, default: "default", description: "Namespace of the APIs." },
  "fleet": {
    short: "f",
    value: "FLEET",
    read: objectName,
    default: "default",
    description: "Fleet that serves them: NAME, or NAMESPACE/NAME.",
  },
  "gateway": {
    value: "GATEWAY",
    read: objectName,
    description:
      "Gateway that exists, to attach to: NAME, or NAMESPACE/NAME. Default: one of the fleet's own is printed too.",
  },
  "gateway-class": {
    value: "CLASS",
    read: text,
    default: "eg",
    description: "GatewayClass of the fleet's own Gateway.",
  },
  "profile": {
    value: "envoy-gateway|portable",
    read: choice("envoy-gateway", "portable"),
    default: "envoy-gateway",
    description:
      "Kinds that may be used: those of Envoy Gateway too, or the standard channel of the Gateway API alone.",
  },
  "mocks": {
    value: "SERVICE",
    read: objectName,
    default: `${MOCKS.namespace}/${MOCKS.name}`,
    description: "Service of the mocks: NAMESPACE/NAME.",
  },
  "overlay": OVERLAY_FLAG,
  "allow-remote-refs": ALLOW_REMOTE_REFS,
  "closed": { description: "Let routes that need credentials answer 503 to every request." },
  "output": { short: "o", value: "yaml|json", read: choice("yaml", "json"), default: "yaml", description: "Format." },
  "quiet": { short: "q", description: "Print no warnings." },
};

export const RENDER_COMMAND = {
  name: "render",
  usage: "[definition]... [flags]",
  description:
    "Prints the Kubernetes objects that a deployment of OpenAPI definitions would create, each once, without a cluster:\n" +
    "for a repository of manifests. It refuses what a deployment would refuse.\n\n" +
    "Routes that need credentials (x-svc.auth) are printed open. A gateway may serve such a route before the policy that\n" +
    "protects it: for moments, and on earlier connections until they are drained. gw serve waits for that. To apply the\n" +
    "objects otherwise, apply the output with --closed first, wait until the policies are accepted and old connections are\n" +
    "drained (10 s for a fleet's own Gateway), and then apply the output without --closed.\n\n" +
    "Exit code: 0 everything is printed, 1 a definition is refused, 2 the command line is wrong, 3 a definition can't be read.",
  flags: FLAGS,
  examples: [
    { line: "gw render todo.yaml > todo.k8s.yaml", does: "The API default/todo on the fleet default/default" },
    { line: "gw render shop.yaml orders.yaml -n shop --gateway infra/edge", does: "Two APIs on a Gateway that exists" },
    { line: "gw render shop.yaml --profile portable -o json", does: "For any implementation of the Gateway API" },
  ],
} satisfies Command<typeof FLAGS>;

/** The comment that precedes the objects if routes need credentials and `--closed` is absent. */
const OPEN_NOTE =
  `# Some routes below need credentials. If all objects are applied at once, a gateway may let requests pass without
# credentials: for moments, and on earlier connections until they are drained. To prevent that, apply the output of
# \`gw render --closed\` first, wait until the SecurityPolicies are accepted and old connections are drained, and then
# apply this. \`gw serve\` in a cluster does so by itself.
`;

/** The comment that precedes the objects with `--closed`. */
const CLOSED_NOTE =
  `# Routes that need credentials are closed here: they answer 503 until the output of \`gw render\` without --closed is
# applied. Before that, wait until the SecurityPolicies are accepted and old connections are drained.
`;

type Settings = Values<typeof FLAGS>;

/**
 * Prints the Kubernetes objects of definitions.
 *
 * @param args The command line after `gw render`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function render(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(RENDER_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const settings = line.values;
  const named = await definitionsOf(line.operands, settings.overlay, "gw render");
  if (named.kind === "mistake") return refuse(named.message, RENDER_COMMAND.name, platform).code;
  const operands = named.definitions;
  if (settings.name !== undefined && operands.length > 1) {
    return refuse("--name is for one definition.", RENDER_COMMAND.name, platform).code;
  }

  const definitions = await readOperands(operands, readingOf(operands, settings, platform), platform);
  if (definitions.length < operands.length) return EXIT.environment;
  const overlays = readingProblems(definitions, { color: platform.stderr.color });
  if (overlays.isRefused || !settings.quiet) platform.stderr.write(overlays.report);
  if (overlays.isRefused) return EXIT.input;
  const names = definitions.map((definition) => settings.name ?? apiNameOf(definition));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    const message = `Two definitions would be the API ${twice}. Rename a file, or render them one by one with --name.`;
    return refuse(message, RENDER_COMMAND.name, platform).code;
  }

  const fleet = fleetOf(settings);
  const planned = await Promise.all(
    definitions.map((definition, index) =>
      planDefinition(definition, { namespace: settings.namespace, name: names[index] ?? "", fleet })
    ),
  );
  const plans = planned.flatMap(({ plan }) => plan ?? []);
  const renderings = renderAll(plans, fleet, settings);
  const diagnostics = [
    ...planned.flatMap(({ diagnostics }) => diagnostics),
    ...conflictDiagnostics(planned),
    ...refusalDiagnostics(planned, renderings),
  ];
  platform.stderr.write(report(diagnostics, planned, platform));
  if (!settings.quiet) platform.stderr.write(reportWarnings(planned, platform));
  if (diagnostics.length > 0) return EXIT.input;
  platform.stdout.write(print(renderings, plans, fleet, settings));
  return EXIT.fine;
}

function fleetOf(
  { fleet: { namespace, name }, namespace: home, gateway, "gateway-class": gatewayClassName, profile }: Settings,
): Fleet {
  return {
    namespace: namespace ?? home,
    name,
    spec: {
      profile,
      ...(gateway === undefined
        ? { gatewayClassName }
        : { gateway: { name: gateway.name, namespace: gateway.namespace ?? home } }),
    },
  };
}

function renderAll(plans: readonly RoutePlan[], fleet: Fleet, settings: Settings): Rendering[] {
  const { gateway = fleet, profile = "envoy-gateway" } = fleet.spec;
  return plans.map((plan) =>
    renderGatewayApi(plan, {
      gateway: { name: gateway.name, namespace: gateway.namespace ?? fleet.namespace },
      profile,
      mocks: mocksOf(settings),
      neighbours: plans,
      isOpen: () => !settings.closed,
    })
  );
}

function mocksOf({ mocks: { name, namespace } }: Settings): Mocks {
  return { ...MOCKS, name, namespace: namespace ?? MOCKS.namespace };
}

function print(
  renderings: readonly Rendering[],
  plans: readonly RoutePlan[],
  fleet: Fleet,
  settings: Settings,
): string {
  const objects = new Map<string, KubernetesObject>();
  const all = [
    ...renderFleet(fleet, { mocks: mocksOf(settings), plans }),
    ...renderings.flatMap(({ objects }) => objects),
  ];
  for (const object of all) objects.set(keyOfObject(object), object);
  const list = [...objects.values()];
  if (settings.output === "json") {
    return `${jsonText({ apiVersion: "v1", kind: "List", items: list }, 2)}\n`;
  }
  const isProtected = renderings.some(({ protections }) => protections.length > 0);
  return (isProtected ? settings.closed ? CLOSED_NOTE : OPEN_NOTE : "") + toYaml(list);
}

function report(diagnostics: readonly Diagnostic[], planned: readonly Planned[], platform: Platform): string {
  const textOf = (uri: string): string | undefined =>
    planned.map(({ definition: { document } }) => textIn(document, uri)).find((text) => text !== undefined);
  return textReport(diagnostics, { color: platform.stderr.color, nameOf: displayName, textOf });
}

function reportWarnings(planned: readonly Planned[], platform: Platform): string {
  const read = planned.map(({ definition: { document }, warnings }) => ({
    document,
    warnings: warnings.map(readWarning),
  }));
  const placed = read.flatMap(({ document, warnings }) => {
    const problems = warnings.filter((warning) => typeof warning !== "string");
    const overlaid = problems.length === 0 ? undefined : overlaidText(document);
    if (overlaid !== undefined) return atOrigins(overlaid, problems);
    return problems.map((problem) => ({ ...problem, uri: document.uri, pointer: "" }));
  });
  const others = read.flatMap(({ warnings }) => warnings.filter((warning) => typeof warning === "string"));
  return [report(placed, planned, platform), ...others.map((warning) => `! ${oneLine(warning)}\n`)].join("");
}

/** Reads a DNS label (RFC 1123). */
function label(written: string): string {
  if (written.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(written)) return written;
  throw new RangeError("a name of at most 63 lower-case letters, digits and - is meant here.");
}

/** Reads the name of an object, with or without a namespace: `gateways/public`, `public`. */
function objectName(written: string): { namespace: string | undefined; name: string } {
  const [first = "", second, ...more] = written.split("/");
  if (more.length > 0) throw new RangeError("NAME or NAMESPACE/NAME is meant here.");
  return second === undefined
    ? { namespace: undefined, name: label(first) }
    : { namespace: label(first), name: label(second) };
}
