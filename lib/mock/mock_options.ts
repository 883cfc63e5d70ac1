import type { BodyLimits } from "../http/limits/body_limits.ts";
import type { Forwarder } from "../http/forward.ts";
import type { Handler } from "../http/handler.ts";
import type { Observer } from "../observe/exchange.ts";
import type { Timer } from "../observe/relay/limits.ts";
import type { Rule } from "../openapi/extension/rule.ts";
import type { StateLimits } from "./state/store/limits.ts";
import type { FormFormats, QueryFormats } from "./validation/validate_request.ts";

/** How a mock server answers. */
export interface MockOptions {
  /** Seed of generated bodies: the same seed gives the same bodies. Default: 0. */
  seed?: number;
  /** Whether each answer is generated with the next seed. Default: `false`. */
  dynamic?: boolean;
  /**
   * Whether an operation without an exact 2xx code is answered by its `2XX` as 200, else its lowest 3xx, else its
   * `default` as 200. Default: `false`.
   */
  anyStatus?: boolean;
  /**
   * Whether operations are answered as by a gateway, which mocks only those with `x-svc.mocking.enabled: true`.
   * Default: `false`.
   */
  asGateway?: boolean;
  /**
   * The URLs under which clients reach the API, in addition to those of the definition's `servers`:
   * `https://test.example.com/v2`, or `/v2` at any origin. Default: none.
   */
  baseUrls?: readonly string[];
  /** Whether pages of other origins may read the answers. Default: `true`. */
  cors?: boolean;
  /**
   * Origins whose pages may read those answers of the upstream that have no CORS headers, such as
   * `https://app.example.com`. Loopback origins always may. Default: none.
   */
  corsOrigins?: readonly string[];
  /**
   * Tells whether a page of another site sent a request. Such a request causes no callbacks, and gets at most 100 items
   * by the preference `array-size`; the sessions that such requests begin displace no others; and the page can't read
   * examples that are files (`externalValue`). Default: by `Origin` and `Sec-Fetch-Site`, where pages of the server
   * itself, of loopback and of `corsOrigins` aren't foreign.
   */
  isForeign?: (request: Request) => boolean;
  /**
   * The handler of operations that aren't mocked: those with `x-svc.mocking.enabled: false`; with `asGateway`, all
   * without `x-svc.mocking.enabled: true`. Default: none. All operations are then mocked, unless `asGateway` is set.
   */
  upstream?: Handler | Forwarder;
  /** Whether the upstream gets all operations, so that none is mocked. Default: `false`. */
  proxyAll?: boolean;
  /** Whether the upstream gets the requests whose path or method no definition has. Default: `false`. */
  proxyUnknown?: boolean;
  /**
   * Whether requests for mocked operations are checked. `off`: no; `warn`: the reply lists the violations of its
   * request; `error`: an invalid request is refused. With `asGateway`, they are never checked. Default: `off`.
   */
  validate?: "off" | "warn" | "error";
  /**
   * Whether requests to the upstream and its responses are checked. `off`: no; `warn`: the header `x-gw-violations`
   * lists the violations; `error`: an invalid request is refused, an invalid response replaced by a problem (502).
   * Default: the value of `validate`.
   */
  validateUpstream?: "off" | "warn" | "error";
  /** Receives each exchange, for reports and recordings. Default: none. */
  observe?: Observer | undefined;
  /**
   * Limits how long the response of the upstream waits until its body is checked. Default: no limit with
   * `validateUpstream: "error"`; otherwise responses don't wait.
   */
  timer?: Timer;
  /**
   * What the bodies of all requests may take together while they are read. Servers that share it share its memory.
   * Beyond it, requests are answered 503 with `Retry-After`, or 408 when their bodies don't go on. Default: 64 MiB, and
   * no limit of time.
   */
  bodies?: BodyLimits;
  /**
   * Whether a request is invalid without the credentials that the definition's `security` requires. Default: `true`.
   */
  security?: boolean;
  /**
   * Whether a request is invalid if its query has a parameter that the operation doesn't declare. Default: `false`; a
   * name that is near a declared one then gets a warning.
   */
  strictQueries?: boolean;
  /**
   * Whether an invalid example is answered with a problem (500) that lists the violations. Each answer is validated
   * once, when it is prepared. Default: `false`; if requests are checked, the first reply with an example then has a
   * function that validates the example for the log.
   */
  errors?: boolean;
  /** How clients write arrays and objects into queries, where they deviate from the definition. */
  queryFormats?: QueryFormats;
  /** How clients write arrays and objects into forms, where the definition doesn't say. */
  formFormats?: FormFormats;
  /** Whether replies contain the requests of the operation's callbacks. Default: `false`. */
  callbacks?: boolean;
  /**
   * Whether the server has endpoints of its own: the control API below `/_gw/`, and a list of operations at `/` if no
   * definition has that path. Default: `false`. With `asGateway`, there are none.
   */
  control?: boolean;
  /** The base path of the control API, with a slash at its end. Default: `/_gw/`. */
  controlPath?: string;
  /** The bearer token with which clients may use the control API from anywhere. Default: none. */
  controlToken?: string;
  /**
   * Returns the IP address of a request's client, such as `127.0.0.1`. Clients on loopback may use the control API.
   * Default: unknown. Clients then need the token, except for `/_gw/health` and the base paths of sessions.
   */
  clientOf?: (request: Request) => string | undefined;
  /**
   * Whether operations with a binding read and change the items of their resource. Default: `false`; then only
   * operations with `x-svc.mocking.stateful: true` do.
   */
  stateful?: boolean;
  /**
   * The number of items in the initial state of a collection: the definition's examples, then generated items. Default:
   * 3.
   */
  items?: number;
  /** The most sessions. When there are more, the least recently used are dropped. Default: 1,000. */
  sessions?: number;
  /** Limits of what sessions store: items, bytes, snapshots, rules. Defaults: those of `StateLimits`. */
  stateLimits?: Partial<StateLimits>;
  /** Returns the time, in milliseconds since the epoch. Default: always 2026-01-01T00:00:00Z. */
  now?: () => number;
  /**
   * Returns random numbers from 0 to less than 1, for the shares and delays of rules. Default: repeatable numbers, from
   * `seed`.
   */
  random?: () => number;
  /** Rules that replace, change, delay or break answers. The first rule that matches a request applies. */
  rules?: readonly Rule[];
  /** The size of each session's journal, in requests. Default: 0, no journal. */
  journal?: number;
  /**
   * The most memory of all journals together, as estimated, in bytes. Beyond it, the oldest requests go. Default: 16 MiB,
   * or 1 KiB for each of `journal` if that is more.
   */
  journalMemory?: number;
  /**
   * Returns milliseconds since any time, for the durations of requests in journals: `() => performance.now()`. Default:
   * only requests that a rule delays or disturbs have durations.
   */
  stopwatch?: () => number;
  /**
   * Waits between the items of a body that is sent item by item, such as `text/event-stream`. Default: doesn't wait.
   */
  pause?: () => Promise<void>;
  /**
   * Lets other work run between two slices of long work, such as the initial items of a large definition:
   * `() => new Promise((resolve) => setTimeout(resolve))`. Default: long work isn't interrupted.
   */
  rest?: () => Promise<void>;
  /**
   * Waits for the delays and slow bodies of rules, or until the signal aborts. Must not reject. Default: the adapters for
   * test tools and Node.js wait by `setTimeout`, which fake timers replace; otherwise, doesn't wait.
   */
  sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}
