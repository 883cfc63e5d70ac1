import type { BodyLimits } from "../../http/limits/body_limits.ts";
import type { Forwarder } from "../../http/forward.ts";
import type { Handler } from "../../http/handler.ts";
import { MemoryBudget } from "../../http/limits/memory_budget.ts";
import type { Observer } from "../exchange.ts";
import type { FormFormats, QueryFormats } from "../../mock/validation/validate_request.ts";
import { createContracts } from "./contract.ts";
import { MOST_COPIES, type Timer } from "./limits.ts";
import { createQueue } from "./queue.ts";
import { pass, type Relay, relay, type Relayed, type RelayedRequest, type Returned } from "./relay.ts";

/** Sends requests to the upstream of a mock server. */
export interface UpstreamRelay {
  readonly upstream: Handler | Forwarder;
  /** Checks a request, sends it to the upstream, and checks the response. */
  relay(relayed: RelayedRequest): Promise<Relayed>;
  /** Sends a request to the upstream, without checks. */
  pass(relayed: RelayedRequest): Promise<Returned>;
  /** The same relay to another upstream, without observer: for requests that aren't meant to be sent. */
  to(upstream: Handler): UpstreamRelay;
}

/** The options in `MockOptions` that concern the upstream of a mock server. */
export interface RelayOptions {
  readonly upstream: Handler | Forwarder;
  readonly validateUpstream: "off" | "warn" | "error";
  readonly security?: boolean;
  readonly strictQueries?: boolean;
  readonly observe?: Observer | undefined;
  readonly timer?: Timer;
  readonly bodies?: BodyLimits;
  readonly queryFormats?: QueryFormats;
  readonly formFormats?: FormFormats;
}

/** Makes the relay of a mock server. All its checks share one budget of memory. */
export function createRelay(
  { upstream, validateUpstream, security, strictQueries, observe, timer, bodies, queryFormats, formFormats }:
    RelayOptions,
  validatorOf: Parameters<typeof createContracts>[1],
): UpstreamRelay {
  const undeclared = strictQueries === true ? "error" as const : "warn" as const;
  const contracts = { ...queryFormats, ...formFormats, security, undeclared };
  const checked: Relay = {
    upstream,
    contractOf: validateUpstream === "off" ? undefined : createContracts(contracts, validatorOf),
    refuses: validateUpstream === "error",
    observe,
    budget: new MemoryBudget(MOST_COPIES),
    decoding: createQueue(),
    timer,
    bodies,
  };
  return relayBy(checked);
}

function relayBy(checked: Relay): UpstreamRelay {
  return {
    upstream: checked.upstream,
    relay: (relayed) => relay(checked, relayed),
    pass: (relayed) => pass(checked, relayed),
    to: (upstream) => relayBy({ ...checked, upstream, observe: undefined }),
  };
}
