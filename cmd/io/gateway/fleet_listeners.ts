import { type FleetRef, qualifiedName } from "../../../lib/gateway/route.ts";
import { waitAfter } from "../../../lib/http/backoff.ts";
import { listen, type Server } from "../listener.ts";

/** Answers the requests of a fleet. */
export type FleetHandler = Deno.ServeHandler<Deno.NetAddr>;

/** A fleet, and the ports that it listens on. */
export interface FleetPorts {
  readonly fleet: FleetRef;
  readonly ports: ReadonlySet<number>;
}

export interface FleetListenersOptions {
  /** Address that fleets listen on. */
  host: string;
  /** Returns the handler of a fleet; called once per listener. */
  handlerOf: (fleet: FleetRef) => FleetHandler;
  /** Called with a message for each port that can't be listened on. */
  complain: (message: string) => void;
  /** Called when listening succeeds on a port that another program used before. */
  onListen?: ((fleet: FleetRef, url: string) => void) | undefined;
  /** Milliseconds before the first retry of a port that another program uses. Default: 1,000. */
  retryAfter?: number | undefined;
}

/** What to do about a port that another program uses. */
const ADVICE = "Stop that program, or give the fleet another port (--fleet-port for default/default).";

/** Milliseconds between retries of a port that another program uses. The pause doubles from `first` to `most`. */
const RETRY_PAUSES = { first: 1_000, most: 60_000 } as const;

interface OpenFleet {
  readonly ref: FleetRef;
  readonly listeners: Map<number, { server: Server; url: string; port: number }>;
  /** The ports of the stored fleet; `undefined` if ports are reserved and the fleet isn't stored yet. */
  stored: ReadonlySet<number> | undefined;
}

/** The listeners of all fleets. A port belongs to one fleet at most. */
export class FleetListeners {
  readonly #options: FleetListenersOptions;
  readonly #fleets = new Map<string, OpenFleet>();
  readonly #closing = new Set<Promise<void>>();
  readonly #finished = Promise.withResolvers<void>();
  /** Ports that another program uses, with their fleets, for a retry. */
  #missing: { fleet: OpenFleet; port: number }[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;
  /** All listeners as one server. */
  readonly server: Server = { shutdown: () => this.#shutdown(), finished: this.#finished.promise };

  constructor(options: FleetListenersOptions) {
    this.#options = options;
  }

  /** The address of each listener. */
  get addresses(): { fleet: FleetRef; url: string; port: number }[] {
    return [...this.#fleets.values()].flatMap(({ ref, listeners }) =>
      [...listeners.values()].map(({ url, port }) => ({ fleet: ref, url, port }))
    );
  }

  /** Whether each port of each fleet is listened on. */
  get isReady(): boolean {
    return this.#missing.length === 0 && !this.#isStopping;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Whether a fleet is stored or reserved. */
  has(fleet: FleetRef): boolean {
    return this.#fleets.has(qualifiedName(fleet));
  }

  /** Opens and closes listeners, so that exactly the ports of the stored fleets are listened on. */
  listen(stored: readonly FleetPorts[]): void {
    this.#closeOthers(new Set(stored.map(({ fleet }) => qualifiedName(fleet))));
    const before = this.#missing;
    this.#missing = [];
    for (const { fleet: ref, ports } of stored) {
      const fleet = this.#open(ref);
      fleet.stored = ports;
      for (const port of ports) {
        const refusal = fleet.listeners.has(port) ? undefined : this.#listenOn(fleet, port);
        if (refusal === undefined) continue;
        this.#missing.push({ fleet, port });
        const isKnown = before.some((one) => one.fleet === fleet && one.port === port);
        if (isKnown) continue;
        this.#options.complain(
          `Fleet ${qualifiedName(ref)} is not served on port ${port}: ${refusal} It is tried again.`,
        );
      }
      this.#closePorts(fleet, ports);
    }
    if (this.#retry === undefined) this.#tryAgain(1);
  }

  /**
   * Reserves the ports of a fleet before it is stored, by listening on them.
   *
   * @returns Why a port isn't available. Then no port is reserved.
   */
  reserve(ref: FleetRef, ports: readonly number[]): string | undefined {
    const isNew = !this.has(ref);
    const fleet = this.#open(ref);
    const taken: number[] = [];
    for (const port of ports) {
      if (fleet.listeners.has(port)) continue;
      const refusal = this.#listenOn(fleet, port);
      if (refusal === undefined) {
        taken.push(port);
        continue;
      }
      for (const port of taken) this.#closePort(fleet, port);
      if (isNew) this.#fleets.delete(qualifiedName(ref));
      return `Port ${port} can't be had: ${refusal}`;
    }
    return undefined;
  }

  /** Releases the reserved ports of a fleet that wasn't stored. */
  release(ref: FleetRef): void {
    const fleet = this.#fleets.get(qualifiedName(ref));
    if (fleet === undefined) return;
    this.#closePorts(fleet, fleet.stored ?? new Set());
    if (fleet.stored === undefined) this.#fleets.delete(qualifiedName(ref));
  }

  #open(ref: FleetRef): OpenFleet {
    const known = this.#fleets.get(qualifiedName(ref));
    if (known !== undefined) return known;
    const fleet: OpenFleet = { ref, listeners: new Map(), stored: undefined };
    this.#fleets.set(qualifiedName(ref), fleet);
    return fleet;
  }

  /** @returns Why the port isn't available. */
  #listenOn(fleet: OpenFleet, port: number): string | undefined {
    const { host, handlerOf, complain } = this.#options;
    const other = [...this.#fleets.values()].find(({ ref, listeners }) => ref !== fleet.ref && listeners.has(port));
    if (other !== undefined) return `The fleet ${qualifiedName(other.ref)} has it.`;
    const listening = listen(handlerOf(fleet.ref), { host, port, advice: ADVICE }, complain);
    if (listening.kind === "refused") return listening.message;
    fleet.listeners.set(port, listening);
    return undefined;
  }

  /** Retries ports that another program uses, with exponential back-off. */
  #tryAgain(failures: number): void {
    if (this.#missing.length === 0 || this.#isStopping) return;
    const { retryAfter = RETRY_PAUSES.first, onListen } = this.#options;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#missing = this.#missing.filter(({ fleet, port }) => {
        if (this.#fleets.get(qualifiedName(fleet.ref)) !== fleet) return false;
        if (!fleet.listeners.has(port) && this.#listenOn(fleet, port) !== undefined) return true;
        const url = fleet.listeners.get(port)?.url;
        if (url !== undefined) onListen?.(fleet.ref, url);
        return false;
      });
      this.#tryAgain(failures + 1);
    }, waitAfter(failures, { ...RETRY_PAUSES, first: retryAfter }));
  }

  #closeOthers(stored: ReadonlySet<string>): void {
    for (const [name, fleet] of this.#fleets) {
      // Ports that are reserved belong to a fleet that is about to be stored: keep listening on them.
      if (stored.has(name) || fleet.stored === undefined) continue;
      this.#closePorts(fleet, new Set());
      this.#fleets.delete(name);
    }
  }

  #closePorts(fleet: OpenFleet, wanted: ReadonlySet<number>): void {
    for (const port of [...fleet.listeners.keys()]) if (!wanted.has(port)) this.#closePort(fleet, port);
  }

  #closePort(fleet: OpenFleet, port: number): void {
    const listener = fleet.listeners.get(port);
    if (listener === undefined) return;
    fleet.listeners.delete(port);
    listener.server.shutdown();
    const done = listener.server.finished.finally(() => this.#closing.delete(done));
    this.#closing.add(done);
  }

  #shutdown(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    clearTimeout(this.#retry);
    for (const fleet of this.#fleets.values()) this.#closePorts(fleet, new Set());
    void Promise.allSettled(this.#closing).then(() => this.#finished.resolve());
  }
}
