/**
 * Binds paths that read an item by another property than its id: `/things/name/{name}` and `/things/by-slug/{slug}`
 * beside `/things/{id}`.
 *
 * @module
 */
import { idParameterOf } from "./choose_item.ts";
import type { Draft, PathGroup, Search } from "./draft.ts";
import { findIdProperty } from "./id_property.ts";
import { placeInResponse } from "./locate_item.ts";
import { keyOfSegments, nounOf, parametersIn } from "./path_shape.ts";
import { nounsOf, plainName, wordsOf } from "../../names/words.ts";

/** Binds such paths among those that belong to no resource yet. Returns the bound paths. */
export function bindOtherKeys(groups: Iterable<PathGroup>, drafts: readonly Draft[], search: Search): Set<PathGroup> {
  const bySegments = new Map<string, Draft>();
  for (const draft of drafts) {
    const hasItemPath = draft.bindings.some(({ idParameter }) => idParameter !== undefined);
    if (hasItemPath && !draft.isSingleton) bySegments.set(keyOfSegments(draft.segments), draft);
  }
  const bound = new Set<PathGroup>();
  for (const group of groups) if (bindByProperty(group, bySegments, search)) bound.add(group);
  return bound;
}

function bindByProperty(group: PathGroup, bySegments: ReadonlyMap<string, Draft>, search: Search): boolean {
  const { segments } = group.path;
  const [before, last] = segments.slice(-2);
  const reading = group.byMethod.get("GET");
  if (before === undefined || last === undefined || "parameter" in before || "literal" in last) return false;
  const draft = bySegments.get(keyOfSegments(segments.slice(0, -2)));
  const parameter = idParameterOf(group, search);
  if (draft === undefined || reading?.status === undefined || parameter === undefined) return false;
  const nouns = nounsOf(nounOf(draft.segments) ?? "");
  const [first, ...rest] = wordsOf(before.literal.slice(0, 200));
  const named = first === "by" || first === "with" ? rest.join("") : plainName(before.literal);
  // The literal names the property. The parameter may have another name: `/users/email/{address}`.
  const property = findIdProperty({ ...parameter, name: named }, nouns, draft.item, search.reader);
  if (property?.certainty !== "exact") return false;
  const place = placeInResponse(reading, { item: draft.item, id: draft.id, nouns }, search);
  if (place === undefined || search.reader.compare(place.shape, draft.item) !== "same") return false;
  const parameters = parametersIn(segments);
  draft.bindings.push({
    kind: "read",
    exchange: reading,
    idParameter: parameters.at(-1),
    keys: [property.path],
    scopeParameters: parameters.slice(0, -1),
    envelope: place.path,
    element: [],
    requestEnvelope: undefined,
    createsMissing: false,
  });
  draft.evidence.push(`${reading.operation.path} reads the same items by ${property.path.join(".")}.`);
  return true;
}
