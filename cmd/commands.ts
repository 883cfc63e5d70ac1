import type { Command, DescribedCommand } from "./line/command.ts";
import type { FlagTable } from "./line/flag.ts";
import type { Platform } from "./line/platform.ts";

/** A command of `gw`. Its code is loaded when the command is run. */
export interface CommandEntry {
  /** One line for the list of commands. */
  readonly summary: string;
  /** Whether it runs until it is stopped. Its output is a log then, and a lost part of it is no failure. */
  readonly isServer?: true;
  /** Loads the description of the command: its flags and examples. */
  readonly describe: () => Promise<Command<FlagTable>>;
  /** Loads the function that runs the command and returns the exit code. */
  readonly load: () => Promise<(args: readonly string[], platform: Platform) => Promise<number>>;
}

/** The commands by name, in the order of the help. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  init: {
    summary: "Write a sample definition, to begin with",
    describe: async () => (await import("./commands/init.ts")).INIT_COMMAND,
    load: async () => (await import("./commands/init.ts")).init,
  },
  mock: {
    summary: "Answer every operation of a definition; reload while it is edited",
    isServer: true,
    describe: async () => (await import("./mock/settings.ts")).MOCK_COMMAND,
    load: async () => (await import("./commands/mock.ts")).mock,
  },
  proxy: {
    summary: "Send operations to a server; check requests and responses",
    isServer: true,
    describe: async () => (await import("./commands/proxy.ts")).PROXY_COMMAND,
    load: async () => (await import("./commands/proxy.ts")).proxy,
  },
  validate: {
    summary: "Print every problem of a definition, with file, line and column",
    describe: async () => (await import("./commands/validate.ts")).VALIDATE_COMMAND,
    load: async () => (await import("./commands/validate.ts")).validate,
  },
  convert: {
    summary: "Convert a file of Kusk or Mockoon into a definition",
    describe: async () => (await import("./commands/convert.ts")).CONVERT_COMMAND,
    load: async () => (await import("./commands/convert.ts")).convert,
  },
  resources: {
    summary: "Print the resources that gw mock --stateful finds in a definition",
    describe: async () => (await import("./commands/resources.ts")).RESOURCES_COMMAND,
    load: async () => (await import("./commands/resources.ts")).resources,
  },
  serve: {
    summary: "Serve the management API of a gateway, and the gateway itself",
    isServer: true,
    describe: async () => (await import("./serve/settings.ts")).SERVE_COMMAND,
    load: async () => (await import("./commands/serve.ts")).serve,
  },
  deploy: {
    summary: "Deploy a definition, or a static route, to a running gw serve",
    describe: async () => (await import("./commands/deploy.ts")).DEPLOY_COMMAND,
    load: async () => (await import("./commands/deploy.ts")).deploy,
  },
  create: {
    summary: "Create a fleet on a running gw serve",
    describe: async () => (await import("./commands/create.ts")).CREATE_COMMAND,
    load: async () => (await import("./commands/create.ts")).create,
  },
  get: {
    summary: "Show APIs, fleets, services and the like of a running gw serve",
    describe: async () => (await import("./commands/get.ts")).GET_COMMAND,
    load: async () => (await import("./commands/get.ts")).get,
  },
  delete: {
    summary: "Delete an API, a fleet or a static route of a running gw serve",
    describe: async () => (await import("./commands/delete.ts")).DELETE_COMMAND,
    load: async () => (await import("./commands/delete.ts")).remove,
  },
  render: {
    summary: "Print the Kubernetes objects that deployments would create",
    describe: async () => (await import("./commands/render.ts")).RENDER_COMMAND,
    load: async () => (await import("./commands/render.ts")).render,
  },
  manifests: {
    summary: "Print the Kubernetes objects that make gw a part of a cluster",
    describe: async () => (await import("./commands/manifests.ts")).MANIFESTS_COMMAND,
    load: async () => (await import("./commands/manifests.ts")).manifests,
  },
  health: {
    summary: "Ask whether a server is up, for containers without curl",
    describe: async () => (await import("./commands/health.ts")).HEALTH_COMMAND,
    load: async () => (await import("./commands/health.ts")).health,
  },
  completions: {
    summary: "Print completions of command lines for bash, zsh or fish",
    describe: async () => (await import("./commands/completions.ts")).COMPLETIONS_COMMAND,
    load: async () => (await import("./commands/completions.ts")).createCompletions(describeCommands),
  },
  man: {
    summary: "Print the manual page of gw",
    describe: async () => (await import("./commands/man.ts")).MAN_COMMAND,
    load: async () => (await import("./commands/man.ts")).createMan(describeCommands),
  },
};

/** Loads the descriptions of all commands. */
async function describeCommands(): Promise<DescribedCommand[]> {
  return await Promise.all(
    Object.values(COMMANDS).map(async ({ summary, describe }) => ({ summary, command: await describe() })),
  );
}
