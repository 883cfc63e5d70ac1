import type { Journals } from "../journal/journal.ts";
import { RuleBase } from "../rules/rule_base.ts";
import type { RuleList } from "../rules/rule_list.ts";
import { createRuleList } from "../rules/session_rules.ts";
import type { InitialState } from "../state/initial_state.ts";
import { StateBudget, type StateLimits } from "../state/limits.ts";
import { Session, type SessionContext, SHARED_SESSION } from "./session.ts";

/** How the sessions of a server are kept. */
export interface SessionsOptions {
  /** The items with which sessions of a seed begin. */
  readonly initialStateOf: (seed: number) => InitialState;
  /** The server's time in milliseconds since 1970. Default: always 0. */
  readonly now?: (() => number) | undefined;
  /** The seed with which sessions begin. Default: 0. */
  readonly seed?: number | undefined;
  /** The most sessions beside the shared one. Default: {@linkcode MOST_SESSIONS}. */
  readonly most?: number | undefined;
  /** The bounds of their state. Default: `DEFAULT_LIMITS`. */
  readonly limits?: Partial<StateLimits> | undefined;
  /** What sessions may store, shared with those of other servers. Default: a budget of their own, by `limits`. */
  readonly budget?: StateBudget | undefined;
  /** Makes the rules of a session. Default: no rules that sessions share. */
  readonly openRules?: ((name: string) => RuleList) | undefined;
  /** Makes the journals of sessions. Default: requests aren't remembered. */
  readonly journals?: Journals | undefined;
}

/** The most sessions that are kept beside the shared one, where no number is set. */
export const MOST_SESSIONS = 1000;
/** The longest name of a session. */
const LONGEST_NAME = 128;

/**
 * Whether a session may have a name: 1 to 128 letters, digits, `.`, `_`, `~` and `-`, since a name can be a segment of a
 * path. `.` and `..` are no names: clients take them for folders.
 */
export function isSessionName(name: string): boolean {
  return name.length <= LONGEST_NAME && /^[\w.~-]+$/.test(name) && name !== "." && name !== "..";
}

/**
 * The sessions of a server by name. A session begins when it is first asked for. Beyond the most sessions, the least
 * recently used one is dropped; the session that unnamed requests share is never dropped.
 */
export class Sessions {
  readonly #most: number;
  readonly #journals: Journals | undefined;
  #context: SessionContext & { initialStateOf: (seed: number) => InitialState };
  /** The named sessions, the least recently used first. */
  readonly #sessions = new Map<string, Session>();
  /** The session of requests without a name. */
  readonly shared: Session;
  /** What all sessions store. */
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

  /** Ends the streams of all journals, as when the server stops. */
  endStreams(): void {
    this.#journals?.closeListeners();
  }

  /** The session of a name; begins it if there is none. */
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

  /** The session of a name, if there is one. Doesn't count as a use. */
  get(name: string): Session | undefined {
    return name === SHARED_SESSION ? this.shared : this.#sessions.get(name);
  }

  /** All sessions: the shared one, then the others, the least recently used first. */
  list(): Session[] {
    return [this.shared, ...this.#sessions.values()];
  }

  /** Makes a session with the contents of another, in the place of the one that has its name. */
  fork(from: string, name: string): Session {
    if (name === SHARED_SESSION) throw new RangeError("Cannot fork into the session of requests without a name.");
    const fork = this.of(from).fork(name);
    this.delete(name);
    return this.#add(fork);
  }

  /** Drops a session; the shared one is reset. Returns whether there was one of that name. */
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

  /** Exchanges the items with which sessions begin, as after a reload. What sessions have written stays. */
  rebind(initialStateOf: (seed: number) => InitialState): void {
    this.#context.initialStateOf = initialStateOf;
    for (const session of this.list()) session.rebind();
  }

  /** Frees the room of all sessions, which are used no more. */
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

/** Makes rules of sessions that share none, and draw nothing. */
function createRuleOpener(): (name: string) => RuleList {
  const base = new RuleBase();
  return () => createRuleList(base, () => 0);
}
