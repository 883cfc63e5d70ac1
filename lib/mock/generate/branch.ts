import type { Schema } from "../../schema/schema.ts";
import { spend, type Steps } from "../../regexp/steps.ts";
import { type Failure, isFailure } from "./body.ts";
import {
  type Conjunction,
  type ConjunctionSearch,
  mergeRequired,
  type OpenConjunction,
  searchConjunctions,
} from "./conjunction.ts";

/**
 * One way to satisfy schemas: a conjunction with an alternative chosen at each choice (`anyOf`, `oneOf`, `if`, `not`,
 * ...). If the chosen alternatives contradict each other, `conjunction` is the failure.
 */
export interface Branch {
  readonly conjunction: Conjunction | Failure;
  readonly searchSteps: number;
  readonly work: number;
  /**
   * Set when it is proven that no value satisfies the branch, wherever in a body: the failure, and the steps that the
   * proof took.
   */
  unsatisfiable?: { readonly failure: Failure; readonly searchSteps: number; readonly work: number };
}

/** The parts of schemas that hold before any choice is made, merged; and the steps of work that this took. */
interface Merged {
  readonly conjunction: OpenConjunction | Failure;
  readonly work: number;
}

/**
 * A search for branches that can be continued: the branches found so far, and the iterator that finds the next ones.
 */
interface BranchSearch {
  readonly found: Branch[];
  readonly search: ConjunctionSearch;
  readonly conjunctions: Iterator<Conjunction | Failure>;
  /**
   * Whether the iterator threw because it ran out of steps. An iterator that threw can't continue, so the next search
   * begins anew.
   */
  isBroken: boolean;
}

/**
 * Lists the branches of one document's schemas. Branches are searched on demand, and memoised by schema.
 *
 * A body that uses a memoised branch subtracts the branch's steps from its budget as if it had searched for the branch.
 * Otherwise the result would depend on which bodies were generated before.
 */
export class BranchCache {
  readonly #steps: Steps;
  readonly #merged = new Map<Schema, Merged>();
  readonly #searches = new Map<Schema, Map<number, BranchSearch>>();
  /** Memoised results whose steps were already subtracted from the budget of the body that is being generated. */
  #counted = new Set<Merged | Branch>();

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** Call this before each body, which then subtracts the steps of each memoised result that it uses once. */
  begin(): void {
    this.#counted = new Set();
  }

  /**
   * Merges the parts of schemas that hold before any choice is made. Returns a failure if they contradict each other.
   */
  mergeRequired(schemas: readonly Schema[]): OpenConjunction | Failure {
    const [schema] = schemas;
    if (schema === undefined || schemas.length > 1) return mergeRequired(schemas, this.#steps);
    const known = this.#merged.get(schema);
    if (known !== undefined) {
      this.#countOnce(known);
      return known.conjunction;
    }
    const before = this.#steps.left;
    const conjunction = mergeRequired(schemas, this.#steps);
    const merged = { conjunction, work: before - this.#steps.left };
    this.#merged.set(schema, merged);
    this.#counted.add(merged);
    return conjunction;
  }

  /**
   * Lists the branches of schemas, and the contradictions that the search finds.
   *
   * @param start Index of the alternative that is tried first at the first choice.
   */
  of(schemas: readonly Schema[], start: number): Iterable<Branch> {
    const merged = this.mergeRequired(schemas);
    if (isFailure(merged) || merged.choices.length === 0) return [{ conjunction: merged, searchSteps: 1, work: 0 }];
    const [schema] = schemas;
    if (schema === undefined || schemas.length > 1) return this.#list(this.#begin(merged, start));
    let byStart = this.#searches.get(schema);
    if (byStart === undefined) this.#searches.set(schema, byStart = new Map());
    let search = byStart.get(start);
    if (search === undefined || search.isBroken) byStart.set(start, search = this.#begin(merged, start));
    return this.#list(search);
  }

  #begin(merged: OpenConjunction, start: number): BranchSearch {
    const search: ConjunctionSearch = { steps: this.#steps, alternatives: 0 };
    return { found: [], search, conjunctions: searchConjunctions(merged, start, search), isBroken: false };
  }

  *#list(search: BranchSearch): Generator<Branch> {
    for (let index = 0;; index++) {
      let branch = search.found[index];
      if (branch === undefined) {
        branch = this.#findNext(search);
        if (branch === undefined) return;
      } else this.#countOnce(branch);
      yield branch;
    }
  }

  #findNext(branches: BranchSearch): Branch | undefined {
    const { found, search, conjunctions } = branches;
    const before = { alternatives: search.alternatives, work: this.#steps.left };
    branches.isBroken = true;
    const { value, done } = conjunctions.next();
    branches.isBroken = false;
    if (done === true) return undefined;
    const branch: Branch = {
      conjunction: value,
      searchSteps: search.alternatives - before.alternatives + 1,
      work: before.work - this.#steps.left,
    };
    found.push(branch);
    this.#counted.add(branch);
    return branch;
  }

  #countOnce(known: Merged | Branch): void {
    if (this.#counted.has(known)) return;
    this.#counted.add(known);
    spend(this.#steps, known.work);
  }
}
