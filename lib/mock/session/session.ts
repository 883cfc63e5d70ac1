import type { InitialState } from "../state/store/initial_state.ts";
import { type StateBudget, StateFullError } from "../state/store/limits.ts";
import type { Snapshot } from "../state/store/own_items.ts";
import { State } from "../state/store/store.ts";
import type { Journal } from "../journal/journal.ts";
import type { RuleList } from "../rules/rule_list.ts";
import { Clock } from "./clock.ts";
import { SnapshotUsage } from "./snapshot_usage.ts";

/** The name of the shared session, which answers requests that name no session. */
export const SHARED_SESSION = "";

export interface SessionContext {
  readonly initialStateOf: (seed: number) => InitialState;
  readonly budget: StateBudget;
  /** Returns the server's time in milliseconds since the epoch. */
  readonly now: () => number;
  /** The seed with which sessions begin. */
  readonly seed: number;
  readonly openRules: (name: string) => RuleList;
  /** Makes the journal of a session; absent if requests aren't recorded. */
  readonly openJournal: ((name: string) => Journal) | undefined;
}

interface SessionSnapshot {
  readonly state: Snapshot;
  readonly seed: number;
  readonly clock: Clock;
}

/** A session with its state, seed, clock, rules and journal. Its memory grows only with what clients write. */
export class Session {
  readonly name: string;
  readonly state: State;
  readonly clock: Clock;
  readonly #context: SessionContext;
  readonly #snapshots = new Map<string, SessionSnapshot>();
  readonly #snapshotUsage: SnapshotUsage;
  #seed: number;
  #rules: RuleList | undefined;
  #journal: Journal | undefined;
  #isClosed = false;

  /**
   * @param name The name by which requests choose the session; empty for the shared session.
   * @param state The state of the session. Default: the initial state.
   */
  constructor(name: string, context: SessionContext, state?: State) {
    this.name = name;
    this.#context = context;
    this.#seed = context.seed;
    this.#snapshotUsage = new SnapshotUsage(context.budget.limits);
    this.state = state ?? new State(context.initialStateOf(context.seed), context.budget);
    this.clock = new Clock(context.now);
  }

  get seed(): number {
    return this.#seed;
  }

  /** Sets the seed. Collections that the session hasn't written to are generated anew from this seed. */
  set seed(seed: number) {
    this.#seed = seed;
    this.rebind();
  }

  get rules(): RuleList {
    return this.#rules ??= this.#context.openRules(this.name);
  }

  /** The journal of the session; absent if requests aren't recorded. */
  get journal(): Journal | undefined {
    return this.#journal ??= this.#context.openJournal?.(this.name);
  }

  /** The names of the snapshots, the oldest first. */
  get snapshots(): readonly string[] {
    return [...this.#snapshots.keys()];
  }

  /** Resets state, seed, clock, rules and journal. Snapshots remain. */
  reset(): void {
    this.state.reset();
    this.clock.reset();
    this.#rules?.reset();
    this.#journal?.clear();
    this.seed = this.#context.seed;
  }

  /**
   * Stores a snapshot under a name. Replaces an earlier snapshot with this name.
   *
   * @throws {StateFullError} If there are too many snapshots, or they would have too many items or need too much memory.
   */
  snapshot(name: string): void {
    // No request could restore a snapshot of a dropped session, so it isn't stored.
    if (this.#isClosed) return;
    const { budget } = this.#context;
    const { snapshots: most } = budget.limits;
    const old = this.#snapshots.get(name);
    if (old === undefined && this.#snapshots.size >= most) throw new StateFullError("snapshots", most);
    const state = this.state.snapshot();
    try {
      this.#count(old?.state, state);
    } catch (error) {
      this.state.drop(state);
      throw error;
    }
    const clock = new Clock(this.#context.now);
    clock.copy(this.clock);
    this.#snapshots.set(name, { state, seed: this.#seed, clock });
    if (old !== undefined) this.state.drop(old.state);
  }

  /** Counts a snapshot, and no longer the one that it replaces, for this session and for all. */
  #count(old: Snapshot | undefined, snapshot: Snapshot): void {
    const { budget } = this.#context;
    const [count, bytes] = [old === undefined ? 1 : 0, snapshot.overhead - (old?.overhead ?? 0)];
    budget.addSnapshots(count, bytes);
    try {
      this.#snapshotUsage.replace(old, snapshot);
    } catch (error) {
      budget.addSnapshots(-count, -bytes);
      throw error;
    }
  }

  /** Restores a snapshot. Returns whether a snapshot with this name existed. */
  restore(name: string): boolean {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return false;
    this.state.restore(snapshot.state);
    this.clock.copy(snapshot.clock);
    this.seed = snapshot.seed;
    return true;
  }

  /** Drops a snapshot. Returns whether a snapshot with this name existed. */
  dropSnapshot(name: string): boolean {
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return false;
    this.#snapshots.delete(name);
    this.#snapshotUsage.remove(snapshot.state);
    this.#context.budget.addSnapshots(-1, -snapshot.state.overhead);
    this.state.drop(snapshot.state);
    return true;
  }

  /**
   * Makes a session with copies of state, seed, clock and rules. The copied rules count their applications from 0. The
   * fork has no snapshots and an empty journal.
   *
   * @throws {StateFullError} If the rules would exceed a limit.
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

  /**
   * A session that answers a request as this one would, without effect on this one: with a copy of its state, and
   * without a journal. The rules are shared, so that they must be asked without counting. Close its state after use.
   */
  preview(): Session {
    const preview = new Session(this.name, { ...this.#context, openJournal: undefined }, this.state.fork());
    preview.#seed = this.#seed;
    preview.#rules = this.rules;
    preview.clock.copy(this.clock);
    return preview;
  }

  /** Replaces the initial state, after the definition was reloaded or the seed changed. */
  rebind(): void {
    this.state.rebind(this.#context.initialStateOf(this.#seed));
  }

  /** Frees the memory of a dropped session. A request in progress may still use the session. */
  close(): void {
    this.#isClosed = true;
    for (const name of this.snapshots) this.dropSnapshot(name);
    this.state.close();
    this.#rules?.release();
    this.#journal?.close();
  }
}
