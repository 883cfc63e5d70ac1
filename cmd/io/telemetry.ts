import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RoutePlan } from "../../lib/gateway/route.ts";
import { nameOf, type Operation } from "../../lib/openapi/operation.ts";

export interface Measured {
  code: number;
  /** In milliseconds. */
  duration: number;
}

/** A request to the management API. */
export interface ManagementRequest extends Measured {
  /** The operationId; empty if no operation matches. */
  operation: string;
}

/** A request to a fleet. */
export interface GatewayRequest extends Measured {
  /** The name of the fleet: `default/edge`. */
  fleet: string;
  /** The API or static route that matches the request; absent if none matches. */
  plan: RoutePlan | undefined;
  operation: Operation | undefined;
}

/** The metrics of a server, in the text format of Prometheus. */
export interface Metrics {
  management(request: ManagementRequest): void;
  gateway(request: GatewayRequest): void;
  /** Counts a replacement of a fleet's routes. */
  reloaded(): void;
  /** Counts a change that the management API refused. */
  refused(): void;
  text(): Promise<{ mediaType: string; text: string }>;
}

/** Counts the resources of each kind in the store. */
export type CountObjects = () => Promise<Readonly<Record<string, number>>>;

/** The upper bounds of the histograms' buckets, in seconds: a mocked answer takes microseconds, an upstream seconds. */
const BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** The metrics of one label set, cached: prom-client's look-up by labels costs more than counting. */
interface Counters {
  duration: Histogram.Internal<"fleet" | "api" | "code">;
  requests: Counter.Internal;
}

interface Instruments {
  /** The metrics of requests that match a plan: by operation (by plan if there is none), then by status code. */
  counters: WeakMap<object, Map<number, Counters>>;
  /** The metrics of requests that match no plan: by fleet and status code. */
  untaken: Map<string, Counters>;
  /** The metrics of the management API: by operationId, then by status code. */
  managed: Map<string, Map<number, Histogram.Internal<"operation" | "code">>>;
  registry: Registry;
  management: Histogram<"operation" | "code">;
  gateway: Histogram<"fleet" | "api" | "code">;
  operations: Counter<"fleet" | "api" | "operation" | "code">;
  reloads: Counter;
  refusals: Counter;
}

/**
 * Creates the metrics. Their library is loaded in the background, to start fast. Requests before that are counted when
 * the library is loaded.
 */
export function createMetrics(countObjects: CountObjects): Metrics {
  let ready: Instruments | undefined;
  const early: ((instruments: Instruments) => void)[] = [];
  const loading = createInstruments(countObjects).then((instruments) => {
    ready = instruments;
    for (const count of early.splice(0)) count(instruments);
    return instruments;
  });
  // Ignore this error here: a request for `/metrics` reports it.
  loading.catch(() => {});

  return {
    management: (request) => count((instruments) => countManagement(instruments, request)),
    gateway: (request) => count((instruments) => countGateway(instruments, request)),
    reloaded: () => count(({ reloads }) => reloads.inc()),
    refused: () => count(({ refusals }) => refusals.inc()),
    async text() {
      const { registry } = await loading;
      return { mediaType: registry.contentType, text: await registry.metrics() };
    },
  };

  function count(what: (instruments: Instruments) => void): void {
    if (ready === undefined) early.push(what);
    else what(ready);
  }
}

function countManagement({ managed, management }: Instruments, { operation, code, duration }: ManagementRequest): void {
  let byCode = managed.get(operation);
  if (byCode === undefined) managed.set(operation, byCode = new Map());
  const counter = byCode.get(code) ?? management.labels({ operation, code });
  byCode.set(code, counter);
  counter.observe(duration / 1000);
}

function countGateway(instruments: Instruments, request: GatewayRequest): void {
  const { duration, requests } = countersOf(instruments, request);
  duration.observe(request.duration / 1000);
  requests.inc();
}

function countersOf(instruments: Instruments, request: GatewayRequest): Counters {
  const { code, fleet, plan } = request;
  const subject = request.operation ?? plan;
  if (subject === undefined) {
    const key = `${fleet} ${code}`;
    const counters = instruments.untaken.get(key) ?? makeCounters(instruments, request);
    instruments.untaken.set(key, counters);
    return counters;
  }
  let byCode = instruments.counters.get(subject);
  if (byCode === undefined) instruments.counters.set(subject, byCode = new Map());
  const counters = byCode.get(code) ?? makeCounters(instruments, request);
  byCode.set(code, counters);
  return counters;
}

function makeCounters(
  { gateway, operations }: Instruments,
  { fleet, plan, operation, code }: GatewayRequest,
): Counters {
  const api = plan === undefined ? "" : `${plan.namespace}/${plan.name}`;
  return {
    duration: gateway.labels({ fleet, api, code }),
    requests: operations.labels({ fleet, api, operation: operation === undefined ? "" : nameOf(operation), code }),
  };
}

async function createInstruments(countObjects: CountObjects): Promise<Instruments> {
  // A bundle has the exports of a CommonJS package under `default` only.
  const { default: { Counter, Gauge, Histogram, Registry } } = await import("prom-client");
  const registry = new Registry();
  const registers = [registry];
  measure("gw_objects", "Deployed resources.", async (gauge) => {
    for (const [kind, number] of Object.entries(await countObjects())) gauge.set({ kind }, number);
  });
  measure("process_resident_memory_bytes", "Memory of the process.", (gauge) => {
    gauge.set(Deno.memoryUsage().rss);
  });
  measure("process_heap_bytes", "Memory that JavaScript values take.", (gauge) => {
    gauge.set(Deno.memoryUsage().heapUsed);
  });
  return {
    counters: new WeakMap(),
    untaken: new Map(),
    managed: new Map(),
    registry,
    management: new Histogram({
      name: "gw_management_request_duration_seconds",
      help: "Requests to the management API.",
      labelNames: ["operation", "code"],
      buckets: BUCKETS,
      registers,
    }),
    gateway: new Histogram({
      name: "gw_gateway_request_duration_seconds",
      help: "Requests to fleets, until the head of the answer.",
      labelNames: ["fleet", "api", "code"],
      buckets: BUCKETS,
      registers,
    }),
    operations: new Counter({
      name: "gw_gateway_requests_total",
      help: "Requests to fleets by operation.",
      labelNames: ["fleet", "api", "operation", "code"],
      registers,
    }),
    reloads: new Counter({ name: "gw_reloads_total", help: "Swaps of a fleet's routes.", registers }),
    refusals: new Counter({ name: "gw_refusals_total", help: "Changes that were refused.", registers }),
  };

  /** Adds a gauge whose value is looked up at each scrape. */
  function measure(
    name: string,
    help: string,
    lookUp: (gauge: Gauge<"kind">) => void | Promise<void>,
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ["kind"],
      registers,
      collect() {
        return lookUp(this);
      },
    });
  }
}

/** Gives the active span the name of the request's operation. */
export type NameSpan = (operation: string) => void;

/**
 * Creates the function that names spans; `undefined` unless tracing is on (`OTEL_DENO=true`). Deno itself creates a
 * span for each request, and exports it.
 *
 * @see {@link https://docs.deno.com/runtime/fundamentals/open_telemetry/ Deno, OpenTelemetry}
 */
export async function createSpanNamer(env: (name: string) => string | undefined): Promise<NameSpan | undefined> {
  if (!/^(1|true)$/.test(env("OTEL_DENO") ?? "")) return undefined;
  const { trace } = await import("@opentelemetry/api");
  return (operation) => {
    const span = trace.getActiveSpan();
    if (span === undefined || operation === "") return;
    span.updateName(operation);
    span.setAttribute("http.route", operation);
  };
}
