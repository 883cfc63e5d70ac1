import type { Journals } from "../journal/journal.ts";
import { RuleBase } from "../rules/rule_base.ts";
import type { RuleList } from "../rules/rule_list.ts";
import { createRuleList } from "../rules/session_rules.ts";
import { EMPTY_STATE, type InitialState } from "../state/store/initial_state.ts";
import { StateBudget, type StateLimits } from "../state/store/limits.ts";
import { Session, type SessionContext, SHARED_SESSION } from "./session.ts";

export interface SessionsOptions {
  /** Returns the items with which sessions of a seed begin. Default: none. */
  readonly initialStateOf?: (seed: number) => InitialState;
  /** Returns the server's time in milliseconds since the epoch. Default: always 0. */
  readonly now?: (() => number) | undefined;
  /** The seed with which sessions begin. Default: 0. */
  readonly seed?: number | undefined;
  /** Limit of the sessions, without the shared session and foreign ones. Default: {@linkcode MOST_SESSIONS}. */
  readonly most?: number | undefined;
  /** The limits of what sessions store. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<StateLimits> | undefined;
  /**
   * The totals of stored items. Servers that pass the same budget share its limits. Default: a budget of its own with
   * `limits`.
   */
  readonly budget?: StateBudget | undefined;
  /** Makes the rules of a session. Default: a session has only the rules that are added to it. */
  readonly openRules?: ((name: string) => RuleList) | undefined;
  /** Makes the journals of sessions. Default: requests aren't recorded. */
  readonly journals?: Journals | undefined;
}

/** The default limit of sessions, without the shared session and foreign ones. */
export const MOST_SESSIONS = 1000;

/** Limit of foreign sessions: those that only pages of other sites have used. */
const MOST_FOREIGN_SESSIONS = 100;

/**
 * The sessions of a server by name. A session begins when it is first used. Beyond the limit, the least recently used
 * session is dropped (LRU), but never the shared session. Foreign sessions have a limit of their own, so that pages of
 * other sites displace no sessions of the server's own clients.
 */
export class Sessions {
  readonly #most: number;
  readonly #journals: Journals | undefined;
  #context: SessionContext & { initialStateOf: (seed: number) => InitialState };
  /** The sessions without the shared session and foreign ones, in LRU order. */
  readonly #sessions = new Map<string, Session>();
  /** The sessions that only pages of other sites have used, in LRU order. */
  readonly #foreign = new Map<string, Session>();
  /** The session of requests that name no session. */
  readonly shared: Session;
  /** The limits and totals of the state of all sessions. */
  readonly budget: StateBudget;

  constructor(options: SessionsOptions) {
    const { initialStateOf = startEmpty, now = () => 0, seed = 0, most = MOST_SESSIONS, journals } = options;
    const { openRules = createRuleOpener(options.limits) } = options;
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

  /**
   * The session with a name, which begins if there is none.
   *
   * @param isForeign Whether a page of another site uses the session. A session isn't foreign any more once another
   * client has used it. Default: no.
   */
  of(name: string, isForeign: () => boolean = () => false): Session {
    if (name === SHARED_SESSION) return this.shared;
    const own = this.#sessions.get(name);
    const known = own ?? this.#foreign.get(name);
    const pool = own === undefined && isForeign() ? this.#foreign : this.#sessions;
    this.#foreign.delete(name);
    pool.delete(name);
    return this.#add(known ?? new Session(name, this.#context), pool);
  }

  /** The session with a name, if there is one. Doesn't count as use in the LRU order. */
  get(name: string): Session | undefined {
    return name === SHARED_SESSION ? this.shared : this.#sessions.get(name) ?? this.#foreign.get(name);
  }

  /** A preview of the session with a name, which doesn't begin: see {@linkcode Session.preview}. */
  preview(name: string): Session {
    return (this.get(name) ?? new Session(name, this.#context)).preview();
  }

  /** All sessions: the shared session, then the others in LRU order, foreign ones last. */
  list(): Session[] {
    return [this.shared, ...this.#sessions.values(), ...this.#foreign.values()];
  }

  /** Makes a session as a copy of another one. Replaces an existing session with the new name. */
  fork(from: string, name: string): Session {
    if (name === SHARED_SESSION) throw new RangeError("Cannot fork into the session of requests without a name.");
    const fork = this.of(from).fork(name);
    this.delete(name);
    return this.#add(fork);
  }

  /** Drops a session; the shared session is reset instead. Returns whether a session with this name existed. */
  delete(name: string): boolean {
    const session = this.get(name);
    if (session === undefined) return false;
    if (session === this.shared) session.reset();
    else {
      this.#sessions.delete(name);
      this.#foreign.delete(name);
      session.close();
    }
    return true;
  }

  /**
   * Replaces the initial state, after the definition was reloaded. Collections that sessions have written to are kept.
   *
   * @param initialStateOf The new initial state. Default: no items.
   */
  rebind(initialStateOf: (seed: number) => InitialState = startEmpty): void {
    this.#context.initialStateOf = initialStateOf;
    for (const session of this.list()) session.rebind();
  }

  close(): void {
    for (const session of this.list()) session.close();
    this.#sessions.clear();
    this.#foreign.clear();
  }

  #add(session: Session, pool = this.#sessions): Session {
    const most = pool === this.#foreign ? Math.min(this.#most, MOST_FOREIGN_SESSIONS) : this.#most;
    for (const [name, oldest] of pool) {
      if (pool.size < most) break;
      pool.delete(name);
      oldest.close();
    }
    pool.set(session.name, session);
    return session;
  }
}

function startEmpty(): InitialState {
  return EMPTY_STATE;
}

/** The default of `SessionsOptions.openRules`: sessions without shared rules, whose random numbers are always 0. */
function createRuleOpener(limits: Partial<StateLimits> = {}): (name: string) => RuleList {
  const base = new RuleBase([], { limits });
  return () => createRuleList(base, () => 0);
}
