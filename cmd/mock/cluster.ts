import type { FleetRef } from "../../lib/gateway/route.ts";
import { splitTarget } from "../../lib/http/url/url.ts";
import { problemResponse } from "../../lib/http/problem.ts";
import { createClusterCheck } from "../../lib/cluster/check_service.ts";
import { createClusterMock } from "../../lib/cluster/mock_service.ts";
import { MOCKS } from "../../lib/cluster/names.ts";
import { CUSTOM_RESOURCES } from "../../lib/cluster/custom_resource.ts";
import { parseDocument } from "../../lib/openapi/document.ts";
import { createDocumentValidator } from "../../lib/schema/document_validator.ts";
import { EXIT } from "../line/platform.ts";
import { afterDrain, createDrain, surviveErrors, untilStopped } from "../io/lifecycle.ts";
import type { FleetHandler } from "../io/gateway/fleet_listeners.ts";
import { createFleetHandler } from "../io/gateway/fleet_handler.ts";
import { findAcceptedStates } from "../cluster/accepted_states.ts";
import type { KubeClient, ResourceType } from "../cluster/client.ts";
import { createKubeClient } from "../cluster/http_client.ts";
import { createInformer, type Informer } from "../cluster/informer.ts";
import { isInCluster } from "../cluster/kube_config.ts";
import { MockApis } from "../cluster/mock_apis.ts";
import { DEFAULT_HOST, EVERY_ADDRESS, listen, type Listening, type Server } from "../io/listener.ts";
import { createLog, type Log } from "../io/terminal/log.ts";
import { createMetrics, createSpanNamer, type Metrics } from "../io/telemetry.ts";
import { messageOf } from "../../lib/http/message.ts";
import { countOf, unexpectedError } from "./messages.ts";
import type { MockSettings } from "./settings.ts";
import type { Platform } from "../line/platform.ts";

/** Milliseconds that writing the rest of the log may take before the process ends. */
const LOG_FLUSH_TIMEOUT = 2000;

/**
 * Milliseconds for which a pod answers after SIGTERM: until no request has arrived for `quiet`, at most for `most`.
 * Envoy Gateway needs this time to remove the pod's endpoint from every proxy, 5 seconds more for each login provider
 * that it can't reach. Kubernetes kills the pod after 30 seconds.
 */
const DRAIN = { quiet: 5_000, most: 20_000 };

/**
 * Answers the mocked operations of all APIs of a cluster, and validates requests for its gateway, until a stop signal.
 *
 * @returns The exit code.
 */
export async function mockCluster(settings: MockSettings, platform: Platform): Promise<number> {
  const log = createLog(platform, { format: settings["log-format"], quiet: settings.quiet });
  const restoreDefault = surviveErrors((error) => log.complain(unexpectedError(error)));
  try {
    const { kubeconfig, context } = settings;
    const client = await createKubeClient({
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
    });
    try {
      return await run(client, settings, platform, log);
    } finally {
      client.close();
    }
  } catch (error) {
    log.complain(messageOf(error));
    return EXIT.environment;
  } finally {
    restoreDefault();
    await Promise.all([platform.stdout.flush(LOG_FLUSH_TIMEOUT), platform.stderr.flush(LOG_FLUSH_TIMEOUT)]);
  }
}

/** Listens at once, so that probes get answers while objects are being read, and answers until a stop signal. */
async function run(client: KubeClient, settings: MockSettings, platform: Platform, log: Log): Promise<number> {
  const isPod = isInCluster(platform.env);
  const nameSpan = await createSpanNamer(platform.env);
  const [apis, fleets] = [follow(CUSTOM_RESOURCES.api), follow(CUSTOM_RESOURCES.fleet)];
  const mocks = new MockApis({ apis, fleets, findAcceptedState: findAcceptedStates(client), log });
  const metrics = createMetrics(() => Promise.resolve({ api: mocks.size }));
  const answering = { log, logsRequests: !settings.quiet, metrics, nameSpan };
  const drain = createDrain(isPod ? DRAIN : { quiet: 0, most: 0 });
  const answer = createFleetHandler({
    gateway: createClusterMock(noting((api: string) => mocks.find(api))),
    ...answering,
  });
  const checks = createFleetHandler({
    gateway: createClusterCheck(noting((fleet: FleetRef) => mocks.checkOf(fleet))),
    ...answering,
  });
  const notReady = (): string | undefined =>
    drain.isEnding ? "This replica is ending." : mocks.isReady ? undefined : "The APIs are being read.";
  try {
    const host = settings.host ?? (isPod ? EVERY_ADDRESS : DEFAULT_HOST);
    const { port = MOCKS.port, "check-port": checkPort = MOCKS.checkPort } = settings;
    const main = orFail(listen(answer, { host, port, advice: ADVICE }, log.complain));
    const probes = createProbeHandler({ notReady, metrics, checks });
    const own = orFail(listen(probes, { host, port: checkPort, advice: OWN_ADVICE }, log.complain));
    log.say(`Listening on ${main.url} for ${client.server}`, { url: main.url, server: client.server });
    log.say(`Checks and probes on ${own.url}`, { checks: own.url });
    void mocks.ready.then(() => {
      log.note(`Answering for ${countOf(mocks.size, "API")}.`, { apis: mocks.size });
      // Let waiting requests go first: warming up blocks the event loop.
      setTimeout(() => void warmUp());
    });
    await untilStopped(combineServers(main.server, own.server), afterDrain(platform.onStop, drain));
    return EXIT.fine;
  } finally {
    for (const part of [mocks, apis, fleets]) part.stop();
  }

  /** Wraps a look-up so that it counts as a request for the drain, which ends when no more requests arrive. */
  function noting<Key, Found>(find: (key: Key) => Found): (key: Key) => Found {
    return (key) => {
      drain.note();
      return find(key);
    };
  }

  /** Watches the objects of a kind. Logs an error of the watch only if its message differs from the last one. */
  function follow(type: ResourceType): Informer {
    let last = "";
    const informer = createInformer(client, type, {
      onError(error) {
        const message = `The cluster's ${type.plural} can't be followed, and are answered as they were: ${
          messageOf(error)
        }`;
        if (message !== last) log.complain(message);
        last = message;
      },
    });
    informer.onChange(() => last = "");
    return informer;
  }
}

/** Loads the validator, so that the first request doesn't wait for its code. */
async function warmUp(): Promise<void> {
  await createDocumentValidator(
    await parseDocument("openapi: 3.1.0\ninfo: {title: Warm-up, version: 1.0.0}\npaths: {}"),
  );
}

const ADVICE = "Choose another one with --port.";
const OWN_ADVICE = "Choose another one with --check-port.";

function orFail(listening: Listening): Listening & { kind: "listening" } {
  if (listening.kind === "listening") return listening;
  throw new Error(listening.message);
}

function combineServers(first: Server, second: Server): Server {
  return {
    shutdown() {
      first.shutdown();
      second.shutdown();
    },
    finished: Promise.all([first.finished, second.finished]).then(() => {}),
  };
}

/**
 * Makes the handler of the second port, which only the cluster's own components call: probes, metrics, and the
 * validation of requests that a gateway asks for.
 */
function createProbeHandler(
  { notReady, metrics, checks }: {
    /**
     * Returns why this replica isn't ready, so that Kubernetes sends requests to another; `undefined` if it is ready.
     */
    notReady: () => string | undefined;
    metrics: Pick<Metrics, "text">;
    /** Validates requests for the gateway. Gets every request that isn't a probe or for metrics. */
    checks: FleetHandler;
  },
): FleetHandler {
  return (request, info) => {
    switch (splitTarget(request.url).path) {
      case "/healthz":
        return new Response("ok\n");
      case "/readyz":
        return readiness(notReady());
      case "/metrics":
        return metrics.text().then(({ mediaType, text }) =>
          new Response(text, { headers: { "content-type": mediaType } })
        );
      default:
        return checks(request, info);
    }
  };
}

function readiness(reason: string | undefined): Response {
  if (reason === undefined) return new Response("ok\n");
  return problemResponse({ title: "Service Unavailable", status: 503, detail: reason }, [["retry-after", "1"]]);
}
