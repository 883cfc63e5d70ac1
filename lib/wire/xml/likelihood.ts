import type { Hints } from "../../schema/hints.ts";
import { elementsOf, elementText, named, type XmlElement, type XmlName } from "./element.ts";
import { type ElementNames, isList } from "./object.ts";

/** The features of a property by which a branch of a schema is compared with an element. */
interface Trait {
  readonly names: readonly XmlName[];
  /** Whether the element is expected: the property is required, and isn't an array, which may be empty. */
  readonly isNeeded: boolean;
  /** The texts that `enum` or `const` allow; `undefined` without these keywords. */
  readonly texts: ReadonlySet<string> | undefined;
}

/** The branches of an element's schema, ranked by how well they describe the content of the element. */
export interface RankedBranches {
  /** The branches with the fewest differences from the element first. */
  readonly branches: readonly Hints[];
  /**
   * The hints of the branch with the fewest differences; the hints of the whole schema where several branches have as
   * few.
   */
  readonly likeliest: Hints;
}

/** Ranks the branches of a schema by the number of differences from an element. */
export class Likelihood {
  readonly #names: ElementNames;
  readonly #traits = new WeakMap<Hints, readonly Trait[]>();

  constructor(names: ElementNames) {
    this.#names = names;
  }

  rank(element: XmlElement, all: Hints): RankedBranches {
    const parts = elementsOf(element);
    const sorted = all.branches
      .map((hints) => ({ hints, differences: isList(hints) ? 0 : countDifferences(parts, this.#traitsOf(hints)) }))
      .sort((a, b) => a.differences - b.differences);
    const [first, second] = sorted;
    const isClear = first !== undefined && first.differences < (second?.differences ?? Infinity) &&
      !isList(first.hints);
    return { branches: sorted.map(({ hints }) => hints), likeliest: isClear ? first.hints : all };
  }

  #traitsOf(hints: Hints): readonly Trait[] {
    let traits = this.#traits.get(hints);
    if (traits === undefined) this.#traits.set(hints, traits = this.#findTraits(hints));
    return traits;
  }

  #findTraits(hints: Hints): readonly Trait[] {
    return [...hints.propertyNames].map((name) => {
      const property = hints.property(name);
      const isNeeded = hints.required.has(name) && !isList(property);
      return { names: this.#names.of(property, name), isNeeded, texts: listedTexts(property) };
    });
  }
}

/**
 * Counts the differences between an element and a branch: missing elements, elements that no property describes, and
 * elements whose text `enum` or `const` doesn't allow.
 */
function countDifferences(parts: readonly XmlElement[], traits: readonly Trait[]): number {
  const described = new Set<XmlElement>();
  let differences = 0;
  for (const { names, isNeeded, texts } of traits) {
    const [only, ...more] = named(parts, names);
    if (only === undefined) {
      differences += isNeeded ? 1 : 0;
      continue;
    }
    if (more.length === 0 && texts !== undefined && !texts.has(elementText(only))) differences++;
    for (const part of [only, ...more]) described.add(part);
  }
  return differences + parts.length - described.size;
}

function listedTexts({ schemas }: Hints): ReadonlySet<string> | undefined {
  const listed = schemas.flatMap((
    schema,
  ) => [...schema.enum ?? [], ...schema.const === undefined ? [] : [schema.const.value]]);
  return listed.length === 0 ? undefined : new Set(listed.map(String));
}
