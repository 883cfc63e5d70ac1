import type { Schema } from "../../schema/schema.ts";
import { spend, type Steps } from "../../schema/steps.ts";
import { type Failure, isFailure } from "./body.ts";
import {
  type Conjunction,
  mergeRequired,
  type OpenConjunction,
  type Search,
  searchConjunctions,
} from "./conjunction.ts";

/**
 * A way to satisfy schemas, with one alternative chosen at each choice (`anyOf`, `oneOf`, `if`, `not`, ...); or the
 * contradiction of such a combination of alternatives.
 */
export interface Branch {
  readonly conjunction: Conjunction | Failure;
  /** The steps of the search that found the branch. */
  readonly searchSteps: number;
  /** The steps of work that the search took. */
  readonly work: number;
  /** The proof that no value satisfies the branch, at any place in a body, with the steps that the proof took. */
  unsatisfiable?: { readonly failure: Failure; readonly searchSteps: number; readonly work: number };
}

/** The parts of schemas that hold before any choice is made, merged, with the steps of work that the merge took. */
interface Merged {
  readonly conjunction: OpenConjunction | Failure;
  readonly work: number;
}

/** The branches found so far, and the search that finds the next ones. */
interface BranchSearch {
  readonly found: Branch[];
  readonly search: Search;
  readonly conjunctions: Iterator<Conjunction | Failure>;
  /** Whether the search ran out of steps, which ended its iterator too early: the search must begin anew. */
  isBroken: boolean;
}

/**
 * The branches of one document's schemas, found on demand and memoised by schema.
 *
 * Each body spends the same steps on a branch, whether the branch was found for this body or is cached from an earlier
 * one: so a body doesn't depend on the bodies that were generated before.
 */
export class BranchCache {
  readonly #steps: Steps;
  readonly #merged = new Map<Schema, Merged>();
  readonly #searches = new Map<Schema, Map<number, BranchSearch>>();
  /** Results whose steps the present body has spent already. */
  #paid = new Set<Merged | Branch>();

  /** @param steps Bounds the work of a body. */
  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** Begins another body, which spends the steps of cached results again. */
  begin(): void {
    this.#paid = new Set();
  }

  /** Merges the parts of schemas that hold before any choice; a failure if they contradict each other already. */
  mergeRequired(schemas: readonly Schema[]): OpenConjunction | Failure {
    const [schema] = schemas;
    if (schema === undefined || schemas.length > 1) return mergeRequired(schemas, this.#steps);
    const known = this.#merged.get(schema);
    if (known !== undefined) {
      this.#pay(known);
      return known.conjunction;
    }
    const before = this.#steps.left;
    const conjunction = mergeRequired(schemas, this.#steps);
    const merged = { conjunction, work: before - this.#steps.left };
    this.#merged.set(schema, merged);
    this.#paid.add(merged);
    return conjunction;
  }

  /**
   * Lists the branches of schemas, and the contradictions found on the way.
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
    const search: Search = { steps: this.#steps, alternatives: 0 };
    return { found: [], search, conjunctions: searchConjunctions(merged, start, search), isBroken: false };
  }

  *#list(search: BranchSearch): Generator<Branch> {
    for (let index = 0;; index++) {
      let branch = search.found[index];
      if (branch === undefined) {
        branch = this.#findNext(search);
        if (branch === undefined) return;
      } else this.#pay(branch);
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
    this.#paid.add(branch);
    return branch;
  }

  #pay(known: Merged | Branch): void {
    if (this.#paid.has(known)) return;
    this.#paid.add(known);
    spend(this.#steps, known.work);
  }
}
