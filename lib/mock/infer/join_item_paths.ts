/**
 * Joins resources whose items have a path of their own and a path below their parent: `/orders/{orderId}` and
 * `/users/{userId}/orders/{orderId}`.
 *
 * @module
 */
import type { Draft, Search } from "./draft.ts";
import { hasProperty } from "./locate_item.ts";
import { differenceOf, MOST_COMPARED } from "./path_difference.ts";
import { keyOfSegments, parametersIn, type Segment } from "./path_shape.ts";
import { findScopeProperty, type ScopePart } from "./scope.ts";
import { nounsOf, plainName } from "../../names/words.ts";

/**
 * Merges the resource of `/users/{userId}/orders/{orderId}` into the resource of `/orders/{orderId}`, if both paths
 * show the same items, and a property of an item is the parent's id.
 *
 * Ids may be numbered per parent, as the issues of a repository are. The merge is safe even so: `/orders/{orderId}` finds
 * an order without its parent, so this id is unique among all orders. The path below the parent finds the order by the
 * same property, which is a condition of the merge. A number per parent is another property.
 *
 * @returns The drafts that weren't merged.
 */
export function joinItemPaths(drafts: readonly Draft[], search: Search): Draft[] {
  const byName = Map.groupBy(drafts.filter(({ isSingleton }) => !isSingleton), ({ segments }) => nameOf(segments));
  const parents = new Set(drafts.flatMap(itemPathsOf));
  const joined = new Set<Draft>();
  for (const draft of drafts) {
    const bases = draft.isSingleton ? [] : byName.get(nameOf(draft.segments)) ?? [];
    const isJoined = bases.slice(0, MOST_COMPARED).some((base) =>
      !joined.has(base) && join(base, draft, parents, search)
    );
    if (isJoined) joined.add(draft);
  }
  return drafts.filter((draft) => !joined.has(draft));
}

/** The last segment of a collection's path. */
function nameOf(segments: readonly Segment[]): string {
  return keyOfSegments(segments.slice(-1));
}

function itemPathsOf({ bindings }: Draft): string[] {
  return bindings.flatMap(({ idParameter, exchange: { path } }) =>
    idParameter === undefined ? [] : [keyOfSegments(path.segments)]
  );
}

/** Merges a draft into another one, if they are the same resource. Returns whether they are. */
function join(base: Draft, draft: Draft, parents: ReadonlySet<string>, search: Search): boolean {
  const difference = differenceOf(base.segments, draft.segments);
  if (difference?.kind !== "narrower") return false;
  const { part } = difference;
  // The parameter belongs to the parent directly above, which is a resource itself. The incompatible packages of a
  // package, `/catalogs/{catalogId}/packages/{packageId}/incompatible`, may be in another catalog.
  if (part.prefix !== keyOfSegments(draft.segments.slice(0, -1)) || !parents.has(part.prefix)) return false;
  for (const { scope, segments, name, parentName, bindings } of [base, draft]) {
    // Each of them has been joined with no other resource, and isn't described by settings.
    if (scope.length > parametersIn(segments).length || name !== undefined || parentName !== undefined) return false;
    if (bindings.every(({ idParameter }) => idParameter === undefined)) return false;
  }
  if (base.id.join() !== draft.id.join()) return false;
  if (search.reader.compare(base.item, draft.item) !== "same") return false;
  const property = findParentId(part, base, search);
  if (property === undefined || !showsItems(base) || !takesParent(base, property, search)) return false;

  base.scope.push({ parameter: part.parameter, property: [property], prefix: part.prefix });
  base.bindings.push(...draft.bindings);
  const path = `/${draft.segments.map(textOf).join("/")}`;
  base.evidence.push(
    ...draft.evidence.filter((sentence) => !base.evidence.includes(sentence)),
    `${path} has the same items: \`${property}\` of an item is {${part.parameter}}.`,
  );
  return true;
}

function textOf(segment: Segment): string {
  return "parameter" in segment ? `{${segment.parameter}}` : segment.literal;
}

/**
 * The property of an item with the parent's id, by its full name: `userId` for `{userId}` or `{id}` below `users`.
 * `undefined` for a part of the name: `principalId` isn't the id of one of the `servicePrincipals`.
 */
function findParentId(part: ScopePart, { item, id }: Draft, { reader }: Search): string | undefined {
  const [property, ...inner] = findScopeProperty(part, item, id, reader) ?? [];
  if (property === undefined || inner.length > 0) return undefined;
  const plain = plainName(property);
  const nouns = nounsOf(part.noun ?? "");
  const [noun] = nouns;
  if (noun === undefined) return undefined;
  // A property that doesn't name the parent, such as `sku` for `{sku}` below `products`, may be the item's own.
  const isNamed = plain.includes(noun) && (plain === plainName(part.parameter) || !nouns.includes(plain));
  return isNamed ? property : undefined;
}

/**
 * Whether a path without the parent lists or reads items. Without such a path, the definition doesn't show that the items
 * of all parents are there.
 */
function showsItems({ bindings }: Draft): boolean {
  return bindings.some(({ kind }) => kind === "list" || kind === "read");
}

/**
 * Whether a request that creates an item without the parent in its path can name the parent in its body. Otherwise
 * such items belong to a parent that the server chooses, or to none.
 */
function takesParent({ bindings }: Draft, property: string, search: Search): boolean {
  return bindings.every(({ kind, exchange: { body }, requestEnvelope = [] }) =>
    kind !== "create" || (body !== undefined && hasProperty(body, [...requestEnvelope, property], search))
  );
}
