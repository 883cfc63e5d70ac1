import type { Requirements } from "../openapi/operation_conditions.ts";
import type { PathConditions } from "../openapi/path_condition.ts";
import type { RequestFacts } from "../openapi/request_facts.ts";
import { ConditionTable } from "./condition_table.ts";

/** A route, with the parts of its path key. */
export interface Entry<T> {
  readonly route: T;
  /** Names of the template's parameters in their order: two routes of a template may name them differently. */
  readonly names: readonly string[];
  /** The conditions of the route's path key; absent where it has none. */
  readonly conditions: PathConditions | undefined;
}

/** Reads what a request for a route must have. */
export type RequirementsOf<T> = (route: T) => Requirements;

/** A route with its requirements. */
interface Labelled<T> {
  readonly entry: Entry<T>;
  readonly order: number;
  readonly requirements: Requirements;
  /** The required parameters that allow a single value. */
  readonly constants: Requirements["parameters"];
}

/** How well a route fits a request. */
export interface Scored<T> {
  readonly entry: Entry<T>;
  /** Whether the request has everything that the route requires. */
  readonly isComplete: boolean;
  /**
   * The number of requirements that the request fulfils. If it fulfils all: the number of required parameters, plus 1
   * for a required media type of the body. If it fulfils only the parameters that allow a single value: the number of
   * these. Otherwise 0.
   */
  readonly fulfilled: number;
}

/** The routes, prepared for requests. */
interface Prepared<T> {
  /** The routes with required parameters that allow a single value, by that value. */
  readonly table: ConditionTable<Labelled<T>>;
  /** The other routes. */
  readonly others: readonly Labelled<T>[];
  readonly queryNames: ReadonlySet<string>;
}

/** The most routes that are compared with a request although they require no certain value: the definition's first. */
const MOST_COMPARED = 100;

/**
 * Routes whose path keys have the same conditions and different labels, such as `/tags/{arn}#tagKeys` and
 * `/tags/{arn}`. A route wins if the request has all its required parameters; of several such routes, the one with the
 * most parameters, then the first.
 */
export class LabelledRoutes<T> {
  readonly #requirementsOf: RequirementsOf<T>;
  /** By label. */
  readonly #entries = new Map<string, Entry<T>>();
  #prepared: Prepared<T> | undefined;

  constructor(requirementsOf: RequirementsOf<T>) {
    this.#requirementsOf = requirementsOf;
  }

  /** Adds a route, unless there is one with the same label. Returns whether it was added. */
  add(entry: Entry<T>): boolean {
    const label = entry.conditions?.label ?? "";
    if (this.#entries.has(label)) return false;
    this.#entries.set(label, entry);
    this.#prepared = undefined;
    return true;
  }

  /** The only route; `undefined` where there are several. */
  get only(): Entry<T> | undefined {
    return this.#entries.size === 1 ? this.#first : undefined;
  }

  /** The names of the queries that the routes require. */
  get queryNames(): ReadonlySet<string> {
    return this.#prepare().queryNames;
  }

  /**
   * Finds the route that fits a request best.
   *
   * @param facts The facts of the request, with the queries of {@linkcode queryNames}.
   */
  find(facts: RequestFacts): Scored<T> {
    const { table, others } = this.#prepare();
    let best: Scored<T> | undefined;
    let order = 0;
    const compare = (route: Labelled<T>): void => {
      const scored = scoreOf(route, facts);
      const better = best === undefined ? -1 : compareScores(scored, best) || route.order - order;
      if (better < 0) [best, order] = [scored, route.order];
    };
    for (const routes of table.listsFor(facts)) for (const route of routes) compare(route);
    for (const route of others) compare(route);
    // The request has the required values of no route: the first in the definition wins, even if it wasn't compared.
    return best !== undefined && (best.isComplete || best.fulfilled > 0)
      ? best
      : { entry: this.#first, isComplete: false, fulfilled: 0 };
  }

  get #first(): Entry<T> {
    const [first] = this.#entries.values();
    if (first === undefined) throw new RangeError("There are no routes");
    return first;
  }

  #prepare(): Prepared<T> {
    if (this.#prepared !== undefined) return this.#prepared;
    const routes = [...this.#entries.values()].map((entry, order): Labelled<T> => {
      const requirements = this.#requirementsOf(entry.route);
      const constants = requirements.parameters.filter(({ value }) => value !== undefined);
      return { entry, order, requirements, constants };
    });
    const queries = routes.flatMap(({ requirements }) => requirements.parameters.filter((one) => one.in === "query"));
    return this.#prepared = {
      table: new ConditionTable(routes, ({ constants }) => constants),
      others: routes.filter(({ constants }) => constants.length === 0).slice(0, MOST_COMPARED),
      queryNames: new Set(queries.map(({ name }) => name)),
    };
  }
}

/** Sorts by fit: negative if `a` fits better. */
export function compareScores<T>(a: Scored<T>, b: Scored<T>): number {
  if (a.isComplete !== b.isComplete) return a.isComplete ? -1 : 1;
  return b.fulfilled - a.fulfilled;
}

function scoreOf<T>({ entry, requirements, constants }: Labelled<T>, facts: RequestFacts): Scored<T> {
  const { parameters, mediaTypes } = requirements;
  const hasMediaType = facts.hasMediaType(mediaTypes);
  const isComplete = hasMediaType !== false && parameters.every((parameter) => facts.fulfils(parameter));
  if (isComplete) return { entry, isComplete, fulfilled: parameters.length + (hasMediaType === true ? 1 : 0) };
  const hasConstants = constants.every((constant) => facts.fulfils(constant));
  return { entry, isComplete, fulfilled: hasConstants ? constants.length : 0 };
}
