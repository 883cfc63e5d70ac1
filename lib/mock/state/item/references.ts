/**
 * Finds the fields of items that refer to items of other resources: by id (`customerId`, `tagIds`), or as an object
 * (`customer: {id: …}`).
 *
 * @module
 */
import { type Hints, readHints } from "../../../schema/hints.ts";
import type { Node } from "../../../schema/json/node.ts";
import { follow } from "../../../schema/json/reference.ts";
import type { Type } from "../../../schema/schema.ts";
import type { Resource, Resources } from "../../infer/resource.ts";
import { phraseOf, singularOf, wordsOf } from "../../../names/words.ts";
import { needsParent } from "./item_place.ts";

/** A field that refers to an item of another resource or, if `isList`, to several. */
export interface ItemReference {
  readonly name: string;
  readonly target: Resource;
  /** Whether the field contains the id of the target item, or an object with the target item's fields. */
  readonly kind: "id" | "object";
  readonly isList: boolean;
  /**
   * The number of leading scope parameters that the target shares with the referring resource. The target item may have
   * any value of the others.
   */
  readonly shared: number;
  /** The fields of the target item that the object shows; empty for all. */
  readonly shown: ReadonlySet<string>;
  /** For an object: the field of the same item with the target's id, such as `customerId` for `customer`. */
  readonly idField?: string;
}

const MOST_FIELDS = 500;

/** Finds the references of each resource, memoised. */
export class References {
  readonly #all: readonly Resource[];
  readonly #known = new Map<Resource, readonly ItemReference[]>();
  readonly #withoutCycles = new Map<Resource, readonly ItemReference[]>();
  readonly #cycles = new Map<Resource, ReadonlySet<Resource>>();
  #places: ReadonlyMap<Resource, number> | undefined;
  #targets: readonly Target[] | undefined;

  constructor({ all }: Pick<Resources, "all">) {
    this.#all = all;
  }

  of(resource: Resource): readonly ItemReference[] {
    let found = this.#known.get(resource);
    if (found === undefined) this.#known.set(resource, found = referencesOf(resource, this.#targetsOf(resource)));
    return found;
  }

  /**
   * The references of a resource, without cycles between resources: in a cycle, a resource refers only to resources
   * that stand before it in the definition, and whose scope it shares. Otherwise the initial items would depend on the
   * order in which they are generated.
   */
  withoutCycles(resource: Resource): readonly ItemReference[] {
    let found = this.#withoutCycles.get(resource);
    if (found !== undefined) return found;
    const cycle = this.#cycleOf(resource);
    const place = this.#placeOf(resource);
    found = this.of(resource).filter(({ target, shared }) =>
      target !== resource &&
      (!cycle.has(target) || (shared === target.scope.length && this.#placeOf(target) < place))
    );
    this.#withoutCycles.set(resource, found);
    return found;
  }

  /**
   * The strongly connected component of a resource in the graph of references and parents. Memoised for all its members.
   */
  #cycleOf(resource: Resource): ReadonlySet<Resource> {
    const known = this.#cycles.get(resource);
    if (known !== undefined) return known;
    const referring = new Map<Resource, Resource[]>();
    const reached = new Set([resource]);
    for (const from of reached) {
      const parents = from.scope.flatMap(({ parent }) => parent ?? []);
      for (const target of [...this.of(from).map(({ target }) => target), ...parents]) {
        reached.add(target);
        const sources = referring.get(target);
        if (sources === undefined) referring.set(target, [from]);
        else sources.push(from);
      }
    }
    const cycle = new Set([resource]);
    for (const target of cycle) for (const from of referring.get(target) ?? []) cycle.add(from);
    for (const member of cycle) this.#cycles.set(member, cycle);
    return cycle;
  }

  #placeOf(resource: Resource): number {
    this.#places ??= new Map(this.#all.map((resource, place) => [resource, place]));
    return this.#places.get(resource) ?? -1;
  }

  #targetsOf(resource: Resource): readonly Target[] {
    const targets = this.#targets ??= this.#all.flatMap((target) => targetOf(target) ?? []);
    return targets.filter((target) =>
      target.resource.document === resource.document && sharedScope(target, resource) >= target.needed
    );
  }
}

function referencesOf(resource: Resource, targets: readonly Target[]): readonly ItemReference[] {
  if (targets.length === 0) return [];
  const hints = readHints(resource.document, resource.schema, "response");
  const own = new Set([resource.id[0], ...resource.scope.map(({ property }) => property?.[0])]);
  const found = [...hints.propertyNames].slice(0, MOST_FIELDS).flatMap((name) =>
    own.has(name) ? [] : referenceOf(name, hints.property(name), targets, resource) ?? []
  );
  return found.map((reference) => {
    const beside = reference.kind === "id" || reference.isList
      ? undefined
      : found.find((other) =>
        other.kind === "id" && !other.isList && other.target === reference.target &&
        wordsOf(other.name).slice(0, -1).join(" ") === phraseOf(reference.name)
      );
    return beside === undefined ? reference : { ...reference, idField: beside.name };
  });
}

/** A resource to which fields may refer. */
interface Target {
  readonly resource: Resource;
  /** The resource's name in the singular, as words: `line item`. */
  readonly words: string;
  readonly schema: Node;
  readonly idTypes: ReadonlySet<Type>;
  /** The number of leading scope parameters without which an id identifies no item. */
  readonly needed: number;
}

/** The number of leading scope parameters that two resources share. */
function sharedScope({ resource: { scope } }: Target, other: Resource): number {
  const differing = scope.findIndex(({ parameter }, index) => other.scope[index]?.parameter !== parameter);
  return differing === -1 ? scope.length : differing;
}

/** The resource as a target of references; `undefined` if its items have no ids. */
function targetOf(resource: Resource): Target | undefined {
  const { document, id, isSingleton, name, schema, scope } = resource;
  if (isSingleton || id.length === 0) return undefined;
  const idTypes = id.reduce((at, key) => at.property(key), readHints(document, schema, "response")).types;
  const words = wordsOf(name.slice(name.lastIndexOf(".") + 1));
  const singular = [...words.slice(0, -1), singularOf(words.at(-1) ?? "")].join(" ");
  const needed = scope.findLastIndex((_, position) => needsParent(resource, position));
  return { resource, words: singular, schema: follow(document, schema), idTypes, needed: needed + 1 };
}

function referenceOf(
  name: string,
  hints: Hints,
  targets: readonly Target[],
  resource: Resource,
): ItemReference | undefined {
  const isList = hints.types.has("array") && hints.types.size <= 2;
  const part = isList ? hints.item(0) : hints;
  const same = targets.find(({ schema }) => hasSchema(part, schema));
  if (same !== undefined && part.types.has("object") && part.types.size === 1) {
    const shared = sharedScope(same, resource);
    return { name, target: same.resource, kind: "object", isList, shared, shown: new Set() };
  }
  const words = wordsOf(name);
  const last = words.at(-1) ?? "";
  const isId = /^(id|uuid|guid|ids|uuids)$/.test(last) && words.length > 1;
  const meant = (isId ? words.slice(0, -1) : [...words.slice(0, -1), isList ? singularOf(last) : last]).join(" ");
  const named = targets.find((target) => target.words === meant) ??
    (isId ? targets.find((target) => meant.endsWith(` ${target.words}`)) : undefined);
  if (named === undefined) return undefined;
  const { resource: target, idTypes } = named;
  const shared = sharedScope(named, resource);
  // A text field without `id` in its name, such as Stripe's `customer`, is a reference only if its schema also allows
  // the object itself.
  if ((isId || same !== undefined) && isOneOf(idTypes, part.types)) {
    return { name, target, kind: "id", isList, shared, shown: new Set() };
  }
  const hasId = part.types.has("object") && part.types.size === 1 && target.id.length === 1 &&
    part.propertyNames.has(target.id[0] ?? "");
  return hasId ? { name, target, kind: "object", isList, shared, shown: part.propertyNames } : undefined;
}

function hasSchema({ schemas }: Hints, { pointer, source }: Node): boolean {
  return pointer !== "" && schemas.some(({ node }) => node.pointer === pointer && node.source === source);
}

/** Whether the ids of a target can be values of a field, by their types. */
function isOneOf(ids: ReadonlySet<Type>, types: ReadonlySet<Type>): boolean {
  return (["string", "integer"] as const).some((type) => ids.has(type) && types.has(type));
}
