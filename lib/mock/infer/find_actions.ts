/**
 * Binds paths below an item whose response is the item: actions, such as `POST /orders/{id}/cancel`, and views, such as
 * Kubernetes' `/pods/{name}/status`.
 *
 * @module
 */
import { OTHER_ACTIONS } from "../../names/verb_names.ts";
import type { Refuse } from "./locate_item.ts";
import type { Draft, DraftBinding, PathGroup, Search } from "./draft.ts";
import type { ItemPlace } from "./envelope.ts";
import type { OperationMessages } from "./message.ts";
import { keyOfSegments, parametersIn } from "./path_shape.ts";
import { wordsOf } from "../../names/words.ts";

/** Binds the actions and views of items, among paths that belong to no resource yet. Returns the bound paths. */
export function bindActions(
  groups: Iterable<PathGroup>,
  draftOfMember: ReadonlyMap<string, Draft>,
  search: Search,
  refuse: Refuse,
): Set<PathGroup> {
  const bound = new Set<PathGroup>();
  for (const group of groups) {
    const { segments, conditions } = group.path;
    const last = segments.at(-1);
    const draft = draftOfMember.get(keyOfSegments(segments.slice(0, -1), conditions));
    if (draft === undefined || last === undefined || "parameter" in last) continue;
    const bindings = viewOf(group, draft, search) ?? actionsOf(group, last.literal, draft, search, refuse);
    if (bindings.length === 0) continue;
    draft.bindings.push(...bindings);
    bound.add(group);
  }
  return bound;
}

/**
 * The bindings of a view: GET shows the item, and PUT or PATCH changes parts of it. `undefined` if the path isn't a
 * view.
 */
function viewOf(group: PathGroup, draft: Draft, search: Search): DraftBinding[] | undefined {
  const reading = group.byMethod.get("GET");
  const changes = ["PUT", "PATCH"].flatMap((method) => group.byMethod.get(method) ?? []);
  if (reading === undefined || changes.length === 0) return undefined;
  if ([reading, ...changes].some((exchange) => sameItem(exchange, draft, search) === undefined)) return undefined;
  draft.evidence.push(`${reading.operation.path} reads and changes a part of an item.`);
  return [reading, ...changes].map((exchange) =>
    binding(exchange, exchange === reading ? "read" : "update", sameItem(exchange, draft, search)?.path)
  );
}

function actionsOf(group: PathGroup, name: string, draft: Draft, search: Search, refuse: Refuse): DraftBinding[] {
  return [...group.byMethod.values()].flatMap((exchange): DraftBinding[] => {
    const { method } = exchange.operation;
    if (method === "GET" || method === "HEAD") return [];
    const place = sameItem(exchange, draft, search);
    if (place === undefined || exchange.status === undefined) {
      refuse(exchange, "its response isn't the item whose path it extends");
      return [];
    }
    if (OTHER_ACTIONS.has(verbOf(name)) || group.byMethod.has("GET")) {
      refuse(exchange, `“${name}” may do something else than change the item`);
      return [];
    }
    return [{ ...binding(exchange, "action", place.path), action: name }];
  });
}

/** The first word of an action's name, without an OData namespace (`namespace.Cancel`). */
function verbOf(name: string): string {
  return wordsOf(name.slice(name.lastIndexOf(".") + 1).slice(0, 200))[0] ?? "";
}

function binding(
  exchange: OperationMessages,
  kind: DraftBinding["kind"],
  envelope: readonly string[] | undefined,
): DraftBinding {
  const parameters = parametersIn(exchange.path.segments);
  return {
    kind,
    exchange,
    idParameter: parameters.at(-1),
    scopeParameters: parameters.slice(0, -1),
    envelope,
    element: [],
    requestEnvelope: exchange.hasBody ? [] : undefined,
    createsMissing: false,
  };
}

/** The place of the item in a response. Similar schemas don't count here, since they often describe another object. */
function sameItem({ response }: OperationMessages, { item }: Draft, { places, reader }: Search): ItemPlace | undefined {
  if (response === undefined) return undefined;
  if (reader.compare(response, item) === "same") return { path: [], shape: response, envelopeSize: 0 };
  return places.itemsIn(response).find(({ shape }) => reader.compare(shape, item) === "same");
}
