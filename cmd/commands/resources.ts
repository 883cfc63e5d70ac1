import { jsonText } from "../../lib/http/one_line.ts";
import { describeResources } from "../../lib/mock/infer/describe_resources.ts";
import { inferResources } from "../../lib/mock/infer/infer_resources.ts";
import { readLine, refuse } from "../line/command.ts";
import { choice, type FlagTable } from "../line/flag.ts";
import { resourcesReport } from "../io/terminal/resources_report.ts";
import { checkDefinitions } from "../mock/inputs.ts";
import { firstProblems } from "../mock/messages.ts";
import { definitionsOf } from "../line/operands.ts";
import { ALLOW_REMOTE_REFS } from "../io/files/reference_policy.ts";
import { OVERLAY_FLAG } from "../line/overlay_flag.ts";
import { EXIT, type Platform } from "../line/platform.ts";
import { readingOf, readOperands } from "../line/read_operands.ts";

const FLAGS = {
  "format": {
    value: "text|json",
    read: choice("text", "json"),
    default: "text",
    description: "For a person or a program.",
  },
  "allow-remote-refs": ALLOW_REMOTE_REFS,
  "overlay": OVERLAY_FLAG,
  "verbose": { short: "v", description: "Print the evidence too, and why other operations aren't bound." },
} satisfies FlagTable;

export const RESOURCES_COMMAND = {
  name: "resources",
  usage: "[definition]... [flags]",
  description:
    "Prints the resources that gw mock --stateful finds in OpenAPI definitions: the operations that create,\n" +
    "read, change and delete the same items, the items' id, and where they stand in bodies.\n\n" +
    "A definition is a file, a URL, or - for standard input; several are taken together, as gw mock does, and none\n" +
    "stands for the one in this folder.",
  flags: FLAGS,
  examples: [
    { line: "gw resources openapi.yaml", does: "Each resource with its operations" },
    { line: "gw resources openapi.yaml -v", does: "With the reasons, and all operations that aren't bound" },
    { line: "gw resources openapi.yaml --format json", does: "For a program" },
  ],
};

/**
 * Prints which operations are stateful, and the resources that they list, create, read or change.
 *
 * @param args The command line after `gw resources`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function resources(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(RESOURCES_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const settings = line.values;
  const named = await definitionsOf(line.operands, settings.overlay, "gw resources");
  if (named.kind === "mistake") return refuse(named.message, RESOURCES_COMMAND.name, platform).code;
  const operands = named.definitions;

  const definitions = await readOperands(operands, readingOf(operands, settings, platform), platform);
  if (definitions.length < operands.length) return EXIT.environment;
  const errors = (await checkDefinitions(definitions, { "as-gateway": false }))
    .filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    for (const problem of firstProblems(errors, operands, { color: platform.stderr.color })) {
      platform.stderr.write(`${problem}\n`);
    }
    return EXIT.input;
  }
  const found = inferResources(definitions.map(({ document }) => document));
  if (settings.format === "json") {
    const unbound = found.unbound.map(({ operation: { method, path }, reason }) => ({ method, path, reason }));
    platform.stdout.write(`${jsonText({ resources: describeResources(found), unbound }, 2)}\n`);
  } else {
    platform.stdout.write(resourcesReport(found, { color: platform.stdout.color, verbose: settings.verbose }));
  }
  return EXIT.fine;
}
