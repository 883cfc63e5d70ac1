import { listWebhooks } from "../../lib/mock/callback/callback.ts";
import type { RouteOptions } from "../../lib/mock/operation/mock_route.ts";
import { countUnanswered } from "../../lib/mock/answer/select_response.ts";
import { compareOperations } from "../../lib/openapi/changes.ts";
import { atOrigin, type UnlocatedDiagnostic } from "../../lib/openapi/diagnostic.ts";
import { listOperations } from "../../lib/openapi/operation.ts";
import { type Definition, documentsOf } from "../io/files/definition.ts";
import { DEFAULT_HOST, DEFAULT_PORT, isEveryAddress } from "../io/listener.ts";
import { displayName } from "../io/files/location.ts";
import type { Log } from "../io/terminal/log.ts";
import * as say from "./messages.ts";
import { hasConsole } from "./console.ts";
import type { ServerSettings } from "./settings.ts";
import { idleStateFlags } from "./state_flags.ts";

/** A started server, as far as the log announces it; its definitions are passed separately. */
export interface Announcement {
  readonly diagnostics: readonly UnlocatedDiagnostic[];
  readonly listening: { readonly url: string; readonly port: number };
  /** How many files are watched. */
  readonly files: number;
  readonly settings: ServerSettings;
  /** The options that decide how operations are answered. */
  readonly options: RouteOptions;
  readonly log: Log;
}

/** Logs the definitions and overlays, the address, and the watched files. */
export async function announceStart(
  definitions: readonly Definition[],
  { diagnostics, listening: { url, port }, files, settings, options, log }: Announcement,
): Promise<void> {
  const operations = documentsOf(definitions).map((document) => ({ document, operations: listOperations(document) }));
  for (const { document, operations: { length } } of operations) {
    const warnings = diagnostics.filter((diagnostic) =>
      document.sources.get(diagnostic.source.uri) === diagnostic.source &&
      !document.overlays.includes(atOrigin(diagnostic).source)
    ).length;
    const { title, version } = say.titleOf(document);
    log.note(say.parsed(document, length, warnings), {
      definition: displayName(document.uri),
      title,
      version,
      operations: length,
      warnings,
    });
  }
  for (const { operand, overlay } of new Set(definitions.flatMap(({ overlays }) => overlays))) {
    const warnings = diagnostics.filter((diagnostic) => atOrigin(diagnostic).source === overlay.source).length;
    log.note(say.applied(operand, overlay.actions.length, warnings), {
      overlay: operand,
      actions: overlay.actions.length,
      warnings,
    });
  }
  if (!settings["as-gateway"] && settings.proxyAll !== true) {
    const unanswered = countUnanswered(operations.flatMap(({ operations }) => operations));
    const message = say.unanswered(unanswered, settings["any-status"]);
    if (message !== undefined) log.note(message, { unanswered: unanswered.count, byAnyStatus: unanswered.byAnyStatus });
  }
  const idle = idleStateFlags(settings, documentsOf(definitions), options);
  if (idle !== undefined) log.complain(idle);
  const isOther = settings.port === undefined && port !== DEFAULT_PORT;
  const reach = isEveryAddress(settings.host ?? DEFAULT_HOST) ? ", open to other machines too" : "";
  log.say(`Listening on ${url}${reach}${isOther ? `, as port ${DEFAULT_PORT} is taken` : ""}`, { url });
  if (hasConsole(settings)) {
    log.note(`Console: ${new URL(settings.control, url)}`, { console: `${new URL(settings.control, url)}` });
  }
  if (!settings["no-watch"]) log.note(say.watching(definitions, files, settings.poll), { files });
  if (settings.verbose) {
    for (const operation of operations.flatMap(({ operations }) => operations)) {
      log.note(`  ${say.operationName(operation)}`, { method: operation.method, path: operation.path });
    }
    for (const { name, operation: { method } } of documentsOf(definitions).flatMap(listWebhooks)) {
      log.note(`  webhook ${name} ${method}`, { webhook: name, method });
    }
    const { announceResources } = await import("./announce_resources.ts");
    announceResources(documentsOf(definitions), options, log);
  }
}

/** Logs which operations an edit added, removed and changed. Returns the lines. */
export function announceReload(before: readonly Definition[], after: readonly Definition[], log: Log): string[] {
  const edited = after.flatMap((definition, index) => {
    const previous = before[index];
    return previous === undefined || previous === definition ? [] : [{ previous, definition }];
  });
  const changes = edited.map(({ previous, definition }) => compareOperations(previous.document, definition.document));
  const added = changes.flatMap(({ added }) => added);
  const removed = changes.flatMap(({ removed }) => removed);
  const changed = changes.flatMap(({ changed }) => changed);
  const names = [...new Set(edited.flatMap(({ previous, definition }) => editedNames(previous, definition)))];
  const lines = say.reloaded(names, { added, removed, changed });
  log.note(lines, {
    reloaded: names,
    added: added.map(say.operationName),
    removed: removed.map(say.operationName),
    changed: changed.map(say.operationName),
  });
  return lines;
}

/** The names of the overlays if they were edited, else the name of the definition. */
function editedNames(previous: Definition, { document, overlays }: Definition): string[] {
  const edited = overlays.filter((overlay) => !previous.overlays.includes(overlay));
  return edited.length > 0 ? edited.map(({ operand }) => operand) : [displayName(document.uri)];
}
