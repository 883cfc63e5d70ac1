import { formatsOfQuery, type QueryFormats } from "../wire/value_format.ts";
import { createRandom, hashWith } from "./generate/random.ts";
import { createJournals } from "./journal/journals.ts";
import { DEFAULT_JOURNAL_LIMITS } from "./journal/limits.ts";
import { RuleBase } from "./rules/rule_base.ts";
import { createRuleList } from "./rules/session_rules.ts";
import type { Rule } from "../openapi/extension/rule.ts";
import { Sessions } from "./session/sessions.ts";
import type { StateBudget, StateLimits } from "./state/store/limits.ts";

/** The memory of a usual recorded request, with headers and without a body. */
const BYTES_A_REQUEST = 1024;

/** 2026-01-01T00:00:00Z, the time of sessions if the option `now` is absent. A fixed time makes answers repeatable. */
const DEFAULT_TIME = 1_767_225_600_000;

/** The options of a mock server for its sessions: a part of `MockOptions`. */
export interface SessionsSettings {
  /** The seed of generated values. Default: 0. */
  readonly seed?: number;
  /** The most sessions. Default: 1,000. */
  readonly sessions?: number;
  /** The limits of what sessions store. */
  readonly stateLimits?: Partial<StateLimits>;
  /** The totals of stored items. Servers that pass the same budget share its limits. */
  readonly stateBudget?: StateBudget;
  /** The size of each session's journal, in requests. Default: 0, no journal. */
  readonly journal?: number;
  /** The most memory of all journals, in bytes. Default: 16 MiB, or 1 KiB for each of `journal` if that is more. */
  readonly journalMemory?: number;
  /** Returns milliseconds since any time, for the durations of requests in journals. */
  readonly stopwatch?: () => number;
  readonly now?: () => number;
  readonly random?: () => number;
  /** The rules of all sessions. */
  readonly rules?: readonly Rule[];
  /** How clients write arrays and objects into queries. */
  readonly queryFormats?: QueryFormats;
}

/**
 * Makes the sessions of a mock server. After a reload, pass them on to the new server, so that clients keep their
 * state.
 */
export function createSessions(settings: SessionsSettings): Sessions {
  const { seed = 0, sessions, stateLimits = {}, journal = 0, now = () => DEFAULT_TIME, random, rules } = settings;
  const { journalMemory = Math.max(DEFAULT_JOURNAL_LIMITS.bytes, journal * BYTES_A_REQUEST), stopwatch } = settings;
  const journals = journal === 0 ? undefined : createJournals({ most: journal, bytes: journalMemory, now, stopwatch });
  const base = new RuleBase(rules, { formats: formatsOfQuery(settings.queryFormats), limits: stateLimits });
  return new Sessions({
    seed,
    most: sessions,
    limits: stateLimits,
    budget: settings.stateBudget,
    now,
    openRules: (name) => createRuleList(base, random ?? createRandom(hashWith(seed, name))),
    journals,
  });
}
