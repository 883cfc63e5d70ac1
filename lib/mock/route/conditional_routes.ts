/**
 * Chooses among the routes of one method and path template by the conditions of their path keys. The cost grows with
 * the conditions that a request fulfils, not with the number of routes.
 *
 * @module
 */
import { type Condition, type ConditionedRequest, demandsOf, identityOf } from "../../openapi/path_condition.ts";
import { RequestFacts } from "../../openapi/request_facts.ts";
import { ConditionTable } from "./condition_table.ts";
import { compareScores, type Entry, LabelledRoutes, type RequirementsOf, type Scored } from "./labelled_routes.ts";

/** Routes whose path keys have the same conditions, and differ only in their labels. */
interface Group<T> {
  readonly demands: readonly Condition[];
  readonly members: LabelledRoutes<T>;
  /** Index of the group's first route in definition order. */
  readonly order: number;
}

export class ConditionalRoutes<T> {
  readonly #requirementsOf: RequirementsOf<T>;
  readonly #groups = new Map<string, Group<T>>();
  readonly #entries: Entry<T>[] = [];
  /** The groups with conditions, indexed by their rarest condition. Made at the first request. */
  #table: ConditionTable<Group<T>> | undefined;

  constructor(requirementsOf: RequirementsOf<T>) {
    this.#requirementsOf = requirementsOf;
  }

  get entries(): readonly Entry<T>[] {
    return this.#entries;
  }

  /** Adds a route, unless an earlier route has the same conditions and label. */
  add(entry: Entry<T>): void {
    const identity = identityOf(entry.conditions);
    let group = this.#groups.get(identity);
    if (group === undefined) {
      const demands = entry.conditions === undefined ? [] : demandsOf(entry.conditions);
      const order = this.#entries.length;
      group = { demands, members: new LabelledRoutes(this.#requirementsOf), order };
      this.#groups.set(identity, group);
    }
    if (!group.members.add(entry)) return;
    this.#entries.push(entry);
    this.#table = undefined;
  }

  /**
   * Finds the route of a request: among the routes whose conditions the request fulfils, those with the most
   * conditions; of these, the route whose required parameters the request has, else the first.
   *
   * @param request Without a request, the first route is returned.
   */
  find(request: ConditionedRequest | undefined): Entry<T> | undefined {
    if (request === undefined) return this.#entries[0];
    const table = this.#table ??= this.#createTable();
    const groups = this.#fulfilled(table, request);
    const only = groups.length === 1 ? groups[0]?.members.only : undefined;
    return only ?? this.#choose(groups, request);
  }

  /** Chooses the route whose required parameters the request has; else the first. */
  #choose(groups: readonly Group<T>[], request: ConditionedRequest): Entry<T> | undefined {
    const [first] = groups;
    if (first === undefined) return undefined;
    const names = groups.length === 1
      ? first.members.queryNames
      : new Set(groups.flatMap(({ members }) => [...members.queryNames]));
    const facts = new RequestFacts(request, names);
    let best: Scored<T> | undefined;
    for (const { members } of groups) {
      const scored = members.find(facts);
      if (best === undefined || compareScores(scored, best) < 0) best = scored;
    }
    return best?.entry;
  }

  /**
   * The groups with the most conditions among those whose conditions the request fulfils; else the group without
   * conditions.
   */
  #fulfilled(table: ConditionTable<Group<T>>, request: ConditionedRequest): Group<T>[] {
    const facts = new RequestFacts(request, table.queryNames);
    let most = 1;
    let found: Group<T>[] = [];
    for (const groups of table.listsFor(facts)) {
      for (const group of groups) {
        const { demands } = group;
        if (demands.length < most) continue;
        // The table lists a group only if the request fulfils one of its conditions.
        if (demands.length > 1 && !demands.every((condition) => facts.fulfils(condition))) continue;
        if (demands.length > most) found = [];
        most = demands.length;
        found.push(group);
      }
    }
    if (found.length > 1) found.sort((a, b) => a.order - b.order);
    if (found.length > 0) return found;
    const free = this.#groups.get("");
    return free === undefined ? [] : [free];
  }

  #createTable(): ConditionTable<Group<T>> {
    const groups = [...this.#groups.values()].filter(({ demands }) => demands.length > 0);
    return new ConditionTable(groups, ({ demands }) => demands);
  }
}
