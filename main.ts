/**
 * The command `gw`.
 *
 * @module
 */
import { columns } from "./cmd/command.ts";
import { EXIT } from "./cmd/platform.ts";
import { createPlatform, type Platform } from "./cmd/platform.ts";
import config from "./deno.json" with { type: "json" };
import { suggest } from "./lib/http/message.ts";

/** The commands. The code of a command is loaded when it is called. */
const COMMANDS: Readonly<Record<string, Entry>> = {
  mock: {
    summary: "Answer every operation of an OpenAPI definition, and reload while it is edited",
    load: async () => (await import("./cmd/mock.ts")).mock,
  },
  proxy: {
    summary: "Send the operations of a definition to a server, and check requests and responses",
    load: async () => (await import("./cmd/proxy.ts")).proxy,
  },
  validate: {
    summary: "Print every problem of a definition, with file, line and column",
    load: async () => (await import("./cmd/validate.ts")).validate,
  },
  resources: {
    summary: "Print the resources of a definition that gw mock --stateful keeps the state of",
    load: async () => (await import("./cmd/resources.ts")).resources,
  },
  serve: {
    summary: "Serve the management API of a gateway, and the gateway itself",
    load: async () => (await import("./cmd/serve.ts")).serve,
  },
  deploy: {
    summary: "Deploy a definition, or a static route, to a running gw serve",
    load: async () => (await import("./cmd/deploy.ts")).deploy,
  },
  create: {
    summary: "Create a fleet on a running gw serve",
    load: async () => (await import("./cmd/create.ts")).create,
  },
  get: {
    summary: "Show the APIs, fleets, services, static routes or namespaces of a running gw serve",
    load: async () => (await import("./cmd/get.ts")).get,
  },
  delete: {
    summary: "Delete an API, a fleet or a static route of a running gw serve",
    load: async () => (await import("./cmd/delete.ts")).remove,
  },
  render: {
    summary: "Print the Kubernetes objects that a deployment of definitions would create",
    load: async () => (await import("./cmd/render.ts")).render,
  },
  manifests: {
    summary: "Print the Kubernetes objects that make gw a part of a cluster",
    load: async () => (await import("./cmd/manifests.ts")).manifests,
  },
};

interface Entry {
  summary: string;
  load: () => Promise<(args: string[], platform: Platform) => Promise<number>>;
}

/**
 * Runs a command line.
 *
 * @param args The command line after `gw`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function main(args: readonly string[], platform: Platform): Promise<number> {
  const [word, ...rest] = args;
  if (word === "help") return await main([...rest, "--help"], platform);
  if (word === "--help" || word === "-h") return print(platform, help(), EXIT.fine);
  if (word === "--version" || word === "-V") return print(platform, `gw ${config.version}\n`, EXIT.fine);
  if (word === undefined) {
    platform.stderr.write(help());
    return EXIT.usage;
  }
  const entry = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (entry === undefined) {
    const kind = word.startsWith("-") ? "flag" : "command";
    const known = kind === "flag" ? ["--help", "--version"] : Object.keys(COMMANDS);
    const [nearest] = suggest(word, known);
    const hint = nearest === undefined ? "" : ` Did you mean gw ${nearest}?`;
    platform.stderr.write(`There is no ${kind} ${word}.${hint}\nSee gw --help.\n`);
    return EXIT.usage;
  }
  const command = await entry.load();
  return await command(rest, platform);
}

function print(platform: Platform, text: string, code: number): number {
  platform.stdout.write(text);
  return code;
}

function help(): string {
  return [
    "gw mocks, checks and deploys APIs from their OpenAPI definitions.",
    "",
    "Usage: gw <command> [arguments]",
    "",
    "Commands:",
    ...columns(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary])),
    "",
    "Flags:",
    ...columns([["-h, --help", "Print this help; that of a command with gw <command> --help"], [
      "-V, --version",
      "Print the version",
    ]]),
    "",
  ].join("\n");
}

if (import.meta.main) {
  const platform = createPlatform();
  const code = await main(Deno.args, platform);
  await Promise.all([platform.stdout.flush(), platform.stderr.flush()]);
  Deno.exit(code);
}
