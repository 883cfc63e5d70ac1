/**
 * Binds paths that name an item by another property than its id (`/things/name/{name}` and `/things/by-slug/{slug}`
 * beside `/things/{id}`), and paths of the newest item (`/things/latest`, `/things/{key}/latest`).
 *
 * @module
 */
import { bindItemPath } from "./bind_item.ts";
import { idParameterOf, parameterNamed } from "./choose_item.ts";
import type { Draft, DraftBinding, PathGroup, Search } from "./draft.ts";
import { findIdProperty, type IdParameter, type IdProperty, isSamePath } from "./id_property.ts";
import { type Effect, effect, type Items, placeInResponse, type Refuse } from "./locate_item.ts";
import { keyOfSegments, nounOf, parametersIn } from "./path_shape.ts";
import { isNewest } from "../../names/list_names.ts";
import { nounsOf, plainName, wordsOf } from "../../names/words.ts";

/** Binds such paths among those that belong to no resource yet. Returns the bound paths. */
export function bindOtherKeys(
  groups: Iterable<PathGroup>,
  drafts: readonly Draft[],
  search: Search,
  refuse: Refuse,
): Set<PathGroup> {
  const bySegments = withItemPath(drafts);
  const bound = new Set<PathGroup>();
  for (const group of groups) {
    const found = byProperty(group, bySegments, search, refuse) ?? newest(group, bySegments, search);
    if (found === undefined || found.bindings.length === 0) continue;
    found.draft.bindings.push(...found.bindings);
    found.draft.evidence.push(found.evidence);
    bound.add(group);
  }
  return bound;
}

/**
 * Leaves out the drafts whose only path names the items of another draft by another key: with a PATCH or a DELETE,
 * `/things/name/{name}` looks like a resource of its own.
 */
export function withoutOtherKeys(drafts: readonly Draft[], search: Search): Draft[] {
  const bySegments = withItemPath(drafts);
  return drafts.filter((draft) => {
    const { segments, bindings, item, name, isSingleton } = draft;
    const last = segments.at(-1);
    if (last === undefined || "parameter" in last || name !== undefined || isSingleton) return true;
    const base = bySegments.get(keyOfSegments(segments.slice(0, -1)));
    if (base === undefined || bindings.some(({ idParameter }) => idParameter === undefined)) return true;
    const isSame = search.reader.compare(item, base.item) === "same";
    const parameter = { type: undefined, format: undefined };
    return !isSame || propertyNamed(last.literal, parameter, itemsOf(base), search) === undefined;
  });
}

/** The drafts with a path of single items, by the path of their collection. */
function withItemPath(drafts: readonly Draft[]): ReadonlyMap<string, Draft> {
  const bySegments = new Map<string, Draft>();
  for (const draft of drafts) {
    const hasItemPath = draft.bindings.some(({ idParameter }) => idParameter !== undefined);
    if (hasItemPath && !draft.isSingleton) bySegments.set(keyOfSegments(draft.segments), draft);
  }
  return bySegments;
}

interface Found {
  readonly draft: Draft;
  readonly bindings: readonly DraftBinding[];
  readonly evidence: string;
}

/** The operations of a path whose literal names a property, and whose parameter has its value. */
function byProperty(
  group: PathGroup,
  bySegments: ReadonlyMap<string, Draft>,
  search: Search,
  refuse: Refuse,
): Found | undefined {
  const { segments } = group.path;
  const [before, last] = segments.slice(-2);
  if (before === undefined || last === undefined || "parameter" in before || "literal" in last) return undefined;
  const draft = bySegments.get(keyOfSegments(segments.slice(0, -2)));
  const parameter = idParameterOf(group, search);
  if (draft === undefined || parameter === undefined) return undefined;
  const items = itemsOf(draft);
  const property = propertyNamed(before.literal, parameter, items, search);
  if (property === undefined) return undefined;
  const reading = group.byMethod.get("GET");
  if (reading !== undefined && !showsItem(reading, items, search)) return undefined;
  const effects = bindItemPath(group, items, search, true, refuse);
  const parameters = parametersIn(segments);
  return {
    draft,
    bindings: effects.map((effect) => bindingOf(effect, parameters.at(-1), parameters.slice(0, -1), property.path)),
    evidence: `${pathOf(group)} has the same items by ${property.path.join(".")}.`,
  };
}

/**
 * The property that the literal of a path names exactly. The parameter may have another name: `/users/email/{address}`.
 */
function propertyNamed(
  literal: string,
  parameter: Pick<IdParameter, "type" | "format">,
  { item, nouns }: Items,
  { reader }: Search,
): IdProperty | undefined {
  const [first, ...rest] = wordsOf(literal.slice(0, 200));
  const name = first === "by" || first === "with" ? rest.join("") : plainName(literal);
  const property = findIdProperty({ ...parameter, name }, nouns, item, reader);
  return property?.certainty === "exact" ? property : undefined;
}

/** The GET of the newest item, among all or among those with a value of another property than the id. */
function newest(group: PathGroup, bySegments: ReadonlyMap<string, Draft>, search: Search): Found | undefined {
  const { segments } = group.path;
  const [before, last] = segments.slice(-2);
  const reading = group.byMethod.get("GET");
  if (before === undefined || last === undefined || "parameter" in last || !isNewest(last.literal)) return undefined;
  if (reading === undefined || group.byMethod.size > 1) return undefined;
  const isOfAll = "literal" in before;
  const draft = bySegments.get(keyOfSegments(segments.slice(0, isOfAll ? -1 : -2)));
  if (draft === undefined) return undefined;
  const items = itemsOf(draft);
  const place = showsItem(reading, items, search);
  if (place === undefined) return undefined;
  const shown = effect("read", reading, place.path);
  const parameters = parametersIn(segments);
  const evidence = `${pathOf(group)} reads the newest of the items.`;
  if (isOfAll) return { draft, bindings: [{ ...bindingOf(shown, undefined, parameters), isNewest: true }], evidence };
  const parameter = parameterNamed(before.parameter, reading, search);
  const property = findIdProperty(parameter, items.nouns, draft.item, search.reader);
  // The newest of an item's versions isn't an item of the collection.
  if (property?.certainty !== "exact" || isSamePath(property.path, draft.id)) return undefined;
  return {
    draft,
    bindings: [bindingOf(shown, before.parameter, parameters.slice(0, -1), property.path)],
    evidence,
  };
}

function itemsOf({ item, id, segments }: Draft): Items {
  return { item, id, nouns: nounsOf(nounOf(segments) ?? "") };
}

function showsItem(reading: Effect["exchange"], items: Items, search: Search): ReturnType<typeof placeInResponse> {
  const place = reading.status === undefined ? undefined : placeInResponse(reading, items, search);
  return place !== undefined && search.reader.compare(place.shape, items.item) === "same" ? place : undefined;
}

function bindingOf(
  found: Effect,
  idParameter: string | undefined,
  scopeParameters: string[],
  property?: readonly string[],
): DraftBinding {
  // The server chooses the id, so that no request by another property creates an item.
  const keys = property === undefined ? {} : { keys: [property] };
  return { ...found, idParameter, scopeParameters, createsMissing: false, ...keys };
}

function pathOf({ byMethod, path }: PathGroup): string {
  return byMethod.values().next().value?.operation.path ?? path.key;
}
