import { type FleetRef, qualifiedName } from "../../lib/gateway/route.ts";
import { waitAfter } from "../../lib/http/backoff.ts";
import { listen, type Server } from "./listener.ts";

/** Answers the requests of a fleet. */
export type FleetHandler = Deno.ServeHandler<Deno.NetAddr>;

/** A fleet, and the ports that it listens on. */
export interface FleetPorts {
  readonly fleet: FleetRef;
  readonly ports: ReadonlySet<number>;
}

/** Options of {@linkcode FleetListeners}. */
export interface FleetListenersOptions {
  /** Address that fleets listen on. */
  host: string;
  /** Gives the handler of a fleet; asked once per listener. */
  handlerOf: (fleet: FleetRef) => FleetHandler;
  /** Gets a line for each port that can't be listened on. */
  complain: (message: string) => void;
  /** Called when a port is listened on that was taken at first. */
  onListen?: ((fleet: FleetRef, url: string) => void) | undefined;
  /** The pause before the first retry of a port that is taken, in milliseconds. Default: one second. */
  patience?: number | undefined;
}

/** Advice for a fleet's port that another program has. */
const ADVICE = "Stop that program, or give the fleet another port.";

/** The pauses before retries of a port that is taken, in milliseconds. */
const PATIENCE = { first: 1_000, most: 60_000 } as const;

interface OpenFleet {
  readonly ref: FleetRef;
  readonly listeners: Map<number, { server: Server; url: string; port: number }>;
  /** The ports of the stored fleet; `undefined` while its ports are reserved and the fleet isn't stored yet. */
  stored: ReadonlySet<number> | undefined;
}

/** The listeners of all fleets. A port belongs to one fleet at most. */
export class FleetListeners {
  readonly #options: FleetListenersOptions;
  readonly #fleets = new Map<string, OpenFleet>();
  readonly #closing = new Set<Promise<void>>();
  readonly #finished = Promise.withResolvers<void>();
  /** Ports that other programs use, to be tried again. */
  #missing: { fleet: OpenFleet; port: number }[] = [];
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isStopping = false;
  /** All listeners as one server. */
  readonly server: Server = { shutdown: () => this.#shutdown(), finished: this.#finished.promise };

  constructor(options: FleetListenersOptions) {
    this.#options = options;
  }

  /** Where fleets listen. */
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

  /** Listens on the ports of the stored fleets, and no longer on those of others. */
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
   * @returns Why a port isn't available; then none is reserved.
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

  /** Releases the reserved ports of a fleet that was not stored after all. */
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

  /** Tries again to listen on the ports that are taken, with back-off. */
  #tryAgain(failures: number): void {
    if (this.#missing.length === 0 || this.#isStopping) return;
    const { patience = PATIENCE.first, onListen } = this.#options;
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
    }, waitAfter(failures, { ...PATIENCE, first: patience }));
  }

  #closeOthers(stored: ReadonlySet<string>): void {
    for (const [name, fleet] of this.#fleets) {
      // A fleet with reserved ports is about to be stored, so it keeps them.
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
