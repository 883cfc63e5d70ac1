import type { Document } from "../../openapi/document.ts";
import type { Operation } from "../../openapi/operation.ts";
import type { Refuse } from "./locate_item.ts";
import type { Draft, PathGroup, Search } from "./draft.ts";
import { createPlaceFinder } from "./envelope.ts";
import { bindActions } from "./find_actions.ts";
import { findCollections } from "./find_collections.ts";
import { bindOtherKeys, withoutOtherKeys } from "./find_other_keys.ts";
import { bindOtherPaths, indexByNoun, joinDrafts } from "./find_other_scopes.ts";
import { bindOwnLists } from "./find_own_lists.ts";
import { bindSearches } from "./find_searches.ts";
import { findSingletons } from "./find_singletons.ts";
import { groupPaths } from "./group_paths.ts";
import { joinItemPaths } from "./join_item_paths.ts";
import type { OperationMessages } from "./message.ts";
import { keyOfSegments } from "./path_shape.ts";
import type { Binding, Resource, Resources, UnboundOperation } from "./resource.ts";
import { createNamer, finishResources } from "./finish_resources.ts";
import { createShapeReader } from "./shape.ts";

/**
 * Binds the operations of definitions to the resources that they create, read, change and delete. An operation with an
 * uncertain effect isn't bound.
 *
 * @param documents The definitions that a server answers together.
 */
export function inferResources(documents: readonly Document[]): Resources {
  const nameResource = createNamer();
  const found = documents.map((document) => ({ document, ...inferIn(document, nameResource) }));
  const bindings = new Map(found.map(({ document, bound }) => [document, bound]));
  return {
    all: found.flatMap(({ resources }) => resources),
    unbound: found.flatMap(({ unbound }) => unbound),
    bindingOf: (operation) => bindings.get(operation.document)?.get(keyOf(operation)),
  };
}

interface Found {
  readonly resources: readonly Resource[];
  /** The bindings by {@linkcode keyOf} their operation. */
  readonly bound: ReadonlyMap<string, Binding>;
  readonly unbound: readonly UnboundOperation[];
}

/** The key of an operation. Each caller lists the operations anew, so their objects differ. */
function keyOf({ method, path }: Operation): string {
  return `${method} ${path}`;
}

function inferIn(document: Document, nameResource: ReturnType<typeof createNamer>): Found {
  const reader = createShapeReader(document);
  const { operations, groups, refused } = groupPaths(document, reader);
  const search: Search = { reader, places: createPlaceFinder(reader), groups };
  const reasons = new Map(refused.map(({ operation, reason }) => [keyOf(operation), reason]));
  const refuse: Refuse = ({ operation }: OperationMessages, reason) => reasons.set(keyOf(operation), reason);

  const collections = withoutOtherKeys(findCollections(search, refuse), search);
  const drafts = joinDrafts(joinItemPaths(collections, search), search);
  const left = new Set(groups.values());
  removeBound(left, drafts);
  for (const group of bindActions(left, byItemPath(drafts), search, refuse)) left.delete(group);
  for (const group of bindOtherPaths(left, indexByNoun(drafts), search, refuse)) left.delete(group);
  for (const group of bindSearches(left, drafts, search, refuse)) left.delete(group);
  for (const group of bindOtherKeys(left, drafts, search, refuse)) left.delete(group);
  for (const group of bindOwnLists(left, drafts, search)) left.delete(group);
  drafts.push(...findSingletons(left, search, refuse));

  const resources = finishResources(document, drafts, nameResource);
  const bound = new Map(
    resources.flatMap(({ bindings }) => bindings.map((binding) => [keyOf(binding.operation), binding])),
  );
  const unbound = operations.filter((operation) => !bound.has(keyOf(operation))).map((operation) => {
    const reason = reasons.get(keyOf(operation)) ?? "no resource has its path";
    return { operation, reason: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.` };
  });
  return { resources, bound, unbound };
}

function removeBound(groups: Set<PathGroup>, drafts: readonly Draft[]): void {
  const bound = new Set(drafts.flatMap(({ bindings }) => bindings.map(({ exchange }) => exchange.path)));
  for (const group of groups) if (bound.has(group.path)) groups.delete(group);
}

function byItemPath(drafts: readonly Draft[]): Map<string, Draft> {
  const found = new Map<string, Draft>();
  for (const draft of drafts) {
    for (const { idParameter, exchange: { path } } of draft.bindings) {
      if (idParameter !== undefined) found.set(keyOfSegments(path.segments, path.conditions), draft);
    }
  }
  return found;
}
