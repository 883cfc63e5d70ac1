import type { FleetRef } from "../../lib/gateway/route.ts";
import type { Handler } from "../../lib/http/handler.ts";
import type { ManagementOptions } from "../../lib/management/options.ts";
import type { Store } from "../../lib/management/store.ts";
import type { Server } from "../io/listener.ts";
import type { Log } from "../io/terminal/log.ts";
import type { Metrics } from "../io/telemetry.ts";
import { messageOf } from "../../lib/http/message.ts";
import type { Tokens } from "../io/tokens.ts";
import type { NameSpan } from "../io/telemetry.ts";
import type { ServeSettings } from "./settings.ts";
import type { Platform } from "../line/platform.ts";

/**
 * The part of `gw serve` that depends on where resources are stored (SQLite or a cluster): the store, and the gateway.
 */
export interface Backend {
  readonly store: Store;
  /** The place of the store for messages: `~/.local/state/gw/gw.db`, `https://10.0.0.1:443`. */
  readonly path: string;
  /** The options for the management API that depend on the store. */
  readonly management: Pick<
    ManagementOptions,
    "gateway" | "check" | "services" | "ready" | "authorize" | "defaultFleet" | "labelsOf" | "objectOf"
  >;
  /** The tokens that are valid if there is no `--token-file`. Default: no authentication. */
  readonly tokens?: Tokens;
  /** The addresses of the fleets in this process, with a remark for the log; it is empty for most. */
  readonly addresses: readonly { fleet: FleetRef; url: string; remark: string }[];
  /** Remarks for the log on what is stored, once the back end has started. Default: none. */
  readonly remarks?: () => Promise<readonly string[]>;
  /** Prepares the back end. Must resolve before requests are accepted. */
  start(): Promise<void>;
  /** Resolves when the store can be read. */
  readonly readable: Promise<void>;
  /** Loads code and schemas in the background, for a faster first deployment. */
  warmUp(api: Handler): Promise<void>;
  /** Begins to drain; resolves when no more requests arrive. */
  drain(): Promise<void>;
  /** All that runs beside the management API, as one server: the listeners of fleets, or controller and webhook. */
  readonly server: Server;
  /** Releases all resources. */
  close(): void;
}

/** How requests are logged and traced. */
export interface Answering {
  log: Log;
  logsRequests: boolean;
  metrics: Metrics;
  nameSpan: NameSpan | undefined;
}

export type OpenBackend = (settings: ServeSettings, platform: Platform, answering: Answering) => Promise<Backend>;

/** An error of the environment (a file, a port, the store), which ends `gw serve`. */
export class Unavailable extends Error {}

/**
 * Runs work that needs files, ports or the store.
 *
 * @throws {Unavailable} If the work fails.
 */
export async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Unavailable(messageOf(error), { cause: error });
  }
}
