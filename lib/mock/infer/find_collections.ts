/**
 * Finds the resources with a collection's path (`/pets`), an item's path (`/pets/{petId}`), or both.
 *
 * @module
 */
import { bindCollectionPath } from "./bind_collection.ts";
import { bindItemPath } from "./bind_item.ts";
import type { Effect, Items, Refuse } from "./locate_item.ts";
import { chooseItem, idParameterOf } from "./choose_item.ts";
import { findIdProperties, isSamePath } from "./id_property.ts";
import type { Draft, DraftBinding, PathGroup, Search } from "./draft.ts";
import { parentGroup } from "./group_paths.ts";
import { nounOf, parametersIn, type Segment } from "./path_shape.ts";
import { findScopeProperty, scopeOf } from "./scope.ts";
import { nounsOf } from "../../names/words.ts";

/** The two paths of a resource, each with its operations. */
interface Paths {
  readonly collection: PathGroup | undefined;
  readonly member: PathGroup | undefined;
  /** The segments of the collection's path, which may have no operations. */
  readonly segments: readonly Segment[];
}

/** Finds the resources with a collection or item path, in definition order. */
export function findCollections(
  search: Search,
  refuse: Refuse,
): Draft[] {
  const drafts: Draft[] = [];
  const done = new Set<PathGroup>();
  for (const group of search.groups.values()) {
    const paths = done.has(group) ? undefined : pathsOf(group, search, done);
    if (paths === undefined) continue;
    const draft = draftOf(paths, search, refuse);
    if (draft === undefined) continue;
    drafts.push(draft);
    for (const path of [paths.collection, paths.member]) if (path !== undefined) done.add(path);
  }
  return drafts;
}

function pathsOf(group: PathGroup, search: Search, done: ReadonlySet<PathGroup>): Paths | undefined {
  const { segments, conditions } = group.path;
  const last = segments.at(-1);
  const named = group.settings?.collection;
  if (last === undefined || ("literal" in last && named !== undefined && named !== group.path.key)) return undefined;
  if ("parameter" in last) {
    const parent = named === undefined ? parentGroup(search.groups, group) : search.groups.get(named);
    const collection = parent !== undefined && done.has(parent) ? undefined : parent;
    const path = named === undefined ? undefined : parent?.path.segments;
    return { collection, member: group, segments: path ?? segments.slice(0, -1) };
  }
  const key = group.path.key.slice(0, group.path.key.length - conditions.length);
  const found = search.groups.get(`${key}/{}${conditions}`);
  const member = found !== undefined && done.has(found) ? undefined : found;
  return { collection: group, member, segments };
}

function draftOf(
  paths: Paths,
  search: Search,
  refuse: Refuse,
): Draft | undefined {
  const { collection, member, segments } = paths;
  const given = member?.settings ?? collection?.settings;
  const noun = given?.name ?? nounOf(segments);
  const groups = [collection, member].filter((group) => group !== undefined);
  const refuseAll = (reason: string): undefined => {
    for (const group of groups) for (const exchange of group.byMethod.values()) refuse(exchange, reason);
  };
  if (noun === undefined) return refuseAll("its path has no name of a collection");
  if (groups.reduce((count, group) => count + group.byMethod.size, 0) < 2) {
    return refuseAll("no other operation reads or changes the same items");
  }
  const parameter = member && idParameterOf(member, search);
  const nouns = nounsOf(noun);
  const chosen = chooseItem(collection, member, parameter, nouns, search, given?.id);
  if (chosen === undefined) {
    return refuseAll(
      parameter === undefined
        ? "no other path has its items, and they have no id"
        : `no property of an item is known to be {${parameter.name}}`,
    );
  }
  const items: Items = { item: chosen.item, id: chosen.id.path, nouns };
  const hasCreate = collection?.byMethod.has("POST") === true;
  const onCollection = collection === undefined ? [] : bindCollectionPath(collection, items, search, refuse);
  const onMember = member === undefined ? [] : bindItemPath(member, items, search, hasCreate, refuse);
  const effects = [...onCollection, ...onMember];
  if (!hasTwoKinds(effects)) {
    for (const { exchange } of effects) refuse(exchange, "no other operation reads or changes the same items");
    return undefined;
  }
  const id = chosen.id.path;
  const named = parameter === undefined ? [] : findIdProperties(parameter, nouns, chosen.item, search.reader);
  const others = named.map(({ path }) => path).filter((path) => !isSamePath(path, id));
  const keys = named.length > 1 ? { keys: [id, ...others] } : {};
  const bindings: DraftBinding[] = [
    ...onCollection.map((effect) => bound(effect, undefined, parametersIn(effect.exchange.path.segments))),
    ...onMember.map((effect) => {
      const parameters = parametersIn(effect.exchange.path.segments);
      return { ...bound(effect, parameters.at(-1), parameters.slice(0, -1)), ...keys };
    }),
  ];
  const scope = scopeOf(segments).map((part) => ({
    parameter: part.parameter,
    property: findScopeProperty(part, chosen.item, chosen.id.path, search.reader),
    prefix: part.prefix,
  }));
  return {
    segments,
    name: given?.name,
    parentName: given?.parent,
    isSingleton: false,
    id: chosen.id.path,
    item: chosen.item,
    scope,
    bindings,
    evidence: [evidenceOfPaths(paths), ...chosen.evidence],
  };
}

/**
 * Whether the operations are of at least two kinds. With a single kind, such as lists only, state would have no effect.
 */
function hasTwoKinds(effects: readonly Effect[]): boolean {
  return new Set(effects.map(({ kind }) => kind)).size >= 2;
}

function bound(effect: Effect, idParameter: string | undefined, scopeParameters: string[]): DraftBinding {
  return { ...effect, idParameter, scopeParameters };
}

function evidenceOfPaths({ collection, member }: Paths): string {
  const nameOf = (group: PathGroup): string => group.byMethod.values().next().value?.operation.path ?? group.path.key;
  if (collection === undefined || member === undefined) {
    const only = collection ?? member;
    const what = collection === undefined ? "one of its items" : "a collection";
    return `${only === undefined ? "" : nameOf(only)} is the path of ${what}.`;
  }
  return `${nameOf(collection)} and ${nameOf(member)} are the paths of a collection and of its items.`;
}
