import type { FleetRef } from "../lib/gateway/route.ts";
import type { Handler } from "../lib/http/handler.ts";
import type { ManagementOptions } from "../lib/management/options.ts";
import type { Store } from "../lib/management/store.ts";
import type { Server } from "./io/listener.ts";
import type { Log } from "./io/log.ts";
import type { Metrics } from "./io/telemetry.ts";
import { messageOf } from "../lib/http/message.ts";
import type { Tokens } from "./io/tokens.ts";
import type { NameSpan } from "./io/telemetry.ts";
import type { ServeSettings } from "./serve_settings.ts";
import type { Platform } from "./platform.ts";

/** What stands behind the management API: where its resources are kept, and what carries their traffic. */
export interface Backend {
  readonly store: Store;
  /** Where the store is, as a person knows it: `~/.local/state/gw/gw.db`, `https://10.0.0.1:443`. */
  readonly path: string;
  /** What the management API asks it for. */
  readonly management: Pick<
    ManagementOptions,
    "gateway" | "check" | "services" | "ready" | "authorize" | "defaultFleet" | "labelsOf" | "objectOf"
  >;
  /** Whose tokens are valid, where no file names them. Absent: everybody may do everything. */
  readonly tokens?: Tokens;
  /** Where fleets listen, as far as this process knows. */
  readonly addresses: readonly { fleet: FleetRef; url: string }[];
  /** Gets ready what must be before requests come. */
  start(): Promise<void>;
  /** Resolves when the store can be read. */
  readonly readable: Promise<void>;
  /** Gets ready what makes the first deployments faster, while requests come. */
  warmUp(api: Handler): Promise<void>;
  /** Told that the end has come; resolves when no more requests are sent here. */
  drain(): Promise<void>;
  /** The work beside the management API. */
  readonly server: Server;
  /** Gives everything back. */
  close(): void;
}

/** How requests are counted and logged. */
export interface Answering {
  log: Log;
  logsRequests: boolean;
  metrics: Metrics;
  nameSpan: NameSpan | undefined;
}

/** Opens what stands behind the management API. */
export type OpenBackend = (settings: ServeSettings, platform: Platform, answering: Answering) => Promise<Backend>;

/** Something of the environment that `gw serve` needs and can't get. */
export class Unavailable extends Error {}

/** Runs work that needs the environment. Reports a failure, which ends the command. */
export async function orUnavailable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw new Unavailable(messageOf(error), { cause: error });
  }
}
