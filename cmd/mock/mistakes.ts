import type { Flag } from "../line/flag.ts";
import { MOCK_COMMAND, type MockSettings } from "./settings.ts";

/** The message of a contradiction between flags that are valid one by one. */
export function mistakeIn(settings: MockSettings): string | undefined {
  const { overlay } = settings;
  if (settings.cluster) return clusterMistakeIn(settings);
  for (const flag of ["kubeconfig", "context", "check-port"] as const) {
    if (settings[flag] !== undefined) return `--${flag} says something of --cluster only.`;
  }
  if ((settings["tls-cert"] === undefined) !== (settings["tls-key"] === undefined)) {
    return "--tls-cert and --tls-key need each other.";
  }
  if (settings.record !== undefined && settings.proxy === undefined) {
    return "--record writes what an upstream answers: add --proxy URL.";
  }
  if (settings.record !== undefined && overlay.includes(settings.record)) {
    return `--record can't add to ${settings.record} while it is an --overlay too: recorded examples are for the ` +
      "definition without it. Leave the overlay out, or record to another file.";
  }
  if (settings["fail-on-violations"] && settings.validate === "off") {
    return "--fail-on-violations needs the checks that --validate off turns off.";
  }
  if (settings.redact.length > 0 && settings.record === undefined) {
    return "--redact says what --record leaves out: add --record FILE.";
  }
  if (settings["proxy-unknown"] && settings.proxy === undefined) {
    return "--proxy-unknown needs an upstream: add --proxy URL.";
  }
  if (settings["trusted-proxy"].length > 0 && settings.proxy === undefined) {
    return "--trusted-proxy says what an upstream learns of clients: add --proxy URL.";
  }
  return undefined;
}

/**
 * The flags that are allowed with `--cluster`. Most other flags set how definitions are mocked, which the deployed
 * definitions set for themselves.
 */
const CLUSTER_FLAGS: ReadonlySet<string> = new Set([
  "cluster",
  "kubeconfig",
  "context",
  "port",
  "check-port",
  "host",
  "log-format",
  "quiet",
  "verbose",
]);

function clusterMistakeIn(settings: MockSettings): string | undefined {
  const { in: [operand] } = settings;
  if (operand !== undefined) {
    return `With --cluster the definitions come from the cluster: leave ${operand} out, or deploy it as an API.`;
  }
  const values: Readonly<Record<string, unknown>> = settings;
  const other = Object.entries<Flag>(MOCK_COMMAND.flags).find(([name, flag]) =>
    !CLUSTER_FLAGS.has(name) && isGiven(flag, values[name])
  );
  if (other === undefined) return undefined;
  return `--${other[0]} can't be said with --cluster, where definitions say how they are mocked: leave it out.`;
}

/** Whether a flag has another value than its default. */
export function isGiven(flag: Flag, value: unknown): boolean {
  if (flag.read === undefined) return value === true;
  if (flag.many) return Array.isArray(value) && value.length > 0;
  return value !== (flag.default === undefined ? undefined : flag.read(flag.default));
}
