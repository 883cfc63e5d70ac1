import { createSessions } from "../../lib/mock/create_sessions.ts";
import { problemReply } from "../../lib/mock/operation/reply.ts";
import type { Responder } from "../../lib/mock/responder.ts";
import { originalRequest } from "../../lib/http/url/request_with_url.ts";
import { readLine, refuse } from "../line/command.ts";
import { createCallbackSender } from "../io/callbacks.ts";
import { type Definition, documentsOf, refersOutside } from "../io/files/definition.ts";
import { createDisturbances } from "../io/disturbance.ts";
import { createLogRedaction } from "../io/terminal/log_redaction.ts";
import { createBackground, surviveErrors, untilStopped } from "../io/lifecycle.ts";
import { createHostGuard, type HostGuard, NO_GUARD, type OutsideSource } from "../io/host_guard.ts";
import { createLazyClient } from "../io/upstream/lazy_client.ts";
import { DEFAULT_HOST, isLocal, listen } from "../io/listener.ts";
import { createLog, type Log } from "../io/terminal/log.ts";
import { Reloader } from "../io/files/reloader.ts";
import { createRequestHandler, type RequestHandlerOptions } from "../io/request_handler.ts";
import { announceStart } from "../mock/announcements.ts";
import { consoleOf } from "../mock/console.ts";
import { MockedDefinitions } from "../mock/definitions.ts";
import { type MockInputs, readInputs } from "../mock/inputs.ts";
import * as say from "../mock/messages.ts";
import { mistakeIn } from "../mock/mistakes.ts";
import { type Observation, startObserving } from "../mock/observation.ts";
import { delayOf, mockOptions } from "../mock/options.ts";
import { MOCK_COMMAND, type ServerSettings } from "../mock/settings.ts";
import { keepState } from "../mock/state.ts";
import { EXIT, type Platform } from "../line/platform.ts";
import { definitionsOf } from "../line/operands.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { UrlFile } from "../io/files/url_file.ts";
import { createReporting } from "../mock/reporting.ts";

/** Milliseconds that writing the rest of the log may take before the process ends. */
const LOG_FLUSH_TIMEOUT = 2000;

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
  if (settings.cluster) return await (await import("../mock/cluster.ts")).mockCluster(settings, platform);
  const named = await definitionsOf(settings.in, settings.overlay, "gw mock");
  if (named.kind === "mistake") return refuse(named.message, MOCK_COMMAND.name, platform).code;
  return await serveDefinitions({ ...settings, in: named.definitions }, platform);
}

/**
 * Mocks definitions, or relays their operations to an upstream, until a stop signal.
 *
 * @returns The exit code.
 */
export async function serveDefinitions(settings: ServerSettings, platform: Platform): Promise<number> {
  await using reporting = createReporting(settings, platform);
  const log = createLog(reporting ?? platform, { format: settings["log-format"], quiet: settings.quiet });
  const { "url-file": urlPath } = settings;
  let urlFile: UrlFile | undefined;
  try {
    urlFile = urlPath === undefined
      ? undefined
      : await (await import("../io/files/url_file.ts")).UrlFile.create(urlPath);
  } catch (error) {
    log.complain(messageOf(error));
    return EXIT.environment;
  }
  const inputs = await readInputs(settings, platform, log);
  if (inputs.kind === "failed") return inputs.code;
  if (settings.webhook !== undefined) {
    const { sendWebhook } = await import("../mock/webhook.ts");
    const { seed, control: controlPath } = settings;
    return await sendWebhook(settings.webhook, documentsOf(inputs.definitions), { seed, controlPath, log });
  }
  const observing = await startObserving(inputs.definitions, { settings, reporting, log });
  if (observing.kind === "failed") return observing.code;
  return await answerUntilStopped(inputs, {
    settings,
    platform,
    log,
    observation: observing.observation,
    urlFile,
  });
}

interface Run {
  readonly settings: ServerSettings;
  readonly platform: Platform;
  readonly log: Log;
  readonly observation: Observation;
  readonly urlFile: UrlFile | undefined;
}

/** Listens, and answers until a stop signal. Returns the exit code. */
async function answerUntilStopped(
  inputs: MockInputs,
  { settings, platform, log, observation, urlFile }: Run,
): Promise<number> {
  const { definitions, diagnostics } = inputs;
  const clients = new WeakMap<Request, string>();
  const sources = new Set<OutsideSource>(settings.proxy === undefined ? [] : ["upstream"]);
  const noteReferences = (definitions: readonly Definition[]): void => {
    if (definitions.some(refersOutside)) sources.add("reference");
    else sources.delete("reference");
  };
  noteReferences(definitions);
  const guard = hostGuardOf(settings, sources);
  const client = createLazyClient(platform.env);
  const options = mockOptions(settings, {
    clientOf: (request) => clients.get(originalRequest(request)),
    isTrustedProxy: await trustedProxies(settings),
    isOwnHost: guard.isOwnHost,
    client,
    observers: observation.observers,
  });
  const sessions = createSessions(options);
  const console = consoleOf(settings, () => mocked.status);
  const { stderr: { color } } = platform;
  const onReload = (definitions: readonly Definition[]): void => {
    noteReferences(definitions);
    observation.reloaded(definitions);
  };
  const mocked = await MockedDefinitions.create(definitions, diagnostics, {
    settings,
    options: { ...options, console },
    sessions,
    log,
    color,
    onReload,
  });
  const keeping = await keepState(settings, sessions, log);
  if (keeping.kind === "failed") return keeping.code;

  const background = createBackground();
  let port = 0;
  const disturbances = createDisturbances(() => port);
  const handle = createHandler(settings, mocked, guard, { log, background, disturbances });
  const listening = listen(needsClients(settings) ? withClients(handle, clients, settings) : handle, {
    host: settings.host ?? DEFAULT_HOST,
    ...(settings.port === undefined ? {} : { port: settings.port }),
    ...(inputs.tls === undefined ? {} : { tls: inputs.tls }),
  }, log.complain);
  if (listening.kind === "refused") {
    log.complain(listening.message);
    return EXIT.environment;
  }
  port = listening.port;
  const reloader = new Reloader(definitions, {
    ...inputs.reading,
    watch: !settings["no-watch"],
    ...(settings.poll === undefined ? {} : { poll: settings.poll }),
  }, (outcome) => mocked.reload(outcome));
  // Before others learn the URL: whoever starts gw may stop it at once, and it must then end as usual.
  const stopped = untilStopped(listening.server, platform.onStop, background);
  try {
    await urlFile?.write(listening.url);
  } catch (error) {
    log.complain(messageOf(error));
    reloader.close();
    listening.server.shutdown();
    await stopped;
    return EXIT.environment;
  }
  await announceStart(definitions, { diagnostics, listening, files: reloader.files, settings, options, log });
  observation.show(listening.url);
  // Requests that wait for the client to be loaded take memory, and one that comes first takes longer.
  if (settings.proxy !== undefined) void client.prepare();
  mocked.showProblems(diagnostics);

  const restoreDefault = surviveErrors((error) => log.complain(say.unexpectedError(error)));
  // End the open event streams of `/_gw/requests`: the server can't stop while one is open.
  const keepStreams = platform.onStop(() => sessions?.endStreams());
  await stopped;
  keepStreams();
  reloader.close();
  await urlFile?.remove();
  restoreDefault();
  const codes = [await observation.finish(), await keeping.kept.finish()];
  await Promise.all([platform.stdout.flush(LOG_FLUSH_TIMEOUT), platform.stderr.flush(LOG_FLUSH_TIMEOUT)]);
  return Math.max(...codes);
}

type RequestHandler = ReturnType<typeof createRequestHandler>;

/** Makes the handler of all requests. A request is answered by the definitions that are current when it arrives. */
function createHandler(
  settings: ServerSettings,
  mocked: MockedDefinitions,
  { refusalOf }: HostGuard,
  parts: Pick<RequestHandlerOptions, "log" | "background" | "disturbances">,
): RequestHandler {
  const { callbacks: reach, control: controlPath } = settings;
  const respond = (request: Request): ReturnType<Responder> => {
    const refusal = refusalOf(request);
    return refusal === undefined ? mocked.responder(request) : problemReply(refusal);
  };
  return createRequestHandler({
    responder: () => respond,
    redaction: createLogRedaction(() => mocked.documents),
    logsRequests: !settings.quiet,
    ...parts,
    ...delayOf(settings),
    ...(settings.verbose ? { explain: (request: Request) => mocked.responder.explain(request) } : {}),
    ...(reach === undefined ? {} : { sendCallbacks: createCallbackSender(parts.log, { reach, controlPath }) }),
  });
}

/**
 * The guard of the server against requests for other hosts, while only this machine reaches it.
 *
 * @param sources The sources beyond the definitions from which the server answers, which change at a reload.
 */
function hostGuardOf(
  { host = DEFAULT_HOST, proxy, "allow-host": allowed }: ServerSettings,
  sources: ReadonlySet<OutsideSource>,
): HostGuard {
  if (!isLocal(host)) return NO_GUARD;
  return createHostGuard({ sources, hosts: () => proxy === undefined ? allowed : [...allowed, proxy.hostname] });
}

async function trustedProxies(
  { "trusted-proxy": proxies }: ServerSettings,
): Promise<((address: string) => boolean) | undefined> {
  if (proxies.length === 0) return undefined;
  const { createRangeTest } = await import("../io/files/within_ranges.ts");
  return createRangeTest(proxies);
}

/**
 * Makes a handler that stores the address of each request's client. A proxied request carries this address in a header,
 * and gw's own endpoints allow or refuse requests by it.
 */
function withClients(
  handle: RequestHandler,
  clients: WeakMap<Request, string>,
  { proxy, control }: ServerSettings,
): (request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) => ReturnType<RequestHandler> {
  return (request, info) => {
    if (proxy !== undefined || request.url.includes(control)) clients.set(request, info.remoteAddr.hostname);
    return handle(request, info);
  };
}

function needsClients({ proxy, "no-control": noControl, "as-gateway": asGateway }: ServerSettings): boolean {
  return proxy !== undefined || !noControl && !asGateway;
}
