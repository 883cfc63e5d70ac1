import { writeLine } from "../io/terminal/terminal.ts";
import { readLine, refuse } from "../line/command.ts";
import { EXIT } from "../line/platform.ts";
import { choice } from "../line/flag.ts";
import { jsonText } from "../../lib/http/one_line.ts";
import { kindOf, RESOURCE_KINDS, tableOf } from "../remote/kinds.ts";
import { ask, connect, errorMessageOf, exitCodeOf, isFine, REMOTE_FLAGS } from "../remote/server.ts";
import type { Platform } from "../line/platform.ts";

export const GET_COMMAND = {
  name: "get",
  usage: "apis|fleets|services|staticroutes|namespaces [NAME] [flags]",
  description: "Shows the resources of a running gw serve.",
  flags: {
    ...REMOTE_FLAGS,
    "namespace": { ...REMOTE_FLAGS.namespace, description: "Namespace. Default: all; default for a NAME." },
    "output": {
      short: "o",
      value: "table|json|yaml",
      read: choice("table", "json", "yaml"),
      default: "table",
      description: "For a person, or as the management API has it; yaml of one API is its definition.",
    },
  },
  examples: [
    { line: "gw get apis", does: "A table of all APIs" },
    { line: "gw get api todo -o json", does: "One of them, for a program" },
    { line: "gw get api todo -o yaml", does: "Its definition, as it was deployed" },
    { line: "gw get services -n shop", does: "The services of one namespace, and whether they can be reached" },
  ],
};

/**
 * Prints resources.
 *
 * @param args The command line after `gw get`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function get(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(GET_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const { values: settings, operands: [word, name, ...more] } = line;
  const kind = kindOf(word ?? "");
  if (kind === undefined) {
    const known = RESOURCE_KINDS.map(({ path }) => path).join(", ");
    const mistake = word === undefined
      ? `What is to be shown? One of ${known}.`
      : `There are no ${word}, only ${known}.`;
    return refuse(mistake, GET_COMMAND.name, platform).code;
  }
  if (!kind.hasItems && (name !== undefined || settings.namespace !== undefined)) {
    return refuse(`${kind.path} are shown all together, without a name or --namespace.`, GET_COMMAND.name, platform)
      .code;
  }
  if (more.length > 0) return refuse("One name at a time, please.", GET_COMMAND.name, platform).code;

  const client = connect(settings.server, platform);
  // For an API, the definition is what a person wants to read or edit.
  const isDefinition = kind.name === "api" && name !== undefined && settings.output === "yaml";
  const query = new URLSearchParams({
    ...kind.hasDetails === true && settings.output === "table" ? { details: "true" } : {},
    ...name === undefined && settings.namespace !== undefined ? { namespace: settings.namespace } : {},
  });
  const object = name === undefined
    ? ""
    : `/${encodeURIComponent(settings.namespace ?? "default")}/${encodeURIComponent(name)}`;
  const path = `/${kind.path}${object}${isDefinition ? "/definition" : ""}${query.size === 0 ? "" : `?${query}`}`;
  const asked = await ask(() => client({ method: "GET", path }), platform);
  if (asked.kind === "failed") return asked.code;
  const { answer } = asked;
  if (!isFine(answer)) {
    writeLine(platform.stderr, errorMessageOf(answer));
    return exitCodeOf(answer);
  }
  switch (settings.output) {
    case "json":
      platform.stdout.write(`${jsonText(answer.body, 2)}\n`);
      break;
    case "yaml": {
      const [{ dump }, { printableYaml }] = await Promise.all([import("js-yaml"), import("../io/files/yaml.ts")]);
      // A definition stays as it was written, also if that is JSON, which is YAML too.
      const text = isDefinition ? answer.text.replace(/\n?$/, "\n") : dump(answer.body);
      platform.stdout.write(printableYaml(text));
      break;
    }
    case "table": {
      const resources: readonly unknown[] = Array.isArray(answer.body) ? answer.body : [answer.body];
      for (const row of tableOf(kind, resources)) writeLine(platform.stdout, row);
    }
  }
  return EXIT.fine;
}
