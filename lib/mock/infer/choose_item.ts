/**
 * Chooses the schema of a collection's items, and their id, from the bodies of the collection's operations.
 *
 * @module
 */
import { child, entries, items, stringOf } from "../../schema/json/node.ts";
import { follow } from "../../schema/json/reference.ts";
import { listResponses } from "../answer/select_response.ts";
import type { PathGroup, Search } from "./draft.ts";
import { isEnvelope, type ItemPlace } from "./envelope.ts";
import { findIdProperties, findOwnId, type IdParameter, type IdProperty } from "./id_property.ts";
import type { OperationMessages } from "./message.ts";
import type { Shape } from "./compare_shapes.ts";

/** The schema of a collection's items, their id, and the evidence for this choice. */
export interface ChosenItem {
  readonly item: Shape;
  readonly id: IdProperty;
  readonly evidence: readonly string[];
}

/**
 * Chooses the schema of a collection's items, and their id.
 *
 * @param collection The operations on the collection's path (`/pets`), if there are any.
 * @param member The operations on an item's path (`/pets/{petId}`), if there are any.
 * @param parameter The path parameter with the id of an item.
 * @param given The keys that lead to the id, if `x-svc.mocking.resource` names them.
 */
export function chooseItem(
  collection: PathGroup | undefined,
  member: PathGroup | undefined,
  parameter: IdParameter | undefined,
  nouns: readonly string[],
  search: Search,
  given: readonly string[] | undefined,
): ChosenItem | undefined {
  const linked = member === undefined ? undefined : linkedId(collection, member, parameter);
  const plain = plainItem(collection, member, search);
  const plainId = plain && idOf(plain);
  if (plain !== undefined && plainId?.id.certainty === "exact") {
    const evidence = [plainId.why, "The list and a single item have the same schema."];
    return { item: plain, id: plainId.id, evidence };
  }
  const shown = candidates(collection, member, search);
  let best: { score: number; chosen: ChosenItem } | undefined;
  for (const place of shown.candidates) {
    const { path, shape } = place;
    if (!isEnvelope(place, nouns)) continue;
    const found = idOf(shape);
    if (found === undefined) continue;
    const agreement = shown.others.map((other) => search.reader.compare(other, shape));
    const same = agreement.filter((value) => value === "same").length;
    const similar = agreement.filter((value) => value === "similar").length;
    const score = (found.id.certainty === "exact" ? 4 : 2) + Math.min(same, 2) * 3 + Math.min(similar, 2) * 1.5 +
      (path.length === 0 ? 1.5 : -0.2 * path.length);
    if (best !== undefined && best.score >= score) continue;
    const like = same > 0 ? [`${same + 1} of the bodies have the same schema.`] : [];
    best = { score, chosen: { item: shape, id: found.id, evidence: [found.why, ...like] } };
  }
  return best?.chosen;

  function idOf(shape: Shape): { id: IdProperty; why: string } | undefined {
    if (given !== undefined) return { id: { path: given, certainty: "exact" }, why: "Its settings name the id." };
    if (linked !== undefined && shape.properties.has(linked)) {
      return { id: { path: [linked], certainty: "exact" }, why: `A link says that \`${linked}\` is the id.` };
    }
    const id = parameter === undefined
      ? findOwnId(nouns, shape, search.reader)
      : findIdProperties(parameter, nouns, shape, search.reader)[0];
    if (id === undefined) return undefined;
    const named = `\`${id.path.join(".")}\``;
    const why = parameter === undefined
      ? `By its name, ${named} is the id of an item.`
      : `{${parameter.name}} ${id.certainty === "exact" ? "is" : "most likely is"} ${named} of an item.`;
    return { id, why };
  }
}

/** The response of GET on an item, if the collection's list has objects of the same schema: the usual case. */
function plainItem(
  collection: PathGroup | undefined,
  member: PathGroup | undefined,
  { places, reader }: Search,
): Shape | undefined {
  const one = member?.byMethod.get("GET")?.response;
  const many = collection?.byMethod.get("GET")?.response;
  if (one === undefined || many === undefined) return undefined;
  return places.listsIn(many).some(({ shape }) => reader.compare(shape, one) === "same") ? one : undefined;
}

/**
 * The objects among which the item is chosen: those in the response of GET on an item, else in the list, else in
 * another body. `others` has the objects of all other bodies, to be compared with the candidates.
 */
function candidates(
  collection: PathGroup | undefined,
  member: PathGroup | undefined,
  { places }: Search,
): { candidates: readonly ItemPlace[]; others: readonly Shape[] } {
  const responseOf = (group: PathGroup | undefined, method: string): readonly ItemPlace[] => {
    const response = group?.byMethod.get(method)?.response;
    return response === undefined ? [] : places.itemsIn(response);
  };
  const listed = collection?.byMethod.get("GET")?.response;
  const lists: readonly ItemPlace[] = listed === undefined ? [] : places.listsIn(listed);
  const sources = [
    responseOf(member, "GET"),
    lists,
    responseOf(collection, "POST"),
    ...["PUT", "PATCH", "POST"].map((method) => responseOf(member, method)),
    ...["PUT", "PATCH"].map((method) => {
      const body = member?.byMethod.get(method)?.body;
      return body === undefined ? [] : places.itemsIn(body);
    }),
  ].filter((source) => source.length > 0);
  const [first = [], ...rest] = sources;
  return { candidates: first, others: rest.flat().map(({ shape }) => shape) };
}

/** The property that a Link Object passes as the id: `id` if the link's parameter is `$response.body#/id`. */
function linkedId(
  collection: PathGroup | undefined,
  member: PathGroup,
  parameter: IdParameter | undefined,
): string | undefined {
  if (parameter === undefined) return undefined;
  const targets = new Set<unknown>();
  for (const { operation } of member.byMethod.values()) {
    const id = stringOf(child(operation.node, "operationId"));
    if (id !== undefined) targets.add(id);
  }
  for (const { operation } of [...collection?.byMethod.values() ?? [], ...member.byMethod.values()]) {
    for (const [, response] of listResponses(operation)) {
      for (const [, link] of entries(child(follow(operation.document, response), "links"))) {
        const node = follow(operation.document, link);
        if (!targets.has(child(node, "operationId").value)) continue;
        const expression = stringOf(child(child(node, "parameters"), parameter.name));
        const property = expression === undefined ? undefined : /^\$response\.body#\/([^/]+)$/.exec(expression)?.[1];
        if (property !== undefined) return property;
      }
    }
  }
  return undefined;
}

/** The path parameter with the id of an item, and the type of its schema. */
export function idParameterOf(member: PathGroup, search: Search): IdParameter | undefined {
  const last = member.path.segments.at(-1);
  const [exchange] = member.byMethod.values();
  if (last === undefined || !("parameter" in last) || exchange === undefined) return undefined;
  return parameterNamed(last.parameter, exchange, search);
}

/** A path parameter of an operation, with the type of its schema. */
export function parameterNamed(name: string, { operation }: OperationMessages, { reader }: Search): IdParameter {
  const { document, node, pathItems } = operation;
  for (const holder of [node, ...pathItems]) {
    for (const written of items(child(holder, "parameters"))) {
      const found = follow(document, written);
      if (child(found, "name").value !== name || child(found, "in").value !== "path") continue;
      const { type, format } = reader.read(child(found, "schema"));
      return { name, type, format };
    }
  }
  return { name, type: undefined, format: undefined };
}
