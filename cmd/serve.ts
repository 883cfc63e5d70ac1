import { createDeploymentCheck } from "../lib/gateway/check_deployment.ts";
import { createGateways } from "../lib/gateway/embedded.ts";
import { createManagementApi, operationOf } from "../lib/management/api.ts";
import { createMemoryStore } from "../lib/management/memory_store.ts";
import type { ServiceProbe } from "../lib/management/options.ts";
import type { Kind, Store } from "../lib/management/store.ts";
import { type Line, readLine, refuse } from "./command.ts";
import { readConfigFile } from "./config_file.ts";
import { EXIT } from "./exit_code.ts";
import { createAccess } from "./io/access.ts";
import { defaultFolder, IN_MEMORY, prepareFolder, tilde } from "./io/data_folder.ts";
import { createDataPlane, type DataPlane, nameOf } from "./io/data_plane.ts";
import { surviveFaults } from "./io/faults.ts";
import { createFleetHandler } from "./io/fleet_handler.ts";
import { createGatewayWorld } from "./io/gateway_world.ts";
import { DEFAULT_PORT, listen, type Server } from "./io/listener.ts";
import { createLog, type Log } from "./io/log.ts";
import { createManagementHandler } from "./io/management_handler.ts";
import { createMetrics } from "./io/metrics.ts";
import { messageOf } from "./io/request_text.ts";
import { createProber } from "./io/service_probe.ts";
import { untilStopped } from "./io/stop.ts";
import type { TlsFiles } from "./io/tls.ts";
import type { Tokens } from "./io/tokens.ts";
import { createSpanNamer } from "./io/tracing.ts";
import { fault } from "./mock_messages.ts";
import * as say from "./serve_messages.ts";
import { isLocal, mistakeIn, SERVE_COMMAND, type ServeSettings } from "./serve_settings.ts";
import { createServiceProbe } from "./serve_services.ts";
import { warmUp } from "./warm_up.ts";
import type { World } from "./world.ts";

/** How long the end of the log may take to be written, in milliseconds. */
const LAST_WORDS = 2000;

/** The fleet that a store begins with. */
const FIRST_FLEET = { namespace: "default", name: "default" } as const;
/** How many ports are tried for it. */
const MOST_PORTS = 100;

/** A file or a port of the world that `gw serve` can't do without, and can't have. */
class Unavailable extends Error {}

/** What was opened for `gw serve`. */
interface Opened {
  store: Store;
  /** Where the store is, as a person knows it. */
  path: string;
  closeStore: () => void;
  tokens: Tokens | undefined;
  tls: TlsFiles | undefined;
}

/**
 * Serves the management API, and the gateway that it manages, until it is told to stop.
 *
 * @param args The command line after `gw serve`.
 * @param world What the command may touch.
 * @returns The exit code.
 */
export async function serve(args: readonly string[], world: World): Promise<number> {
  const line = await readSettings(args, world);
  if (line.kind === "exit") return line.code;
  const settings = line.values;
  const mistake = mistakeIn(line.operands, settings);
  if (mistake !== undefined) return refuse(mistake, SERVE_COMMAND.name, world).code;

  const log = createLog(world, { format: settings["log-format"], quiet: settings.quiet });
  try {
    const opened = await open(settings, world, log);
    try {
      await run(opened, settings, world, log);
    } finally {
      opened.tokens?.close();
      opened.closeStore();
    }
    return EXIT.fine;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    log.complain(error.message);
    return EXIT.world;
  } finally {
    await Promise.all([world.stdout.flush(LAST_WORDS), world.stderr.flush(LAST_WORDS)]);
  }
}

/** Reads the command line, over the environment, over the file that `--config` names. */
async function readSettings(args: readonly string[], world: World): Promise<Line<typeof SERVE_COMMAND.flags>> {
  const line = readLine(SERVE_COMMAND, args, world);
  if (line.kind === "exit" || line.values.config === undefined) return line;
  const config = await readConfigFile(line.values.config, SERVE_COMMAND.flags);
  switch (config.kind) {
    case "read":
      return readLine(SERVE_COMMAND, args, world, config.settingOf);
    case "mistake":
      return refuse(config.message, SERVE_COMMAND.name, world);
    case "unreadable":
      world.stderr.write(`${config.message}\n`);
      return { kind: "exit", code: EXIT.world };
  }
}

/** Opens all files, so that nothing listens before they are known to be fine. */
async function open(settings: ServeSettings, world: World, log: Log): Promise<Opened> {
  const tls = await readTls(settings);
  const tokens = await readTokenFile(settings["token-file"], log);
  try {
    const { path, ...store } = await openStore(settings.data ?? defaultFolder(world.env));
    return { tls, tokens, ...store, path: tilde(path, world.env) };
  } catch (error) {
    tokens?.close();
    throw error;
  }
}

async function openStore(folder: string): Promise<Pick<Opened, "store" | "path" | "closeStore">> {
  const now = (): number => Date.now();
  if (folder === IN_MEMORY) return { store: createMemoryStore(now), path: IN_MEMORY, closeStore: () => {} };
  const path = await orUnavailable(() => prepareFolder(folder));
  const { openSqliteStore } = await import("./io/sqlite_store.ts");
  const opened = openSqliteStore({ path, now });
  if (opened.kind === "refused") throw new Unavailable(opened.message);
  return { store: opened.store, path, closeStore: opened.close };
}

async function readTls({ "tls-cert": cert, "tls-key": key }: ServeSettings): Promise<TlsFiles | undefined> {
  if (cert === undefined || key === undefined) return undefined;
  const { readTlsFiles } = await import("./io/tls.ts");
  return await orUnavailable(() => readTlsFiles(cert, key));
}

async function readTokenFile(file: string | undefined, log: Log): Promise<Tokens | undefined> {
  if (file === undefined) return undefined;
  const { readTokens } = await import("./io/tokens.ts");
  return await orUnavailable(() => readTokens(file, log.complain));
}

async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Unavailable(messageOf(error), { cause: error });
  }
}

/** Listens on all ports, and answers until somebody says stop. */
async function run(opened: Opened, settings: ServeSettings, world: World, log: Log): Promise<void> {
  const { store, tls, tokens } = opened;
  const metrics = createMetrics(() => countObjects(store));
  const nameSpan = await createSpanNamer(world.env);
  const gatewayWorld = createGatewayWorld(settings.service);
  const createGateway = createGateways(gatewayWorld);
  const answering = { log, logsRequests: !settings.quiet, metrics, nameSpan };
  const dataPlane = createDataPlane({
    store,
    host: settings.host,
    createHandler: (fleet, plans) =>
      createFleetHandler({ fleet: nameOf(fleet), gateway: createGateway(plans), ...answering }),
    complain: log.complain,
    onSwap: metrics.reloaded,
  });
  const prober = createProber();
  const services = createServiceProbe(prober, gatewayWorld.resolveService, dataPlane, settings.host);
  const check = createDeploymentCheck();
  const api = createManagementApi(store, {
    gateway: dataPlane,
    check,
    services,
    ready: () => dataPlane.isReady ? { kind: "ready" } : { kind: "not-ready", reason: "A fleet has no listener." },
    metrics: metrics.text,
    ...(settings["analysis-url"] === undefined ? {} : { analysisUrl: settings["analysis-url"] }),
    maxBody: settings["max-body"],
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

  const forgetFaults = surviveFaults((error) => log.complain(fault(error)));
  try {
    await createFirstFleet(store, dataPlane, settings);
    await dataPlane.apply();
    await tryServices(store, services);
    const { host, port } = settings;
    const where = { host, port, advice: "Choose another one with --port.", ...(tls === undefined ? {} : { tls }) };
    const listening = listen(handler, where, log.complain);
    if (listening.kind === "refused") throw new Unavailable(listening.message);
    await announce(listening.url, opened, dataPlane, settings, log);
    void warmUp({ api, createGateway });
    await untilStopped(both(listening.server, dataPlane.server), world.onStop);
  } finally {
    dataPlane.server.shutdown();
    prober.close();
    forgetFaults();
  }
}

/** Gives an empty store a fleet, on the first free port from 8080. */
async function createFirstFleet(store: Store, dataPlane: DataPlane, { host }: ServeSettings): Promise<void> {
  if (store.revision > 0) return;
  let refusal = "";
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + MOST_PORTS; port++) {
    refusal = dataPlane.reserve(FIRST_FLEET, [port]) ?? "";
    if (refusal !== "") continue;
    const ports = [{ name: "http", nodePort: 0, port, protocol: "TCP", targetPort: 0 }];
    const spec = { serviceType: "ClusterIP" as const, ports };
    await store.apply([{ kind: "create", resource: { kind: "fleet", ...FIRST_FLEET, spec } }]);
    return;
  }
  throw new Unavailable(`The fleet ${nameOf(FIRST_FLEET)} finds no free port on ${host}: ${refusal}`);
}

/** Lets all services that are stored be tried, before anybody asks for them. */
async function tryServices(store: Store, { status }: ServiceProbe): Promise<void> {
  for (const { namespace, name, spec } of (await store.list("fleet")).items) {
    for (const { port } of spec.ports) status(namespace, name, port);
  }
  for (const kind of ["api", "staticroute"] as const) {
    for (const { spec } of (await store.list(kind)).items) {
      for (const { namespace, name, port } of spec.summary.upstreams) status(namespace, name, port);
    }
  }
}

/** Says where everything is. */
async function announce(
  url: string,
  { store, path }: Opened,
  dataPlane: DataPlane,
  { verbose }: ServeSettings,
  log: Log,
): Promise<void> {
  log.say(say.managementAt(url, path), { url, store: path });
  for (const { fleet, url } of dataPlane.addresses) log.say(say.fleetAt(fleet, url), { fleet: nameOf(fleet), url });
  if (!verbose) return;
  for (const kind of ["api", "staticroute"] as const) {
    for (const { namespace, name, spec } of (await store.list(kind)).items) {
      log.note(say.deployed(kind, { namespace, name }, spec.fleet), { [kind]: `${namespace}/${name}` });
    }
  }
}

async function countObjects(store: Store): Promise<Record<Kind, number>> {
  const count = async (kind: Kind): Promise<number> => (await store.list(kind)).items.length;
  const [api, fleet, staticroute] = await Promise.all([count("api"), count("fleet"), count("staticroute")]);
  return { api, fleet, staticroute };
}

/** Two servers that begin and end together. */
function both(first: Server, second: Server): Server {
  return {
    shutdown() {
      first.shutdown();
      second.shutdown();
    },
    finished: Promise.all([first.finished, second.finished]).then(() => {}),
  };
}
