import type { Schema } from "../../openapi/schema_object.ts";
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
  /** Steps that it took to work it out. */
  readonly steps: number;
  /** Why no value can be made this way, wherever it would stand, once that is known, and the steps to find it out. */
  dead?: { readonly failure: Failure; readonly steps: number };
}

/** Ways to satisfy schemas, worked out as far as they are asked for, and for each schema once. */
export interface Ways {
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

/** Makes the ways of one document's schemas. */
export function createWays(): Ways {
  const commonParts = new Map<Schema, OpenConjunction | Failure>();
  const lists = new Map<Schema, Map<number, List>>();
  return { commonPartOf: commonPart, of };

  function commonPart(schemas: readonly Schema[]): OpenConjunction | Failure {
    const [schema] = schemas;
    if (schema === undefined || schemas.length > 1) return commonPartOf(schemas);
    let common = commonParts.get(schema);
    if (common === undefined) commonParts.set(schema, common = commonPartOf(schemas));
    return common;
  }

  function of(schemas: readonly Schema[], start: number): Iterable<Way> {
    const common = commonPart(schemas);
    if (isFailure(common) || common.choices.length === 0) return [{ conjunction: common, steps: 1 }];
    const [schema] = schemas;
    if (schema === undefined || schemas.length > 1) return replay(listOf(common, start));
    let byStart = lists.get(schema);
    if (byStart === undefined) lists.set(schema, byStart = new Map());
    let list = byStart.get(start);
    if (list === undefined) byStart.set(start, list = listOf(common, start));
    return replay(list);
  }
}

/** Ways that were worked out, and those still to come. */
interface List {
  readonly known: Way[];
  readonly more: Iterator<Conjunction | Failure>;
  readonly effort: { steps: number };
}

function listOf(common: OpenConjunction, start: number): List {
  const effort = { steps: 0 };
  return { known: [], more: conjunctionsOf(common, start, () => effort.steps++), effort };
}

/** Steps count the same whether a way was worked out now or before: what a body is must not depend on it. */
function* replay({ known, more, effort }: List): Generator<Way> {
  for (let index = 0;; index++) {
    let way = known[index];
    if (way === undefined) {
      const before = effort.steps;
      const { value, done } = more.next();
      if (done === true) return;
      known.push(way = { conjunction: value, steps: effort.steps - before + 1 });
    }
    yield way;
  }
}
