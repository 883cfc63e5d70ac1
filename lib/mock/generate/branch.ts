import type { Schema } from "../../schema/schema.ts";
import { spend, type Steps } from "../../schema/steps.ts";
import {
  commonPartOf,
  type Conjunction,
  conjunctionsOf,
  type Failure,
  isFailure,
  type OpenConjunction,
} from "./conjunction.ts";

/** One way to satisfy schemas together, or a contradiction met in looking for one. */
export interface Way {
  readonly conjunction: Conjunction | Failure;
  /** Steps of the search that it took to work it out. */
  readonly steps: number;
  /** The same in steps of work. */
  readonly work: number;
  /** Why no value can be made this way, wherever it would stand, once that is known, and what it takes to find it out. */
  dead?: { readonly failure: Failure; readonly steps: number; readonly work: number };
}

/** Ways to satisfy schemas, worked out as far as they are asked for, and for each schema once. */
export interface Ways {
  /** Begins another body. */
  readonly begin: () => void;
  /** What schemas say together before any choice; a contradiction if they contradict each other already there. */
  readonly commonPartOf: (schemas: readonly Schema[]) => OpenConjunction | Failure;
  /**
   * Lists the ways, and the contradictions met in looking for them.
   *
   * @param schemas What has to be satisfied.
   * @param start The alternative of the first choice to begin with.
   */
  readonly of: (schemas: readonly Schema[], start: number) => Iterable<Way>;
}

/** What schemas say together before any choice, and the work that it took to find it out. */
interface Common {
  readonly part: OpenConjunction | Failure;
  readonly work: number;
}

/**
 * Makes the ways of one document's schemas.
 *
 * @param steps Bounds the work of a body. What was worked out for another body takes as many steps as if it hadn't been:
 * what a body is must not depend on those made before.
 */
export function createWays(steps: Steps): Ways {
  const commonParts = new Map<Schema, Common>();
  const lists = new Map<Schema, Map<number, List>>();
  /** What this body's steps were taken for. */
  let charged = new Set<Common | Way>();
  return { begin: () => charged = new Set(), commonPartOf: commonPart, of };

  function commonPart(schemas: readonly Schema[]): OpenConjunction | Failure {
    const [schema] = schemas;
    if (schema === undefined || schemas.length > 1) return commonPartOf(schemas, steps);
    const known = commonParts.get(schema);
    if (known !== undefined) {
      charge(known);
      return known.part;
    }
    const before = steps.left;
    const part = commonPartOf(schemas, steps);
    const common = { part, work: before - steps.left };
    commonParts.set(schema, common);
    charged.add(common);
    return part;
  }

  function charge(known: Common | Way): void {
    if (charged.has(known)) return;
    charged.add(known);
    spend(steps, known.work);
  }

  function of(schemas: readonly Schema[], start: number): Iterable<Way> {
    const common = commonPart(schemas);
    if (isFailure(common) || common.choices.length === 0) return [{ conjunction: common, steps: 1, work: 0 }];
    const [schema] = schemas;
    if (schema === undefined || schemas.length > 1) return replay(listOf(common, start));
    let byStart = lists.get(schema);
    if (byStart === undefined) lists.set(schema, byStart = new Map());
    let list = byStart.get(start);
    if (list === undefined || list.isBroken) byStart.set(start, list = listOf(common, start));
    return replay(list);
  }

  function listOf(common: OpenConjunction, start: number): List {
    const effort = { steps: 0 };
    return { known: [], more: conjunctionsOf(common, start, () => effort.steps++, steps), effort, isBroken: false };
  }

  /** Steps count the same whether a way was worked out now or before. */
  function* replay(list: List): Generator<Way> {
    const { known } = list;
    for (let index = 0;; index++) {
      let way = known[index];
      if (way === undefined) {
        way = nextOf(list);
        if (way === undefined) return;
      } else charge(way);
      yield way;
    }
  }

  function nextOf(list: List): Way | undefined {
    const { known, more, effort } = list;
    const before = { search: effort.steps, work: steps.left };
    // If the steps don't suffice, what lists the ways has ended before its end.
    list.isBroken = true;
    const { value, done } = more.next();
    list.isBroken = false;
    if (done === true) return undefined;
    const way: Way = {
      conjunction: value,
      steps: effort.steps - before.search + 1,
      work: before.work - steps.left,
    };
    known.push(way);
    charged.add(way);
    return way;
  }
}

/** Ways that were worked out, and those still to come. */
interface List {
  readonly known: Way[];
  readonly more: Iterator<Conjunction | Failure>;
  readonly effort: { steps: number };
  isBroken: boolean;
}
