import { writeLine } from "../io/terminal/terminal.ts";
import { BODIES } from "../io/bodies.ts";
import { qualifiedName } from "../../lib/gateway/route.ts";
import { createManagementApi, operationOf } from "../../lib/management/api.ts";
import type { GatewayResourceKind } from "../../lib/gateway/resource.ts";
import type { Store } from "../../lib/management/store.ts";
import { type Line, readLine, refuse } from "../line/command.ts";
import { readConfigFile } from "../line/config_file.ts";
import { EXIT } from "../line/platform.ts";
import { createAccess } from "../io/access.ts";
import { surviveErrors } from "../io/lifecycle.ts";
import { isLocal, listen, type Server } from "../io/listener.ts";
import { createLog, type Log } from "../io/terminal/log.ts";
import { createManagementHandler } from "../io/gateway/management_handler.ts";
import { createMetrics } from "../io/telemetry.ts";
import { untilStopped } from "../io/lifecycle.ts";
import { UrlFile } from "../io/files/url_file.ts";
import type { TlsFiles } from "../io/tls.ts";
import type { Tokens } from "../io/tokens.ts";
import { createSpanNamer } from "../io/telemetry.ts";
import { unexpectedError } from "../mock/messages.ts";
import { type Answering, type Backend, type OpenBackend, orUnavailable, Unavailable } from "../serve/backend.ts";
import * as say from "../serve/messages.ts";
import { SERVE_COMMAND, serveMistake, type ServeSettings, type StoreKind, storeOf } from "../serve/settings.ts";
import type { Platform } from "../line/platform.ts";

/** Milliseconds that writing the rest of the log may take before the process ends. */
const LOG_FLUSH_TIMEOUT = 2000;

/** What `gw serve` opens before it listens: each part may be invalid or unreadable. */
interface Opened {
  backend: Backend;
  tokens: Tokens | undefined;
  tls: TlsFiles | undefined;
  urlFile: UrlFile | undefined;
}

/** Loads only the code of the store in use: Kubernetes' client alone takes 0.3 s to load. */
const BACKENDS: Readonly<Record<StoreKind, () => Promise<OpenBackend>>> = {
  sqlite: async () => (await import("../serve/standalone.ts")).openStandalone,
  kubernetes: async () => (await import("../serve/cluster.ts")).openCluster,
};

/**
 * Serves the management API, and the gateway that it manages, until a stop signal.
 *
 * @param args The command line after `gw serve`.
 * @param platform The process that the command runs in.
 * @returns The exit code.
 */
export async function serve(args: readonly string[], platform: Platform): Promise<number> {
  const line = await readSettings(args, platform);
  if (line.kind === "exit") return line.code;
  const settings = line.values;
  const kind = storeOf(settings, platform.env);
  const mistake = serveMistake(line.operands, settings, kind);
  if (mistake !== undefined) return refuse(mistake, SERVE_COMMAND.name, platform).code;

  const log = createLog(platform, { format: settings["log-format"], quiet: settings.quiet });
  try {
    const nameSpan = await createSpanNamer(platform.env);
    const metrics = createMetrics(async () => await countObjects((await opening).backend.store));
    const answering = { log, logsRequests: !settings.quiet, metrics, nameSpan };
    const opening = open(kind, settings, platform, answering);
    const opened = await opening;
    try {
      await run(opened, settings, platform, answering);
    } finally {
      opened.tokens?.close();
      opened.backend.close();
    }
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    log.complain(error.message);
    return EXIT.environment;
  } finally {
    await Promise.all([platform.stdout.flush(LOG_FLUSH_TIMEOUT), platform.stderr.flush(LOG_FLUSH_TIMEOUT)]);
  }
}

/** Reads the command line, which overrides the environment, which overrides the file of `--config`. */
async function readSettings(args: readonly string[], platform: Platform): Promise<Line<typeof SERVE_COMMAND.flags>> {
  const line = readLine(SERVE_COMMAND, args, platform);
  if (line.kind === "exit" || line.values.config === undefined) return line;
  const config = await readConfigFile(line.values.config, SERVE_COMMAND.flags);
  switch (config.kind) {
    case "read":
      return readLine(SERVE_COMMAND, args, platform, config.settingOf);
    case "mistake":
      return refuse(config.message, SERVE_COMMAND.name, platform);
    case "unreadable":
      writeLine(platform.stderr, config.message);
      return { kind: "exit", code: EXIT.environment };
  }
}

/** Opens certificate, tokens and store. Nothing listens yet, so that an error here ends the command at once. */
async function open(
  kind: StoreKind,
  settings: ServeSettings,
  platform: Platform,
  answering: Answering,
): Promise<Opened> {
  const { "url-file": urlPath } = settings;
  const urlFile = urlPath === undefined ? undefined : await orUnavailable(() => UrlFile.create(urlPath));
  const tls = await readTls(settings);
  const tokens = await readTokenFile(settings["token-file"], answering.log);
  try {
    const openBackend = await BACKENDS[kind]();
    return { tls, tokens, urlFile, backend: await openBackend(settings, platform, answering) };
  } catch (error) {
    tokens?.close();
    throw error;
  }
}

async function readTls({ "tls-cert": cert, "tls-key": key }: ServeSettings): Promise<TlsFiles | undefined> {
  if (cert === undefined || key === undefined) return undefined;
  const { readTlsFiles } = await import("../io/tls.ts");
  return await orUnavailable(() => readTlsFiles(cert, key));
}

async function readTokenFile(file: string | undefined, log: Log): Promise<Tokens | undefined> {
  if (file === undefined) return undefined;
  const { readTokens } = await import("../io/tokens.ts");
  return await orUnavailable(() => readTokens(file, log.complain));
}

/** Listens, and answers until a stop signal. */
async function run(opened: Opened, settings: ServeSettings, platform: Platform, answering: Answering): Promise<void> {
  const { backend, tls, urlFile, tokens = backend.tokens } = opened;
  const { log, metrics } = answering;
  const api = createManagementApi(backend.store, {
    ...backend.management,
    metrics: metrics.text,
    ...(settings["analysis-url"] === undefined ? {} : { analysisUrl: settings["analysis-url"] }),
    maxBody: settings["max-body"],
    bodies: BODIES,
  });
  const handler = createManagementHandler({
    api,
    operationOf,
    access: createAccess({
      ...(tokens === undefined ? {} : { tokens }),
      corsOrigins: settings["cors-origin"],
      isLocal: isLocal(settings.host),
    }),
    ...answering,
  });

  const restoreDefault = surviveErrors((error) => log.complain(unexpectedError(error)));
  try {
    await backend.start();
    const { host, port } = settings;
    const where = { host, port, advice: "Choose another one with --port.", ...(tls === undefined ? {} : { tls }) };
    const listening = listen(handler, where, log.complain);
    if (listening.kind === "refused") throw new Unavailable(listening.message);
    const server = combineServers(listening.server, backend);
    // Before others learn the URL: whoever starts gw may stop it at once, and it must then end as usual.
    const stopped = untilStopped(server, platform.onStop);
    try {
      await orUnavailable(async () => await urlFile?.write(listening.url));
    } catch (error) {
      server.shutdown();
      await stopped;
      throw error;
    }
    announce(listening.url, backend, log);
    for (const remark of await backend.remarks?.() ?? []) log.say(remark);
    if (settings.verbose) void backend.readable.then(() => noteDeployed(backend.store, log));
    void backend.warmUp(api);
    await stopped;
  } finally {
    await urlFile?.remove();
    restoreDefault();
  }
}

function announce(url: string, { path, addresses }: Backend, log: Log): void {
  log.say(say.managementAt(url, path), { url, store: path });
  for (const { fleet, url, remark } of addresses) {
    log.say(say.fleetAt(fleet, url, remark), { fleet: qualifiedName(fleet), url });
  }
}

async function noteDeployed(store: Store, log: Log): Promise<void> {
  for (const kind of ["api", "staticroute"] as const) {
    for (const { namespace, name, spec } of (await store.list(kind)).items) {
      log.note(say.deployed(kind, { namespace, name }, spec.fleet), { [kind]: `${namespace}/${name}` });
    }
  }
}

async function countObjects(store: Store): Promise<Record<GatewayResourceKind, number>> {
  const count = async (kind: GatewayResourceKind): Promise<number> =>
    await store.count?.(kind) ?? (await store.list(kind)).items.length;
  const [api, fleet, staticroute] = await Promise.all([count("api"), count("fleet"), count("staticroute")]);
  return { api, fleet, staticroute };
}

/** Combines the management API and its back end into one server, which drains before it shuts down. */
function combineServers(management: Server, { server, drain }: Backend): Server {
  return {
    shutdown() {
      void drain().then(() => {
        management.shutdown();
        server.shutdown();
      });
    },
    finished: Promise.all([management.finished, server.finished]).then(() => {}),
  };
}
