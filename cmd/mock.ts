import { messageOf } from "../lib/http/message.ts";
import { checkMockable } from "../lib/mock/lint/check_mockable.ts";
import { createSessions } from "../lib/mock/create_sessions.ts";
import { createResponder } from "../lib/mock/mock.ts";
import { unshifted } from "../lib/mock/session/shifted_request.ts";
import type { UnlocatedDiagnostic } from "../lib/openapi/diagnostic.ts";
import { readLine, refuse } from "./command.ts";
import { createCallbackSender } from "./io/callbacks.ts";
import {
  type Definition,
  type DefinitionOptions,
  documentsOf,
  readDefinition,
  withoutRepeatedTargets,
} from "./io/definition.ts";
import { createDisturbances } from "./io/disturbance.ts";
import { createBackground, surviveErrors, untilStopped } from "./io/lifecycle.ts";
import { DEFAULT_HOST, listen } from "./io/listener.ts";
import { createLog, type Log } from "./io/log.ts";
import { OverlayFiles, unreadableOperand } from "./io/overlay_files.ts";
import { type Reload, Reloader } from "./io/reloader.ts";
import { createRequestHandler, type Responder } from "./io/request_handler.ts";
import type { TlsFiles } from "./io/tls.ts";
import { announceReload, announceStart } from "./mock_announcements.ts";
import * as say from "./mock_messages.ts";
import { mistakeIn } from "./mock_mistakes.ts";
import { startObserving } from "./mock_observation.ts";
import { delayOf, mockOptions } from "./mock_options.ts";
import { keepState } from "./mock_state.ts";
import { MOCK_COMMAND, type MockSettings, type ServerSettings } from "./mock_settings.ts";
import { overlayArguments } from "./overlay_flag.ts";
import { mistakesInRules } from "./rule_flag.ts";
import { EXIT, type Platform } from "./platform.ts";
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
  const mistakes = await mistakesInRules(settings.rule, documentsOf(read.definitions));
  if (mistakes.length > 0) {
    log.complain(mistakes.join("\n"));
    return EXIT.usage;
  }

  if (settings.webhook !== undefined) {
    const { sendWebhook } = await import("./webhook.ts");
    return await sendWebhook(settings.webhook, documentsOf(read.definitions), { seed: settings.seed, log });
  }

  const observing = await startObserving(read.definitions, { settings, reporting, log });
  if (observing.kind === "failed") return observing.code;
  const { observation } = observing;
  const clients = new WeakMap<Request, string>();
  const options = mockOptions(settings, {
    clientOf: (request) => clients.get(unshifted(request)),
    env: platform.env,
    observers: observation.observers,
  });
  const sessions = createSessions(options);
  let definitions = read.definitions;
  let warnings = new Set(diagnostics.map(keyOf));
  let responder: Responder = createResponder(documentsOf(definitions), options, sessions);
  const keeping = await keepState(settings, sessions, log);
  if (keeping.kind === "failed") return keeping.code;
  const background = createBackground();
  let port = 0;
  const handle = createRequestHandler({
    responder: () => responder,
    log,
    logsRequests: !settings.quiet,
    background,
    ...delayOf(settings),
    disturbances: createDisturbances(() => port),
    ...(settings.callbacks === undefined
      ? {}
      : { sendCallbacks: createCallbackSender(log, { reach: settings.callbacks }) }),
  });

  const listening = listen(needsClients(settings) ? handleForClient : handle, {
    host: settings.host ?? DEFAULT_HOST,
    ...(settings.port === undefined ? {} : { port: settings.port }),
    ...(tls.files === undefined ? {} : { tls: tls.files }),
  }, log.complain);
  if (listening.kind === "refused") {
    log.complain(listening.message);
    return EXIT.environment;
  }
  port = listening.port;
  const reloader = new Reloader(definitions, {
    ...reading,
    watch: !settings["no-watch"],
    ...(settings.poll === undefined ? {} : { poll: settings.poll }),
  }, reload);
  announceStart(definitions, { diagnostics, listening, files: reloader.files, settings, log });
  observation.show(listening.url);
  // Locating problems takes time, for which the first request doesn't wait.
  if (diagnostics.length > 0) setTimeout(() => log.complain(firstProblems(diagnostics, true)), 100);

  const restoreDefault = surviveErrors((error) => log.complain(say.unexpectedError(error)));
  // A stream of /_gw/requests has no end of its own.
  const keepStreams = platform.onStop(() => sessions.endStreams());
  await untilStopped(listening.server, platform.onStop, background);
  keepStreams();
  reloader.close();
  restoreDefault();
  const codes = [await observation.finish(), await keeping.kept.finish()];
  await Promise.all([platform.stdout.flush(LAST_WORDS), platform.stderr.flush(LAST_WORDS)]);
  return Math.max(...codes);

  /** Stores the address of the client: an upstream gets it in a header, and gw's own endpoints depend on it. */
  function handleForClient(
    request: Request,
    info: Deno.ServeHandlerInfo<Deno.NetAddr>,
  ): ReturnType<typeof handle> {
    if (settings.proxy !== undefined || request.url.includes(settings.control)) {
      clients.set(request, info.remoteAddr.hostname);
    }
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
        responder = createResponder(documentsOf(definitions), options, sessions);
        observation.reloaded(definitions);
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
    // An edit without errors is refused if a file has disappeared: a warning names the reference to it.
    log.complain(`${firstProblems(errors.length > 0 ? errors : diagnostics)}\n${say.STILL_ANSWERING}`);
  }

  function firstProblems(diagnostics: readonly UnlocatedDiagnostic[], hints = false): string {
    return say.firstProblems(diagnostics, named, { color, most: say.MOST_WHILE_ANSWERING, hints });
  }
}

/** Whether something depends on the address of a request's client. */
function needsClients({ proxy, "no-control": noControl, "as-gateway": asGateway }: ServerSettings): boolean {
  return proxy !== undefined || !noControl && !asGateway;
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

/** The identity of a problem, which stays the same when the texts are read again. */
function keyOf({ code, message, source: { uri }, pointer }: UnlocatedDiagnostic): string {
  return JSON.stringify([code, message, uri, pointer]);
}

function isError({ severity }: UnlocatedDiagnostic): boolean {
  return severity === "error";
}
