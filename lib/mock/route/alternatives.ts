import type { Requirements } from "../../openapi/operation_conditions.ts";
import {
  type Condition,
  type ConditionedRequest,
  demandsOf,
  identityOf,
  type PathConditions,
} from "../../openapi/path_condition.ts";
import { RequestFacts } from "../../openapi/request_facts.ts";

/** A route, with its path key parsed. */
export interface Entry<T> {
  readonly route: T;
  /** Names of the path template's parameters, in their order. Routes of the same template may name them differently. */
  readonly names: readonly string[];
  /** The conditions of the path key; absent if it has none. */
  readonly conditions: PathConditions | undefined;
  /** The path parameters in the query of the path key: `{id}` of `?user={id}`. */
  readonly queryParameters: readonly QueryPathParameter[];
}

/** A path parameter that a path key has as the value of a query. */
export interface QueryPathParameter {
  /** The name of the query. */
  readonly query: string;
  /** The name of the path parameter. */
  readonly name: string;
}

/** Reads the parameters and media types that a route requires of a request. */
export type RequirementsOf<T> = (route: T) => Requirements;

/** A route with its conditions and requirements. */
interface Candidate<T> {
  readonly entry: Entry<T>;
  /** Index in definition order. */
  readonly order: number;
  /** The number of the path key's conditions. */
  readonly count: number;
  /** The conditions that the index doesn't check. */
  readonly unchecked: readonly Condition[];
  readonly requirements: Requirements;
  /** The required parameters that allow a single value, by `const` or a one-value `enum`. */
  readonly constants: readonly Condition[];
}

/** How well a request fits a route's requirements. The better fit is complete, or fulfils more of them. */
interface Fit {
  readonly isComplete: boolean;
  /**
   * If the request fulfils all: the number of required parameters, plus 1 for a required media type of the body. If it
   * fulfils only the parameters that allow a single value: their number. Otherwise 0.
   */
  readonly fulfilled: number;
}

/** Candidates by the name and the value of one condition that a request must fulfil. */
type ByCondition<T> = Map<string, Map<string, Candidate<T>[]>>;

/** The candidates, indexed for look-ups. */
interface Index<T> {
  readonly byQuery: ByCondition<T>;
  readonly byHeader: ByCondition<T>;
  /** The candidates that are compared with each request. */
  readonly others: readonly Candidate<T>[];
  /** The first route without conditions. */
  readonly free: Entry<T> | undefined;
  readonly queryNames: ReadonlySet<string>;
}

/**
 * Limit of the routes with equal conditions and without a single-value parameter whose requirements are compared with a
 * request. The first of the definition are compared.
 */
const MOST_COMPARED = 100;

const NO_FIT: Fit = Object.freeze({ isComplete: false, fulfilled: 0 });

/**
 * The routes of one method and path template, whose path keys differ in conditions or labels: `/agents?beta=true` and
 * `/agents`, or `/tags/{arn}#tagKeys` and `/tags/{arn}`.
 */
export class Alternatives<T> {
  readonly #requirementsOf: RequirementsOf<T>;
  readonly #entries = new Map<string, Entry<T>>();
  /** Made at the first request. */
  #index: Index<T> | undefined;

  constructor(requirementsOf: RequirementsOf<T>) {
    this.#requirementsOf = requirementsOf;
  }

  get entries(): readonly Entry<T>[] {
    return [...this.#entries.values()];
  }

  /** Adds a route, unless an earlier route has the same conditions and label. */
  add(entry: Entry<T>): void {
    const key = `${identityOf(entry.conditions)}\n${entry.conditions?.label ?? ""}`;
    if (this.#entries.has(key)) return;
    this.#entries.set(key, entry);
    this.#index = undefined;
  }

  /**
   * Finds the route of a request: among the routes whose conditions the request fulfils, those with the most
   * conditions; of these, the route whose requirements it fits best, else the first.
   *
   * @param request Without a request, the first route is returned.
   */
  find(request: ConditionedRequest | undefined): Entry<T> | undefined {
    if (request === undefined) return this.#entries.values().next().value;
    const index = this.#index ??= this.#createIndex();
    const facts = new RequestFacts(request, index.queryNames);
    let most = 0;
    let found: Candidate<T>[] = [];
    for (const candidates of listsFor(index, facts)) {
      for (const candidate of candidates) {
        const { count, unchecked } = candidate;
        if (count < most || !unchecked.every((condition) => facts.fulfils(condition))) continue;
        if (count > most) found = [];
        most = count;
        found.push(candidate);
      }
    }
    if (most > 0 && found.length === 1) return found[0]?.entry;
    if (found.length > 1) found.sort((a, b) => a.order - b.order);
    return bestOf(found, facts, most === 0 ? index.free : found[0]?.entry);
  }

  #createIndex(): Index<T> {
    const index = { byQuery: new Map(), byHeader: new Map() };
    const others: Candidate<T>[] = [];
    const queryNames = new Set<string>();
    const routes = this.entries.map((entry) => {
      const requirements = this.#requirementsOf(entry.route);
      const demands = entry.conditions === undefined ? [] : demandsOf(entry.conditions);
      const constants = requirements.parameters.filter(hasValue);
      return {
        entry,
        demands,
        requirements,
        constants,
        keys: demands.length > 0 ? demands.filter(hasValue) : constants,
      };
    });
    const counts = new Map<string, number>();
    for (const key of routes.flatMap(({ keys }) => keys.map(textOf))) counts.set(key, (counts.get(key) ?? 0) + 1);
    const countOf = (key: Condition): number => counts.get(textOf(key)) ?? 0;
    for (const [order, { entry, demands, requirements, constants, keys }] of routes.entries()) {
      for (const { in: location, name } of [...demands, ...requirements.parameters]) {
        if (location === "query") queryNames.add(name);
      }
      // A route without conditions is filed under a parameter that allows a single value: a request without it gets the
      // route only if no other route fits, as the first of all.
      const [rarest] = keys.toSorted((a, b) => countOf(a) - countOf(b));
      const unchecked = demands.filter((demand) => demand !== rarest);
      const candidate = { entry, order, count: demands.length, unchecked, requirements, constants };
      if (rarest === undefined) others.push(candidate);
      else file(rarest.in === "query" ? index.byQuery : index.byHeader, rarest, candidate);
    }
    return { ...index, others, free: routes.find(({ demands }) => demands.length === 0)?.entry, queryNames };
  }
}

function hasValue({ value }: Condition): boolean {
  return value !== undefined;
}

function textOf({ in: location, name, value }: Condition): string {
  return `${location} ${name}\n${value}`;
}

function file<T>(table: ByCondition<T>, { name, value = "" }: Condition, candidate: Candidate<T>): void {
  const byValue = table.get(name) ?? new Map<string, Candidate<T>[]>();
  table.set(name, byValue);
  const filed = byValue.get(value);
  if (filed === undefined) byValue.set(value, [candidate]);
  else filed.push(candidate);
}

/** Lists the candidates whose filed condition a request fulfils. It fulfils conditions on headers that aren't known. */
function listsFor<T>({ byQuery, byHeader, others }: Index<T>, facts: RequestFacts): (readonly Candidate<T>[])[] {
  const lists: (readonly Candidate<T>[])[] = [others];
  for (const [name, values] of facts.queries) {
    const byValue = byQuery.get(name);
    if (byValue === undefined) continue;
    // A value that is repeated lists its candidates once.
    for (const value of values.length > 1 ? new Set(values) : values) lists.push(byValue.get(value) ?? []);
  }
  if (byHeader.size === 0) return lists;
  if (!facts.hasHeaders) return [...lists, ...[...byHeader.values()].flatMap((byValue) => [...byValue.values()])];
  for (const [name, value] of facts.headersAmong(byHeader)) lists.push(byHeader.get(name)?.get(value) ?? []);
  return lists;
}

/** The route whose requirements a request fits best; the first of them if several do, and `first` if none does. */
function bestOf<T>(
  found: readonly Candidate<T>[],
  facts: RequestFacts,
  first: Entry<T> | undefined,
): Entry<T> | undefined {
  let best = first;
  let fit = NO_FIT;
  let compared = 0;
  for (const candidate of found) {
    if (candidate.constants.length === 0 && compared++ >= MOST_COMPARED) continue;
    const own = fitOf(candidate, facts);
    const isBetter = own.isComplete === fit.isComplete ? own.fulfilled > fit.fulfilled : own.isComplete;
    if (isBetter) [best, fit] = [candidate.entry, own];
  }
  return best;
}

function fitOf<T>({ requirements: { parameters, mediaTypes }, constants }: Candidate<T>, facts: RequestFacts): Fit {
  const hasMediaType = facts.hasMediaType(mediaTypes);
  const isComplete = hasMediaType !== false && parameters.every((parameter) => facts.fulfils(parameter));
  if (isComplete) return { isComplete, fulfilled: parameters.length + (hasMediaType === true ? 1 : 0) };
  const hasConstants = constants.every((constant) => facts.fulfils(constant));
  return { isComplete, fulfilled: hasConstants ? constants.length : 0 };
}
