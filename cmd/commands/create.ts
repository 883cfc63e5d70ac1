import { writeLine } from "../io/terminal/terminal.ts";
import { readLine, refuse } from "../line/command.ts";
import { EXIT } from "../line/platform.ts";
import { choice, type FlagTable, integer } from "../line/flag.ts";
import { kindOf } from "../remote/kinds.ts";
import { ask, connect, errorMessageOf, exitCodeOf, isFine, REMOTE_FLAGS } from "../remote/server.ts";
import type { Platform } from "../line/platform.ts";

export const CREATE_COMMAND = {
  name: "create",
  usage: "fleet NAME --port PORT [flags]",
  description: "Creates a fleet on a running gw serve. APIs and static routes are created by gw deploy.",
  flags: {
    ...REMOTE_FLAGS,
    "port": {
      short: "p",
      value: "PORT",
      read: integer(1, 65535),
      many: true,
      description: "Port that the fleet listens on; several are given one by one.",
    },
    "type": {
      value: "ClusterIP|LoadBalancer",
      read: choice("ClusterIP", "LoadBalancer"),
      default: "ClusterIP",
      description: "How the fleet's Service is reached in a cluster.",
    },
    "allow": {
      value: "All|Same",
      read: choice("All", "Same"),
      description: "Namespaces whose APIs may name the fleet: all, or its own alone. Default: All.",
    },
    "dry-run": { description: "Only say whether it could be created." },
    "quiet": { short: "q", description: "Print only errors." },
  } satisfies FlagTable,
  examples: [
    { line: "gw create fleet edge --port 8081", does: "As default/edge, which listens on port 8081" },
    {
      line: "gw create fleet edge -n shop -p 8081 -p 8082 --allow Same",
      does: "Two ports; for APIs of namespace shop only",
    },
    { line: "gw deploy todo.yaml --fleet edge", does: "Then: deploy an API to it" },
  ],
};

/**
 * Creates a fleet.
 *
 * @param args The command line after `gw create`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function create(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(CREATE_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const { values: settings, operands: [word = "", name, ...more] } = line;
  const mistake = mistakeIn(word, name, more, settings.port);
  if (mistake !== undefined || name === undefined) {
    return refuse(mistake ?? "Which fleet?", CREATE_COMMAND.name, platform).code;
  }

  const client = connect(settings.server, platform);
  const namespace = settings.namespace ?? "default";
  const content = {
    name,
    namespace,
    serviceType: settings.type,
    ports: settings.port.map((port) => ({ name: `http-${port}`, port })),
    ...(settings.allow === undefined ? {} : { allowedNamespaces: { from: settings.allow } }),
  };
  const path = settings["dry-run"] ? "/fleets?dryRun=true" : "/fleets";
  const asked = await ask(() => client({ method: "POST", path, content }), platform);
  if (asked.kind === "failed") return asked.code;
  if (!isFine(asked.answer)) {
    writeLine(platform.stderr, errorMessageOf(asked.answer));
    return exitCodeOf(asked.answer);
  }
  const done = settings["dry-run"] ? "Could create" : "Created";
  const ports = `port${settings.port.length === 1 ? "" : "s"} ${settings.port.join(", ")}`;
  if (!settings.quiet) writeLine(platform.stdout, `${done} fleet ${namespace}/${name} on ${ports}.`);
  return EXIT.fine;
}

function mistakeIn(
  word: string,
  name: string | undefined,
  more: readonly string[],
  ports: readonly number[],
): string | undefined {
  const kind = kindOf(word)?.name;
  if (kind === "api" || kind === "staticroute") return `gw deploy creates what has a definition: gw deploy FILE.`;
  if (kind !== "fleet") {
    return `What is to be created? A fleet${word && `, not ${word}`}: gw create fleet NAME --port PORT`;
  }
  if (name === undefined || more.length > 0) return "Which fleet? Give one name: gw create fleet NAME --port PORT";
  if (ports.length === 0) return "Which port does it listen on? Name one with --port.";
  return undefined;
}
