/**
 * Binds further paths of a collection: with fewer parameters (Kubernetes' `/pods` beside
 * `/namespaces/{namespace}/pods`), with more (`/users/{userId}/orders` beside `/orders`), in the singular (`/pet`
 * beside `/pets`), and searches (`/pet/findByStatus`).
 *
 * @module
 */
import { bindCollectionPath } from "./bind_collection.ts";
import type { Refuse } from "./locate_item.ts";
import type { Draft, DraftBinding, PathGroup, Search } from "./draft.ts";
import { parametersIn, type Segment } from "./path_shape.ts";
import { type Difference, differenceOf, MOST_COMPARED } from "./path_difference.ts";
import { findScopeProperty, type ScopePart } from "./scope.ts";
import type { Agreement } from "./compare_shapes.ts";
import { plainName, singularOf } from "../../names/words.ts";

export function indexByNoun(drafts: readonly Draft[]): Map<string, Draft[]> {
  return Map.groupBy(drafts.filter(({ isSingleton }) => !isSingleton), ({ segments }) => nounKey(segments));
}

export function nounKey(segments: readonly Segment[]): string {
  const last = segments.at(-1);
  return last === undefined || "parameter" in last ? "" : nameKey(last.literal);
}

function nameKey(literal: string): string {
  return singularOf(plainName(literal));
}

/**
 * Merges resources without an item's path into the resource that has the item's path: `/issues/{number}/comments` into
 * the resource of `/issues/comments/{id}`.
 *
 * @returns The drafts that weren't merged.
 */
export function joinDrafts(drafts: readonly Draft[], search: Search): Draft[] {
  const byNoun = indexByNoun(drafts.filter(hasItemPath));
  return drafts.filter((draft) => {
    if (draft.isSingleton || hasItemPath(draft)) return true;
    for (const base of (byNoun.get(nounKey(draft.segments)) ?? []).slice(0, MOST_COMPARED)) {
      const difference = differenceOf(base.segments, draft.segments);
      if (difference?.kind !== "narrower" || search.reader.compare(base.item, draft.item) !== "same") continue;
      if (!widen(base, difference.part, search, true)) continue;
      for (const binding of draft.bindings) {
        base.bindings.push({ ...binding, scopeParameters: narrowed(base, binding.scopeParameters, difference.index) });
      }
      base.evidence.push(...draft.evidence);
      return false;
    }
    return true;
  });
}

function hasItemPath({ bindings }: Draft): boolean {
  return bindings.some(({ idParameter }) => idParameter !== undefined);
}

/** Binds paths that belong to no resource yet as further paths of a collection. Returns the bound paths. */
export function bindOtherPaths(
  groups: Iterable<PathGroup>,
  byNoun: ReadonlyMap<string, readonly Draft[]>,
  search: Search,
  refuse: Refuse,
): Set<PathGroup> {
  const bound = new Set<PathGroup>();
  for (const group of groups) {
    const last = group.path.segments.at(-1);
    if (last === undefined || "parameter" in last) continue;
    if (group.settings?.collection !== undefined) continue;
    for (const base of (byNoun.get(nameKey(last.literal)) ?? []).slice(0, MOST_COMPARED)) {
      const difference = differenceOf(base.segments, group.path.segments);
      if (difference === undefined) continue;
      const bindings = bindingsOf(group, base, difference, search, refuse);
      if (bindings.length === 0) continue;
      base.bindings.push(...bindings);
      base.evidence.push(`${bindings[0]?.exchange.operation.path} has the same items.`);
      bound.add(group);
      break;
    }
  }
  return bound;
}

function bindingsOf(
  group: PathGroup,
  base: Draft,
  difference: Difference,
  search: Search,
  refuse: Refuse,
): DraftBinding[] {
  const items = { item: base.item, id: base.id, nouns: [] };
  const effects = bindCollectionPath(group, items, search, refuse).filter((effect) => {
    const { response } = effect.exchange;
    if (response === undefined) return false;
    const places = effect.kind === "list" ? search.places.listsIn(response) : search.places.itemsIn(response);
    const isKnown = difference.kind === "narrower" &&
      findScopeProperty(difference.part, base.item, base.id, search.reader) !== undefined;
    return places.some(({ shape }) => isLike(search.reader.compare(shape, base.item), isKnown)) &&
      isKnownScope(effect.kind, base, difference) && !hasKind(base, effect.kind, difference);
  });
  if (effects.length === 0) return [];
  // A path that creates items, or that has the resource's first list, belongs to the resource even if items don't show
  // the parameter.
  const creates = effects.some(({ kind }) => kind === "create") || base.bindings.every(({ kind }) => kind !== "list");
  if (difference.kind === "narrower" && !widen(base, difference.part, search, creates)) return [];
  return effects.map((effect) => {
    const parameters: (string | undefined)[] = parametersIn(group.path.segments);
    if (difference.kind === "wider") parameters.splice(difference.index, 0, undefined);
    return {
      ...effect,
      idParameter: undefined,
      scopeParameters: difference.kind === "narrower" ? narrowed(base, parameters, difference.index) : parameters,
    };
  });
}

/**
 * Whether the objects of a list are the resource's items. Similar objects count only if items have a property for the
 * path's additional parameter.
 */
function isLike(agreement: Agreement, isKnown: boolean): boolean {
  return agreement === "same" || (agreement === "similar" && isKnown);
}

/**
 * Whether the path, or a property of the new item, tells the complete scope of a new item. Lists need no complete
 * scope.
 */
function isKnownScope(kind: DraftBinding["kind"], base: Draft, difference: Difference): boolean {
  return kind === "list" || difference.kind !== "wider" || base.scope[difference.index]?.property !== undefined;
}

/**
 * Whether the resource has an operation of this kind with the same scope already. A second operation has another
 * meaning.
 */
function hasKind(base: Draft, kind: DraftBinding["kind"], difference: Difference): boolean {
  return difference.kind === "same" && base.bindings.some((binding) => binding.kind === kind);
}

/**
 * Adds the parameter of a further path, such as `userId` of `/users/{userId}/orders`, to the scope of a resource.
 * Returns false if that isn't possible: if items have no property with the parameter's value, only a `create` or the
 * resource's first list can add the parameter, and only one such parameter is allowed.
 */
function widen(base: Draft, part: ScopePart, { reader }: Search, creates: boolean): boolean {
  const property = findScopeProperty(part, base.item, base.id, reader);
  const known = base.scope.some((scope) => scope.prefix === part.prefix);
  if (known) return property !== undefined;
  const isSecond = base.scope.slice(parametersIn(base.segments).length).length > 0;
  if (property === undefined && (isSecond || !creates)) return false;
  base.scope.push({ parameter: part.parameter, property, prefix: part.prefix });
  return true;
}

/**
 * The parameters of a path with one more parameter than the collection's, in the order of the resource's scope. The
 * additional parameter is the last of the scope, wherever the path has it.
 */
function narrowed(base: Draft, parameters: readonly (string | undefined)[], index: number): (string | undefined)[] {
  const own = parameters.toSpliced(index, 1);
  const filling = Array.from({ length: base.scope.length - own.length - 1 }, () => undefined);
  return [...own, ...filling, parameters[index]];
}
