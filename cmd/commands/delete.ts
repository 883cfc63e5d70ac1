import { writeLine } from "../io/terminal/terminal.ts";
import { readLine, refuse } from "../line/command.ts";
import { EXIT } from "../line/platform.ts";
import { kindOf } from "../remote/kinds.ts";
import { ask, connect, errorMessageOf, exitCodeOf, isFine, REMOTE_FLAGS } from "../remote/server.ts";
import type { Platform } from "../line/platform.ts";

export const DELETE_COMMAND = {
  name: "delete",
  usage: "api|fleet|staticroute NAME [flags]",
  description: "Deletes a resource of a running gw serve.",
  flags: {
    ...REMOTE_FLAGS,
    "cascade": { description: "Of a fleet: delete the APIs and static routes that it serves, too." },
    "dry-run": { description: "Only say whether it could be deleted." },
    "quiet": { short: "q", description: "Print only errors." },
  },
  examples: [
    { line: "gw delete api todo", does: "Its paths answer 404 from then on" },
    { line: "gw delete fleet edge --cascade", does: "A fleet with all that it serves" },
  ],
};

/**
 * Deletes a resource.
 *
 * @param args The command line after `gw delete`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function remove(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(DELETE_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const { values: settings, operands: [word = "", name, ...more] } = line;
  const kind = kindOf(word);
  if (kind === undefined || kind.isReadOnly) {
    return refuse(
      `What is to be deleted? An api, a fleet or a staticroute${word && `, not ${word}`}: gw delete api NAME`,
      DELETE_COMMAND.name,
      platform,
    )
      .code;
  }
  if (name === undefined || more.length > 0) {
    return refuse(`Which ${kind.name}? Give one name: gw delete ${kind.name} NAME`, DELETE_COMMAND.name, platform).code;
  }

  const client = connect(settings.server, platform);
  const namespace = settings.namespace ?? "default";
  const query = new URLSearchParams({
    ...(settings.cascade ? { cascade: "true" } : {}),
    ...(settings["dry-run"] ? { dryRun: "true" } : {}),
  });
  const path = `/${kind.path}/${encodeURIComponent(namespace)}/${encodeURIComponent(name)}`;
  const asked = await ask(
    () => client({ method: "DELETE", path: query.size === 0 ? path : `${path}?${query}` }),
    platform,
  );
  if (asked.kind === "failed") return asked.code;
  if (!isFine(asked.answer)) {
    writeLine(platform.stderr, errorMessageOf(asked.answer));
    return exitCodeOf(asked.answer);
  }
  const done = settings["dry-run"] ? "Could delete" : "Deleted";
  if (!settings.quiet) writeLine(platform.stdout, `${done} ${kind.name} ${namespace}/${name}.`);
  return EXIT.fine;
}
