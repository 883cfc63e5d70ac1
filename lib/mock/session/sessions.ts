import type { Journals } from "../journal/journal.ts";
import { RuleBase } from "../rules/rule_base.ts";
import type { RuleList } from "../rules/rule_list.ts";
import { createRuleList } from "../rules/session_rules.ts";
import type { InitialState } from "../state/initial_state.ts";
import { StateBudget, type StateLimits } from "../state/limits.ts";
import { Session, type SessionContext, SHARED_SESSION } from "./session.ts";

/** Options of {@linkcode Sessions}. */
export interface SessionsOptions {
  /** Returns the initial state for a seed. */
  readonly initialStateOf: (seed: number) => InitialState;
  /** Returns the server's time in milliseconds since the epoch. Default: always 0. */
  readonly now?: (() => number) | undefined;
  /** The initial seed of sessions. Default: 0. */
  readonly seed?: number | undefined;
  /** The most sessions, without the shared one. Default: {@linkcode MOST_SESSIONS}. */
  readonly most?: number | undefined;
  /** The bounds on the sessions' state. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<StateLimits> | undefined;
  /**
   * The memory that sessions may use, if they share it with the sessions of other servers. Default: an own budget with
   * `limits`.
   */
  readonly budget?: StateBudget | undefined;
  /** Makes the rules of a session. Default: sessions have only rules that they add. */
  readonly openRules?: ((name: string) => RuleList) | undefined;
  /** Makes the journals of sessions. Default: requests aren't recorded. */
  readonly journals?: Journals | undefined;
}

/** The default number of sessions, without the shared one. */
export const MOST_SESSIONS = 1000;

/**
 * The sessions of a server by name. A session begins when it is first used. When there are too many, the least recently
 * used one is dropped, but never the shared one.
 */
export class Sessions {
  readonly #most: number;
  readonly #journals: Journals | undefined;
  #context: SessionContext & { initialStateOf: (seed: number) => InitialState };
  /** The sessions without the shared one, the least recently used first. */
  readonly #sessions = new Map<string, Session>();
  /** The session of requests that name none. */
  readonly shared: Session;
  /** The memory that all sessions may use, and have used. */
  readonly budget: StateBudget;

  constructor(options: SessionsOptions) {
    const { initialStateOf, now = () => 0, seed = 0, most = MOST_SESSIONS, journals } = options;
    const { openRules = createRuleOpener() } = options;
    this.#most = Math.max(1, most);
    this.budget = options.budget ?? new StateBudget(options.limits);
    this.#journals = journals;
    const openJournal = journals && ((name: string) => journals.open(name));
    this.#context = { initialStateOf, budget: this.budget, now, seed, openRules, openJournal };
    this.shared = new Session(SHARED_SESSION, this.#context);
  }

  /** Ends the event streams of all journals, because the server stops. */
  endStreams(): void {
    this.#journals?.closeListeners();
  }

  /** The session with a name; begins it if there is none. */
  of(name: string): Session {
    const known = this.get(name);
    if (known !== undefined) {
      if (name !== SHARED_SESSION) {
        this.#sessions.delete(name);
        this.#sessions.set(name, known);
      }
      return known;
    }
    return this.#add(new Session(name, this.#context));
  }

  /** The session with a name, if there is one. This doesn't count as using the session. */
  get(name: string): Session | undefined {
    return name === SHARED_SESSION ? this.shared : this.#sessions.get(name);
  }

  /** All sessions: the shared one, then the others from the least recently used to the latest. */
  list(): Session[] {
    return [this.shared, ...this.#sessions.values()];
  }

  /** Makes a session as a copy of another one. Replaces the session that has the new name. */
  fork(from: string, name: string): Session {
    if (name === SHARED_SESSION) throw new RangeError("Cannot fork into the session of requests without a name.");
    const fork = this.of(from).fork(name);
    this.delete(name);
    return this.#add(fork);
  }

  /** Drops a session; the shared one is reset instead. Returns whether a session with this name existed. */
  delete(name: string): boolean {
    const session = this.get(name);
    if (session === undefined) return false;
    if (session === this.shared) session.reset();
    else {
      this.#sessions.delete(name);
      session.close();
    }
    return true;
  }

  /**
   * Replaces the initial state, after a reload of the definition. Collections that sessions have written to are kept.
   */
  rebind(initialStateOf: (seed: number) => InitialState): void {
    this.#context.initialStateOf = initialStateOf;
    for (const session of this.list()) session.rebind();
  }

  /** Frees the memory of all sessions, when the server ends. */
  close(): void {
    for (const session of this.list()) session.close();
    this.#sessions.clear();
  }

  #add(session: Session): Session {
    for (const [name, oldest] of this.#sessions) {
      if (this.#sessions.size < this.#most) break;
      this.#sessions.delete(name);
      oldest.close();
    }
    this.#sessions.set(session.name, session);
    return session;
  }
}

/** Makes the rules of sessions that have no shared rules and no random numbers. */
function createRuleOpener(): (name: string) => RuleList {
  const base = new RuleBase();
  return () => createRuleList(base, () => 0);
}
