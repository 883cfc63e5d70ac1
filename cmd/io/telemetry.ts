import type { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RoutePlan } from "../../lib/gateway/route.ts";
import { nameOf, type Operation } from "../../lib/openapi/operation.ts";

/** What is measured of a request. */
export interface Measured {
  code: number;
  /** In milliseconds. */
  duration: number;
}

/** A request to the management API. */
export interface ManagementRequest extends Measured {
  /** Its operationId, empty where none is meant. */
  operation: string;
}

/** A request to a fleet. */
export interface GatewayRequest extends Measured {
  /** `default/edge` */
  fleet: string;
  /** The API or static route that took it; absent where none did. */
  plan: RoutePlan | undefined;
  operation: Operation | undefined;
}

/** The figures of a server, in the text format of Prometheus. */
export interface Metrics {
  management(request: ManagementRequest): void;
  gateway(request: GatewayRequest): void;
  /** The routes of a fleet were swapped. */
  reloaded(): void;
  /** A change was refused. */
  refused(): void;
  text(): Promise<{ mediaType: string; text: string }>;
}

/** How many resources of each kind there are now. */
export type CountObjects = () => Promise<Readonly<Record<string, number>>>;

/** Bounds of the histograms' buckets, in seconds: a mocked answer takes some microseconds, an upstream seconds. */
const BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10];

/** What one kind of request to fleets is counted by: found once, as finding it costs more than counting. */
interface Counters {
  duration: Histogram.Internal<"fleet" | "api" | "code">;
  requests: Counter.Internal;
}

interface Instruments {
  /** By operation, or else by plan or fleet; then by status code. */
  counters: WeakMap<object, Map<number, Counters>>;
  /** By fleet and status code, where no plan took the request. */
  untaken: Map<string, Counters>;
  /** By operationId, then by status code. */
  managed: Map<string, Map<number, Histogram.Internal<"operation" | "code">>>;
  registry: Registry;
  management: Histogram<"operation" | "code">;
  gateway: Histogram<"fleet" | "api" | "code">;
  operations: Counter<"fleet" | "api" | "operation" | "code">;
  reloads: Counter;
  refusals: Counter;
}

/**
 * Makes the metrics. The library that counts is loaded beside everything else, so that no start waits for it; what
 * happens before it is there is counted then.
 */
export function createMetrics(countObjects: CountObjects): Metrics {
  let ready: Instruments | undefined;
  const early: ((instruments: Instruments) => void)[] = [];
  const loading = createInstruments(countObjects).then((instruments) => {
    ready = instruments;
    for (const count of early.splice(0)) count(instruments);
    return instruments;
  });
  // Who asks for the figures hears of it.
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
  // A bundle has the exports of a CommonJS package under its default export only.
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

  /** Adds a figure that is looked up when somebody asks. */
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

/** Names the span of the request that is being answered after its operation. */
export type NameSpan = (operation: string) => void;

/**
 * Makes what names spans, where Deno traces (`OTEL_DENO=true`); Deno itself begins a span for each request of a server
 * and sends them out.
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
