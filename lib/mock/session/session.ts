import type { InitialState } from "../state/initial_state.ts";
import { type StateBudget, StateFullError } from "../state/limits.ts";
import type { Snapshot } from "../state/own_items.ts";
import { State } from "../state/store.ts";
import type { Journal } from "../journal/journal.ts";
import type { RuleList } from "../rules/rule_list.ts";
import { Clock } from "./clock.ts";

/** The name of the session that requests without a name share. */
export const SHARED_SESSION = "";

/** What all sessions of a server have in common. */
export interface SessionContext {
  /** The items with which sessions of a seed begin. */
  readonly initialStateOf: (seed: number) => InitialState;
  readonly budget: StateBudget;
  /** The server's time in milliseconds since 1970. */
  readonly now: () => number;
  /** The seed with which sessions begin. */
  readonly seed: number;
  /** Makes the rules of a session. */
  readonly openRules: (name: string) => RuleList;
  /** Makes the journal of a session; absent where requests aren't remembered. */
  readonly openJournal: ((name: string) => Journal) | undefined;
}

/** The contents of a session at one time. */
interface SessionSnapshot {
  readonly state: Snapshot;
  readonly seed: number;
  readonly clock: Clock;
}

/** A session: state, seed, clock, rules and journal of its own. It costs what was written to it. */
export class Session {
  readonly name: string;
  readonly state: State;
  readonly clock: Clock;
  readonly #context: SessionContext;
  readonly #snapshots = new Map<string, SessionSnapshot>();
  #seed: number;
  #rules: RuleList | undefined;
  #journal: Journal | undefined;
  #isClosed = false;

  /**
   * @param name The name that requests give the session by; empty for the one that unnamed requests share.
   * @param state The state of the session. Default: the initial state.
   */
  constructor(name: string, context: SessionContext, state?: State) {
    this.name = name;
    this.#context = context;
    this.#seed = context.seed;
    this.state = state ?? new State(context.initialStateOf(context.seed), context.budget);
    this.clock = new Clock(context.now);
  }

  /** Seed of generated values. */
  get seed(): number {
    return this.#seed;
  }

  /** Sets the seed. Collections that the session has not written to begin anew, with items of this seed. */
  set seed(seed: number) {
    this.#seed = seed;
    this.rebind();
  }

  /** The rules of the session. Made at their first use. */
  get rules(): RuleList {
    return this.#rules ??= this.#context.openRules(this.name);
  }

  /** The journal of the session; absent where requests aren't remembered. */
  get journal(): Journal | undefined {
    return this.#journal ??= this.#context.openJournal?.(this.name);
  }

  /** The names of the snapshots, the oldest first. */
  get snapshots(): readonly string[] {
    return [...this.#snapshots.keys()];
  }

  /** Takes the session back to its beginning: state, seed, clock, rules and journal. Snapshots stay. */
  reset(): void {
    this.state.reset();
    this.clock.reset();
    this.#rules?.reset();
    this.#journal?.clear();
    this.seed = this.#context.seed;
  }

  /**
   * Keeps the contents under a name, in the place of the snapshot that has it.
   *
   * @throws {StateFullError} If there may be no more snapshots.
   */
  snapshot(name: string): void {
    // No request can ask for a snapshot of a session that was dropped.
    if (this.#isClosed) return;
    const { budget } = this.#context;
    const { snapshots: most } = budget.limits;
    if (!this.#snapshots.has(name)) {
      if (this.#snapshots.size >= most) throw new StateFullError("snapshots", most);
      budget.addSnapshot();
    }
    const clock = new Clock(this.#context.now);
    clock.copy(this.clock);
    const old = this.#snapshots.get(name);
    this.#snapshots.set(name, { state: this.state.snapshot(), seed: this.#seed, clock });
    if (old !== undefined) this.state.drop(old.state);
  }

  /** Takes the session back to a snapshot. Returns whether there is one of that name. */
  restore(name: string): boolean {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return false;
    this.state.restore(snapshot.state);
    this.clock.copy(snapshot.clock);
    this.seed = snapshot.seed;
    return true;
  }

  /** Drops a snapshot. Returns whether there was one of that name. */
  dropSnapshot(name: string): boolean {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return false;
    this.#snapshots.delete(name);
    this.#context.budget.removeSnapshot();
    this.state.drop(snapshot.state);
    return true;
  }

  /**
   * Makes a session with the same state, seed, clock and rules, whose counts begin anew. Snapshots and journal aren't
   * copied.
   *
   * @throws {RulesFullError} If there is no room for the rules.
   */
  fork(name: string): Session {
    const fork = new Session(name, this.#context, this.state.fork());
    fork.#seed = this.#seed;
    fork.clock.copy(this.clock);
    const listed = this.#rules?.list() ?? [];
    try {
      for (const { rule, source } of listed.toReversed()) if (source === "session") fork.rules.add(rule);
    } catch (error) {
      fork.close();
      throw error;
    }
    return fork;
  }

  /** Takes the initial state from the context again, as after a reload of the definition. */
  rebind(): void {
    this.state.rebind(this.#context.initialStateOf(this.#seed));
  }

  /** Frees the room of the session, which is dropped. A request that is still being answered may go on to use it. */
  close(): void {
    this.#isClosed = true;
    for (const name of this.snapshots) this.dropSnapshot(name);
    this.state.close();
    this.#rules?.release();
    this.#journal?.close();
  }
}
