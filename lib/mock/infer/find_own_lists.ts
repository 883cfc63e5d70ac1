/**
 * Binds lists of the items that belong to the caller (`/user/repos`, `/me/orders`), and the only list of a resource whose
 * collection has no path of its own (`/user/repos` beside `/repos/{owner}/{repo}`). An item that a list shows can then be
 * read by its own path. All callers are one: such a list has the items of all parents.
 *
 * @module
 */
import type { Draft, PathGroup, Search } from "./draft.ts";
import { effect, listInResponse } from "./locate_item.ts";
import { nounOf, type Segment } from "./path_shape.ts";
import { isCaller } from "../../names/list_names.ts";
import { plainName, singularOf } from "../../names/words.ts";

/** Binds such lists among the paths that belong to no resource yet. Returns the bound paths. */
export function bindOwnLists(groups: Iterable<PathGroup>, drafts: readonly Draft[], search: Search): Set<PathGroup> {
  const readable = drafts.filter(({ isSingleton, bindings }) =>
    !isSingleton && bindings.some(({ kind, idParameter }) => kind === "read" && idParameter !== undefined)
  );
  const byNoun = Map.groupBy(readable, ({ segments }) => nounKey(nounOf(segments)));
  const bound = new Set<PathGroup>();
  for (const group of groups) {
    const { segments } = group.path;
    const reading = group.byMethod.get("GET");
    if (reading?.status === undefined || segments.some((segment) => "parameter" in segment)) continue;
    const [draft, ...others] = byNoun.get(nounKey(nounOf(segments))) ?? [];
    if (draft === undefined || others.length > 0) continue;
    if (!isOfCaller(segments) && draft.bindings.some(({ kind }) => kind === "list")) continue;
    const place = listInResponse(reading, { item: draft.item, id: draft.id, nouns: [] }, search);
    if (place === undefined || search.reader.compare(place.shape, draft.item) !== "same") continue;
    const listed = effect("list", reading, place.path, { element: place.element });
    draft.bindings.push({ ...listed, idParameter: undefined, scopeParameters: [] });
    draft.evidence.push(`${reading.operation.path} lists the same items.`);
    bound.add(group);
  }
  return bound;
}

function nounKey(noun: string | undefined): string {
  return singularOf(plainName(noun ?? ""));
}

/** Whether a path is below the caller: `/user/repos`, `/v1/me/orders`. */
function isOfCaller(segments: readonly Segment[]): boolean {
  const before = segments.at(-2);
  return before !== undefined && "literal" in before && isCaller(before.literal);
}
