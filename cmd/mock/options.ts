import { createForwarder, type ForwardOptions } from "../../lib/http/forward.ts";
import { createOriginTest, isFromForeignPage } from "../../lib/http/url/origin.ts";
import { publicUrl } from "../../lib/http/url/public_url.ts";
import { observeByAll, type Observer } from "../../lib/observe/exchange.ts";
import type { MockOptions } from "../../lib/mock/mock_options.ts";
import type { Timer } from "../../lib/observe/relay/limits.ts";
import { BODIES } from "../io/bodies.ts";
import { sleep } from "../io/sleep.ts";
import type { UpstreamClient } from "../io/upstream/client.ts";
import type { MockSettings, ServerSettings } from "./settings.ts";
import { limitsOf } from "./state_limit_flag.ts";

/** The functions of the process that a mock needs, and the observers of its exchanges. */
export interface MockWorld {
  /** The address of a request's client. */
  readonly clientOf: (request: Request) => string | undefined;
  /** Whether an address is that of a proxy whose `X-Forwarded-Proto` and `X-Forwarded-Host` count. Default: none is. */
  readonly isTrustedProxy?: ((address: string) => boolean) | undefined;
  /** Whether a request is for a host that is known to be this server's. */
  readonly isOwnHost: (request: Request) => boolean;
  /** Sends requests to the upstream. */
  readonly client: UpstreamClient;
  readonly observers: readonly Observer[];
}

/** The options of the mock that the flags set. */
export function mockOptions(settings: ServerSettings, world: MockWorld): MockOptions {
  const { clientOf, isOwnHost, client, observers } = world;
  const { "query-array": queryArray, "query-object": queryObject, "stream-interval": interval, proxy } = settings;
  const permits = createOriginTest(settings["cors-origin"]);
  const { "journal-memory": journalMemory } = settings;
  const { "form-array": formArray, "form-object": formObject, "control-token": controlToken } = settings;
  return {
    seed: settings.seed,
    dynamic: settings.dynamic,
    anyStatus: settings["any-status"],
    asGateway: settings["as-gateway"],
    control: !settings["no-control"],
    controlPath: settings.control,
    ...(controlToken === undefined ? {} : { controlToken }),
    clientOf,
    isForeign: (request) => isFromForeignPage(request, permits) || !isOwnHost(request),
    timer: createTimer,
    bodies: BODIES,
    stateful: settings.stateful,
    items: settings.items,
    sessions: settings.sessions,
    stateLimits: limitsOf(settings["state-limit"]),
    // Only gw's own endpoints show the journal. Without them, don't keep one.
    journal: settings["no-control"] || settings["as-gateway"] ? 0 : settings.journal,
    ...(journalMemory === undefined ? {} : { journalMemory }),
    stopwatch: () => performance.now(),
    rules: settings.rule.map(({ rule }) => rule),
    now: () => Date.now(),
    random: () => Math.random(),
    rest: () => new Promise((resolve) => setTimeout(resolve)),
    cors: !settings["no-cors"],
    corsOrigins: settings["cors-origin"],
    // By default, violations of requests to mocked operations are for the log and for observers. Without either, don't
    // validate.
    validate: settings.validate ?? (settings.quiet && observers.length === 0 ? "off" : "warn"),
    validateUpstream: settings.validate ?? "warn",
    observe: observeByAll(observers),
    security: !settings["no-security"],
    strictQueries: settings["strict-queries"],
    errors: settings.errors,
    callbacks: settings.callbacks !== undefined,
    queryFormats: {
      ...(queryArray === undefined ? {} : { queryArray }),
      ...(queryObject === undefined ? {} : { queryObject }),
    },
    formFormats: {
      ...(formArray === undefined ? {} : { formArray }),
      ...(formObject === undefined ? {} : { formObject }),
    },
    ...(interval === 0 ? {} : { pause: () => sleep(interval) }),
    ...(proxy === undefined ? {} : {
      upstream: createForwarder(proxy, {
        send: client.send,
        clientOf,
        ...publicUrlOf(world),
      }),
      proxyAll: settings.proxyAll === true,
      proxyUnknown: settings["proxy-unknown"],
    }),
  };
}

/** How the upstream learns by which URL clients have asked: behind a trusted proxy by what the proxy tells. */
function publicUrlOf(
  { clientOf, isTrustedProxy }: Pick<MockWorld, "clientOf" | "isTrustedProxy">,
): Pick<ForwardOptions, "urlOf"> {
  if (isTrustedProxy === undefined) return {};
  return { urlOf: (request) => isTrustedProxy(clientOf(request) ?? "") ? publicUrl(request) : request.url };
}

/** The delay that `--delay` sets, for which each answer waits. */
export function delayOf({ delay }: MockSettings): { delay?: () => Promise<void> } {
  if (delay === undefined) return {};
  const { least, most } = delay;
  return { delay: () => sleep(least + Math.random() * (most - least)) };
}

function createTimer(milliseconds: number): ReturnType<Timer> {
  const { promise: elapsed, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  return { elapsed, cancel: () => clearTimeout(timer) };
}
