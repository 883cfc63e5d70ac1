import { listWebhooks } from "../lib/mock/callback.ts";
import type { Observer } from "../lib/mock/exchange.ts";
import { checkMockable } from "../lib/mock/lint/check_mockable.ts";
import { createResponder } from "../lib/mock/mock.ts";
import { countUnanswered } from "../lib/mock/select_response.ts";
import { compareOperations } from "../lib/openapi/changes.ts";
import { listOperations } from "../lib/openapi/operation.ts";
import { atOrigin, type UnlocatedDiagnostic } from "../lib/openapi/diagnostic.ts";
import { readLine, refuse } from "./command.ts";
import { EXIT } from "./platform.ts";
import { createBackground } from "./io/lifecycle.ts";
import { createCallbackSender } from "./io/callbacks.ts";
import { type Definition, type DefinitionOptions, readDefinition, withoutRepeatedTargets } from "./io/definition.ts";
import { surviveErrors } from "./io/lifecycle.ts";
import { DEFAULT_HOST, DEFAULT_PORT, isEveryAddress, listen } from "./io/listener.ts";
import { displayName } from "./io/location.ts";
import { OverlayFiles, unreadableOperand } from "./io/overlay_files.ts";
import { createLog, type Log } from "./io/log.ts";
import type { RecordingFile } from "./io/recording_file.ts";
import { type Reload, Reloader } from "./io/reloader.ts";
import { createRequestHandler, type Responder } from "./io/request_handler.ts";
import { messageOf } from "../lib/http/message.ts";
import { untilStopped } from "./io/lifecycle.ts";
import type { TlsFiles } from "./io/tls.ts";
import { overlayArguments } from "./overlay_flag.ts";
import * as say from "./mock_messages.ts";
import {
  delayOf,
  mistakeIn,
  MOCK_COMMAND,
  mockOptions,
  type MockSettings,
  type ServerSettings,
} from "./mock_settings.ts";
import type { Platform } from "./platform.ts";
import { createReporting } from "./reporting.ts";

/** Milliseconds in which the rest of the log must be written at the end. */
const LAST_WORDS = 2000;

/**
 * Answers every operation of definitions until a stop signal.
 *
 * @param args The command line after `gw mock`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function mock(args: readonly string[], platform: Platform): Promise<number> {
  const line = readLine(MOCK_COMMAND, args, platform);
  if (line.kind === "exit") return line.code;
  const settings = line.values;
  const mistake = mistakeIn(settings);
  if (mistake !== undefined) return refuse(mistake, MOCK_COMMAND.name, platform).code;
  if (settings.cluster) return await (await import("./mock_cluster.ts")).mockCluster(settings, platform);
  return await serveDefinitions(settings, platform);
}

/**
 * Mocks definitions, or sends their operations to an upstream, until a stop signal.
 *
 * @returns The exit code.
 */
export async function serveDefinitions(settings: ServerSettings, platform: Platform): Promise<number> {
  const operands = settings.in;
  const { color } = platform.stderr;
  await using reporting = createReporting(settings, platform);
  const log = createLog(reporting ?? platform, { format: settings["log-format"], quiet: settings.quiet });
  const named = [...operands, ...overlayArguments(settings.overlay)];
  const reading = {
    readStdin: platform.readStdin,
    allowRemoteRefs: settings["allow-remote-refs"],
    overlays: new OverlayFiles(settings.overlay, operands, platform.readStdin),
  };
  const read = await readDefinitions(operands, reading, log);
  if (read.kind === "failed") return read.code;
  const tls = await readTls(settings, log);
  if (tls.kind === "failed") return tls.code;
  const diagnostics = await check(read.definitions, settings);
  if (diagnostics.some(isError)) {
    log.complain(say.firstProblems(diagnostics.filter(isError), named, { color }));
    return EXIT.input;
  }

  if (settings.webhook !== undefined) {
    const { sendWebhook } = await import("./webhook.ts");
    return await sendWebhook(settings.webhook, documentsOf(read.definitions), { seed: settings.seed, log });
  }

  const clients = new WeakMap<Request, string>();
  // Reports and recordings take the exchanges.
  const observers: Observer[] = reporting === undefined ? [] : [reporting.observe];
  const recording = await tryToRecord(settings, read.definitions, log);
  if (recording.kind === "failed") return recording.code;
  const { file: recorded } = recording;
  if (recorded !== undefined) observers.push(recorded.observe);
  const options = mockOptions(settings, { clientOf: (request) => clients.get(request), env: platform.env, observers });
  let definitions = read.definitions;
  const unwritable = await reporting?.start(() => definitions, log);
  if (unwritable !== undefined) {
    log.complain(unwritable);
    return EXIT.environment;
  }
  let warnings = new Set(diagnostics.map(keyOf));
  let responder: Responder = createResponder(documentsOf(definitions), options);
  const background = createBackground();
  const handle = createRequestHandler({
    responder: () => responder,
    log,
    logsRequests: !settings.quiet,
    background,
    ...delayOf(settings),
    ...(settings.callbacks === undefined
      ? {}
      : { sendCallbacks: createCallbackSender(log, { reach: settings.callbacks }) }),
  });

  const listening = listen(settings.proxy === undefined ? handle : handleForClient, {
    host: settings.host ?? DEFAULT_HOST,
    ...(settings.port === undefined ? {} : { port: settings.port }),
    ...(tls.files === undefined ? {} : { tls: tls.files }),
  }, log.complain);
  if (listening.kind === "refused") {
    log.complain(listening.message);
    return EXIT.environment;
  }
  const reloader = new Reloader(definitions, {
    ...reading,
    watch: !settings["no-watch"],
    ...(settings.poll === undefined ? {} : { poll: settings.poll }),
  }, reload);
  announce(definitions, diagnostics, listening, reloader.files, settings, log);
  reporting?.show(listening.url);
  // Locating problems takes time, for which the first request doesn't wait.
  if (diagnostics.length > 0) setTimeout(() => log.complain(firstProblems(diagnostics, true)), 100);

  const restoreDefault = surviveErrors((error) => log.complain(say.unexpectedError(error)));
  await untilStopped(listening.server, platform.onStop, background);
  reloader.close();
  restoreDefault();
  const unwritten = await reporting?.finish(log);
  if (unwritten !== undefined) log.complain(unwritten);
  await recorded?.close();
  await Promise.all([platform.stdout.flush(LAST_WORDS), platform.stderr.flush(LAST_WORDS)]);
  return unwritten === undefined ? EXIT.fine : EXIT.environment;

  /** Stores the address of the client, which is sent to the upstream in a header. */
  function handleForClient(
    request: Request,
    info: Deno.ServeHandlerInfo<Deno.NetAddr>,
  ): ReturnType<typeof handle> {
    clients.set(request, info.remoteAddr.hostname);
    return handle(request, info);
  }

  async function reload(outcome: Reload): Promise<void> {
    switch (outcome.kind) {
      case "unreadable":
        return log.complain(`${say.unreadable(outcome.operand, outcome.reason)} ${say.STILL_ANSWERING}`);
      case "readable":
        return log.note(`${outcome.operand} can be read again.`, { readable: outcome.operand });
      case "broken":
        return complainOfEdit(outcome.definition.document.unlocatedDiagnostics);
      case "reloaded": {
        const diagnostics = await check(outcome.definitions, settings);
        if (diagnostics.some(isError)) return complainOfEdit(diagnostics);
        const before = definitions;
        const news = diagnostics.filter((diagnostic) => !warnings.has(keyOf(diagnostic)));
        warnings = new Set(diagnostics.map(keyOf));
        definitions = outcome.definitions;
        responder = createResponder(documentsOf(definitions), options);
        reporting?.changed();
        recorded?.reloaded(documentsOf(definitions));
        // Yield to requests that are waiting.
        setTimeout(() => {
          announceReload(before, outcome.definitions, log);
          if (news.length > 0) log.complain(firstProblems(news));
        });
      }
    }
  }

  function complainOfEdit(diagnostics: readonly UnlocatedDiagnostic[]): void {
    const errors = diagnostics.filter(isError);
    // If there are no errors, a file has disappeared: the warnings report its reference.
    log.complain(`${firstProblems(errors.length > 0 ? errors : diagnostics)}\n${say.STILL_ANSWERING}`);
  }

  function firstProblems(diagnostics: readonly UnlocatedDiagnostic[], hints = false): string {
    return say.firstProblems(diagnostics, named, { color, most: say.MOST_WHILE_ANSWERING, hints });
  }
}

async function readDefinitions(
  operands: readonly string[],
  options: DefinitionOptions,
  log: Log,
): Promise<{ kind: "read"; definitions: readonly Definition[] } | { kind: "failed"; code: number }> {
  const outcomes = await Promise.allSettled(operands.map((operand) => readDefinition(operand, options)));
  const definitions: Definition[] = [];
  const complaints = new Set<string>();
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.status === "fulfilled") definitions.push(outcome.value);
    else {complaints.add(
        say.unreadable(unreadableOperand(outcome.reason, operands[index] ?? ""), messageOf(outcome.reason)),
      );}
  }
  for (const complaint of complaints) log.complain(complaint);
  return definitions.length === outcomes.length
    ? { kind: "read", definitions }
    : { kind: "failed", code: EXIT.environment };
}

async function tryToRecord(
  settings: MockSettings,
  definitions: readonly Definition[],
  log: Log,
): Promise<{ kind: "ready"; file?: RecordingFile } | { kind: "failed"; code: number }> {
  if (settings.record === undefined) return { kind: "ready" };
  try {
    const { startRecording } = await import("./recording.ts");
    return { kind: "ready", file: await startRecording(settings, settings.record, documentsOf(definitions), log) };
  } catch (error) {
    log.complain(messageOf(error));
    return { kind: "failed", code: EXIT.environment };
  }
}

async function readTls(
  { "tls-cert": certFile, "tls-key": keyFile }: MockSettings,
  log: Log,
): Promise<{ kind: "read"; files?: TlsFiles } | { kind: "failed"; code: number }> {
  if (certFile === undefined || keyFile === undefined) return { kind: "read" };
  try {
    const { readTlsFiles } = await import("./io/tls.ts");
    return { kind: "read", files: await readTlsFiles(certFile, keyFile) };
  } catch (error) {
    log.complain(messageOf(error));
    return { kind: "failed", code: EXIT.environment };
  }
}

async function check(definitions: readonly Definition[], settings: MockSettings): Promise<UnlocatedDiagnostic[]> {
  const diagnostics = await checkMockable(documentsOf(definitions), { asGateway: settings["as-gateway"] });
  return withoutRepeatedTargets(diagnostics, definitions);
}

/** Announces the definitions, the address and the watched files. */
function announce(
  definitions: readonly Definition[],
  diagnostics: readonly UnlocatedDiagnostic[],
  { url, port }: { url: string; port: number },
  files: number,
  settings: ServerSettings,
  log: Log,
): void {
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
  const isOther = settings.port === undefined && port !== DEFAULT_PORT;
  const reach = isEveryAddress(settings.host ?? DEFAULT_HOST) ? ", open to other machines too" : "";
  log.say(`Listening on ${url}${reach}${isOther ? `, as port ${DEFAULT_PORT} is taken` : ""}`, { url });
  if (!settings["no-watch"]) log.note(say.watching(definitions, files, settings.poll), { files });
  if (settings.verbose) {
    for (const operation of operations.flatMap(({ operations }) => operations)) {
      log.note(`  ${say.operationName(operation)}`, { method: operation.method, path: operation.path });
    }
    for (const { name, operation: { method } } of documentsOf(definitions).flatMap(listWebhooks)) {
      log.note(`  webhook ${name} ${method}`, { webhook: name, method });
    }
  }
}

function announceReload(before: readonly Definition[], after: readonly Definition[], log: Log): void {
  const edited = after.flatMap((definition, index) => {
    const previous = before[index];
    return previous === undefined || previous === definition ? [] : [{ previous, definition }];
  });
  const changes = edited.map(({ previous, definition }) => compareOperations(previous.document, definition.document));
  const added = changes.flatMap(({ added }) => added);
  const removed = changes.flatMap(({ removed }) => removed);
  const changed = changes.flatMap(({ changed }) => changed);
  const names = [...new Set(edited.flatMap(({ previous, definition }) => editedNames(previous, definition)))];
  log.note(say.reloaded(names, { added, removed, changed }), {
    reloaded: names,
    added: added.map(say.operationName),
    removed: removed.map(say.operationName),
    changed: changed.map(say.operationName),
  });
}

/** The names of the overlays that were edited, else that of the definition. */
function editedNames(previous: Definition, { document, overlays }: Definition): string[] {
  const edited = overlays.filter((overlay) => !previous.overlays.includes(overlay));
  return edited.length > 0 ? edited.map(({ operand }) => operand) : [displayName(document.uri)];
}

function documentsOf(definitions: readonly Definition[]): Definition["document"][] {
  return definitions.map(({ document }) => document);
}

/** The identity of a problem, which stays the same when the texts are read again. */
function keyOf({ code, message, source: { uri }, pointer }: UnlocatedDiagnostic): string {
  return JSON.stringify([code, message, uri, pointer]);
}

function isError({ severity }: UnlocatedDiagnostic): boolean {
  return severity === "error";
}
