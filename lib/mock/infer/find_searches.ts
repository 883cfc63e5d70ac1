/**
 * Binds the paths below a collection that search it or count its items, by GET or by POST (`/pets/findByStatus`,
 * `/pets/search`, `/pets/count`), and the paths whose settings name the collection.
 *
 * @module
 */
import { bindCollectionPath } from "./bind_collection.ts";
import type { Shape } from "./compare_shapes.ts";
import type { Draft, DraftBinding, PathGroup, Search } from "./draft.ts";
import { type Effect, effect, hasProperty, type Items, listInResponse, type Refuse } from "./locate_item.ts";
import type { OperationMessages } from "./message.ts";
import { indexByNoun, nounKey } from "./find_other_scopes.ts";
import { differenceOf, MOST_COMPARED } from "./path_difference.ts";
import { keyOfSegments, parametersIn, type Segment } from "./path_shape.ts";
import { shortName } from "./finish_resources.ts";
import { searchOf } from "../../names/list_names.ts";
import { wordsOf } from "../../names/words.ts";

/** Binds such paths among those that belong to no resource yet. Returns the bound paths. */
export function bindSearches(
  groups: Iterable<PathGroup>,
  drafts: readonly Draft[],
  search: Search,
  refuse: Refuse,
): Set<PathGroup> {
  const collections = drafts.filter(({ isSingleton }) => !isSingleton);
  const byPath = new Map(collections.map((draft) => [keyOfSegments(draft.segments), draft]));
  const byNoun = indexByNoun(collections);
  const byName = new Map(collections.map((draft) => [draft.name ?? shortName(draft.segments), draft]));
  const bound = new Set<PathGroup>();
  for (const group of groups) {
    const { segments } = group.path;
    const last = segments.at(-1);
    const { collection, name } = group.settings ?? {};
    const given = collection !== undefined ? byPath.get(collection) : name !== undefined ? byName.get(name) : undefined;
    const draft = given ?? collectionAt(segments.slice(0, -1), byNoun);
    if (last === undefined || "parameter" in last || draft === undefined) continue;
    const asked = given === undefined ? searchOf(last.literal) : "given";
    if (asked === undefined) continue;
    const items: Items = { item: draft.item, id: draft.id, nouns: [] };
    const effects = effectsOf(group, asked, items, search, refuse);
    if (effects.length === 0) continue;
    for (const found of effects) draft.bindings.push(bindingOf(found, group, draft));
    draft.evidence.push(evidenceOf(effects, given !== undefined));
    bound.add(group);
  }
  return bound;
}

/** The collection at a path, which may be written in the singular: `/pet` for `/pets`. */
function collectionAt(
  segments: readonly Segment[],
  byNoun: ReadonlyMap<string, readonly Draft[]>,
): Draft | undefined {
  const candidates = (byNoun.get(nounKey(segments)) ?? []).slice(0, MOST_COMPARED);
  return candidates.find((draft) => differenceOf(draft.segments, segments)?.kind === "same");
}

function effectsOf(
  group: PathGroup,
  asked: "list" | "count" | "given",
  items: Items,
  search: Search,
  refuse: Refuse,
): Effect[] {
  const others: PathGroup["byMethod"] = new Map();
  const effects = [...group.byMethod.values()].flatMap((exchange): Effect[] => {
    const { method } = exchange.operation;
    if (method !== "GET" && method !== "POST" || exchange.status === undefined) {
      others.set(method, exchange);
      return [];
    }
    const count = asked === "list" ? undefined : countIn(exchange, search);
    if (count !== undefined) return [effect("count", exchange, count)];
    // A list in the request body is rather created than searched for.
    const place = asked === "count" || exchange.body?.kind === "array"
      ? undefined
      : listInResponse(exchange, items, search);
    const agreement = place && search.reader.compare(place.shape, items.item);
    const isList = place !== undefined &&
      (agreement === "same" || asked === "given" ||
        agreement === "similar" && hasProperty(place.shape, items.id, search));
    if (isList) return [effect("list", exchange, place.path, { element: place.element })];
    if (asked === "given") others.set(method, exchange);
    else refuse(exchange, `its response has no ${asked === "count" ? "count" : "list of the collection's items"}`);
    return [];
  });
  // The settings say that the other operations of the path belong to the collection too.
  return asked === "given"
    ? [...effects, ...bindCollectionPath({ ...group, byMethod: others }, items, search, refuse)]
    : effects;
}

/** The keys that lead to a count in a response: a whole number, or one such property named `count` or `total`. */
function countIn({ response }: OperationMessages, { reader }: Search): readonly string[] | undefined {
  if (response === undefined) return undefined;
  if (isWhole(response)) return [];
  const named = [...response.properties].filter(([name, node]) =>
    wordsOf(name.slice(0, 200)).some((word) => word === "count" || word === "total") && isWhole(reader.read(node))
  );
  const [only] = named;
  return only !== undefined && named.length === 1 && response.properties.size <= MOST_BESIDE_COUNT
    ? [only[0]]
    : undefined;
}

/** Limit of the properties of an object that is a count. Larger objects are statistics. */
const MOST_BESIDE_COUNT = 3;

function isWhole({ kind, type }: Shape): boolean {
  return kind === "scalar" && (type === "integer" || type === "number");
}

function bindingOf(found: Effect, { path }: PathGroup, { scope }: Draft): DraftBinding {
  const { kind } = found;
  const parameters = parametersIn(path.segments);
  return {
    ...found,
    idParameter: undefined,
    scopeParameters: kind === "count" || kind === "list" ? parameters : parameters.slice(0, scope.length),
  };
}

function evidenceOf(effects: readonly Effect[], isGiven: boolean): string {
  const [first] = effects;
  const path = first?.exchange.operation.path ?? "";
  if (isGiven) return `${path} has the same items by its settings.`;
  return first?.kind === "count" ? `${path} counts the items.` : `${path} searches the items.`;
}
