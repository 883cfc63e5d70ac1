/**
 * Finds resources with one item and no id: `/settings`, `/users/{userId}/preferences`.
 *
 * @module
 */
import { ACTION_VERBS } from "../../names/verb_names.ts";
import type { Operation } from "../../openapi/operation.ts";
import { listParameters } from "../../openapi/parameter.ts";
import type { Effect, Refuse } from "./locate_item.ts";
import type { Draft, PathGroup, Search } from "./draft.ts";
import { isEnvelope, itemIn, type ItemPlace } from "./envelope.ts";
import type { OperationMessages } from "./message.ts";
import { nounOf, parametersIn } from "./path_shape.ts";
import type { BindingKind } from "./resource.ts";
import type { Shape } from "./compare_shapes.ts";
import { findScopeProperty, scopeOf } from "./scope.ts";
import { nounsOf, wordsOf } from "../../names/words.ts";

const WHOLE_BODY: readonly string[] = [];

export function findSingletons(groups: Iterable<PathGroup>, search: Search, refuse: Refuse): Draft[] {
  return [...groups].flatMap((group) => singletonOf(group, search, refuse) ?? []);
}

function singletonOf(group: PathGroup, search: Search, refuse: Refuse): Draft | undefined {
  const { segments } = group.path;
  const last = segments.at(-1);
  const reading = group.byMethod.get("GET");
  if (last === undefined || "parameter" in last || reading?.response === undefined) return undefined;
  const verb = wordsOf(last.literal.slice(0, 200)).find((word) => ACTION_VERBS.has(word));
  if (verb !== undefined) {
    for (const exchange of group.byMethod.values()) {
      refuse(exchange, `“${verb}” in its path names an action`);
    }
    return undefined;
  }
  const place = itemOf(group, reading, search);
  if (place === undefined) return undefined;
  const chooser = [...group.byMethod.values()].find(({ operation }) => choosesByQuery(operation));
  if (chooser !== undefined) {
    for (const exchange of group.byMethod.values()) refuse(exchange, "a query parameter chooses the item");
    return undefined;
  }
  const effects = [...group.byMethod.values()].flatMap((exchange) => {
    const effect = effectOf(exchange, place, group, search);
    if (typeof effect !== "string") return [effect];
    refuse(exchange, effect);
    return [];
  });
  if (effects.length < 2) {
    refuse(reading, "no other operation changes the object that it reads");
    return undefined;
  }
  return {
    segments,
    name: undefined,
    parentName: undefined,
    isSingleton: true,
    id: [],
    item: place.shape,
    scope: scopeOf(segments).map((part) => ({
      parameter: part.parameter,
      property: findScopeProperty(part, place.shape, WHOLE_BODY, search.reader),
      prefix: part.prefix,
    })),
    bindings: effects.map((effect) => ({
      ...effect,
      idParameter: undefined,
      scopeParameters: parametersIn(effect.exchange.path.segments),
    })),
    evidence: [`${reading.operation.path} is read and changed as a whole.`],
  };
}

/** Whether an operation requires a query parameter that chooses an item, such as Jira's `accountId`. */
function choosesByQuery(operation: Operation): boolean {
  return listParameters(operation).some(({ name, in: location, required }) =>
    location === "query" && required && /(?:id|name|key|uuid|slug|email|code)$/i.test(name) &&
    !/^(?:api|app|access|subscription)?[-_.]?(?:key|token)$/i.test(name)
  );
}

/** The object in the response of GET that the other operations of the path change. */
function itemOf(group: PathGroup, reading: OperationMessages, { places, reader }: Search): ItemPlace | undefined {
  const { response } = reading;
  if (response === undefined || response.kind !== "object" || reading.status === undefined) return undefined;
  if (group.byMethod.size < 2) return undefined;
  if (places.isPage(response)) return undefined;
  const nouns = nounsOf(nounOf(group.path.segments) ?? "");
  const found = places.itemsIn(response).filter((place) => isEnvelope(place, nouns));
  const changed: Shape[] = [];
  for (const method of ["PUT", "PATCH", "POST"]) {
    const exchange = group.byMethod.get(method);
    if (exchange === undefined) continue;
    const bodies = [exchange.response, exchange.body].flatMap((shape) =>
      shape === undefined ? [] : places.itemsIn(shape)
    );
    changed.push(...bodies.map(({ shape }) => shape));
  }
  for (const wanted of ["same", "similar"]) {
    const place = found.find(({ shape }) => changed.some((other) => reader.compare(shape, other) === wanted));
    if (place !== undefined) return place;
  }
  // A PATCH body may have only a few of the item's properties, so it suffices that 60 % of its properties are
  // properties of the item.
  const whole = found[0];
  const isPatched = changed.some((other) =>
    whole !== undefined && other.properties.size > 0 &&
    reader.sharedWith(other, whole.shape) >= other.properties.size * 0.6
  );
  if (isPatched || (changed.length === 0 && group.byMethod.has("DELETE"))) return whole;
  return undefined;
}

const KINDS: Readonly<Record<string, BindingKind>> = {
  GET: "read",
  PUT: "replace",
  PATCH: "update",
  POST: "update",
  DELETE: "delete",
};

/** The effect of an operation on a singleton, or the reason why the operation isn't bound. */
function effectOf(exchange: OperationMessages, item: ItemPlace, group: PathGroup, search: Search): Effect | string {
  const { operation: { method }, status, response, body, hasBody } = exchange;
  const { reader, places } = search;
  const nouns = nounsOf(nounOf(group.path.segments) ?? "");
  const kind = KINDS[method];
  if (status === undefined) return "it has no response with an exact 2xx code";
  if (kind === undefined) return `${method} has no fixed meaning here`;
  const shown = response && itemIn(response, { item: item.shape, nouns }, places, reader);
  const base = {
    exchange,
    envelope: shown?.path,
    element: WHOLE_BODY,
    requestEnvelope: undefined,
    createsMissing: false,
  };
  if (kind === "read" || kind === "delete") return { ...base, kind, ...kind === "read" ? { envelope: item.path } : {} };
  const taken = body && itemIn(body, { item: item.shape, nouns }, places, reader);
  const isPart = body !== undefined && body.properties.size > 0 &&
    reader.sharedWith(body, item.shape) >= body.properties.size * 0.6;
  if (!hasBody) return "it has no request body";
  if (taken === undefined && !isPart) return "its body isn't similar to the object that GET shows";
  const isCreate = method === "POST" && (group.byMethod.has("PUT") || group.byMethod.has("PATCH") || status === 201);
  return {
    ...base,
    kind: isCreate ? "create" : kind,
    requestEnvelope: taken?.path ?? WHOLE_BODY,
    createsMissing: kind === "replace" || exchange.declaresCreated,
  };
}
