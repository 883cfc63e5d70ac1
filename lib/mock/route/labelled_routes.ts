import type { Requirements } from "../../openapi/operation_conditions.ts";
import type { PathConditions } from "../../openapi/path_condition.ts";
import type { RequestFacts } from "../../openapi/request_facts.ts";
import { ConditionTable } from "./condition_table.ts";

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

/** A route with the parameters that it requires. */
interface Labelled<T> {
  readonly entry: Entry<T>;
  readonly order: number;
  readonly requirements: Requirements;
  /** The required parameters that allow a single value, by `const` or a one-value `enum`. */
  readonly constants: Requirements["parameters"];
}

/** How well a request fits a route's requirements. */
export interface Scored<T> {
  readonly entry: Entry<T>;
  /** Whether the request fulfils all requirements of the route. */
  readonly isComplete: boolean;
  /**
   * A measure for comparing routes: the more fulfilled requirements, the better. If the request fulfils all: the number
   * of required parameters, plus 1 for a required media type of the body. If it fulfils only the parameters that allow
   * a single value: their number. Otherwise 0.
   */
  readonly fulfilled: number;
}

/** The routes, indexed for look-ups. */
interface Prepared<T> {
  /** The routes that require a parameter with a single value, indexed by that value. */
  readonly table: ConditionTable<Labelled<T>>;
  /** The routes that require no such parameter. */
  readonly others: readonly Labelled<T>[];
  readonly queryNames: ReadonlySet<string>;
}

/**
 * Limit of the routes without a single-value parameter that are compared with a request. The first of the definition
 * are compared.
 */
const MOST_COMPARED = 100;

/**
 * Routes whose path keys have the same conditions but different labels, such as `/tags/{arn}#tagKeys` and
 * `/tags/{arn}`. A route wins if the request fulfils its requirements; of several such routes, the one with the most
 * required parameters, then the first.
 */
export class LabelledRoutes<T> {
  readonly #requirementsOf: RequirementsOf<T>;
  /** The routes by label. */
  readonly #entries = new Map<string, Entry<T>>();
  #only: Entry<T> | undefined;
  #prepared: Prepared<T> | undefined;

  constructor(requirementsOf: RequirementsOf<T>) {
    this.#requirementsOf = requirementsOf;
  }

  /** Adds a route, unless an earlier route has the same label. Returns whether it was added. */
  add(entry: Entry<T>): boolean {
    const label = entry.conditions?.label ?? "";
    if (this.#entries.has(label)) return false;
    this.#entries.set(label, entry);
    this.#only = this.#entries.size === 1 ? entry : undefined;
    this.#prepared = undefined;
    return true;
  }

  /** The only route; `undefined` if there are several. */
  get only(): Entry<T> | undefined {
    return this.#only;
  }

  /** The names of the queries that the routes require. */
  get queryNames(): ReadonlySet<string> {
    return this.#prepare().queryNames;
  }

  /**
   * Finds the route whose requirements a request fits best.
   *
   * @param facts The parsed queries and headers of the request, including the queries in {@linkcode queryNames}.
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
    // If the request fulfils no route's requirements, the first route of the definition wins, even if it wasn't
    // compared.
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

/** Compares by fit: negative if `a` fits better. */
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
