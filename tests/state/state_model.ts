import type { Binding, Resource } from "../../lib/mock/infer/resource.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { child, items, type Node } from "../../lib/schema/json/node.ts";
import { follow } from "../../lib/schema/json/reference.ts";
import type { PathValues } from "./random_request.ts";

/** A request to a bound operation, and its response. */
export interface Call {
  readonly binding: Binding;
  readonly pathValues: PathValues;
  readonly query: string;
  /** The decoded body of the request. */
  readonly sent: unknown;
  readonly status: number;
  /** The decoded body of the response. */
  readonly received: unknown;
}

/** An item that a response has shown, or whose creation was answered. */
export interface KnownItem {
  readonly scope: readonly string[];
  readonly id: string;
  readonly isDeleted: boolean;
  /** Whether a request created the item; initial items weren't. */
  readonly isCreated: boolean;
  /** The item as the last response showed it; `undefined` if none did. */
  readonly value: unknown;
}

/**
 * A naive model of a stateful API: which items its requests created, changed and deleted. It shares no code with gw's
 * state. From the inference it uses the bindings, and where ids and items are in bodies.
 */
export class StateModel {
  readonly #items = new Map<Resource, Map<string, KnownItem>>();

  /** The known items of a resource, deleted ones included. */
  itemsOf(resource: Resource): KnownItem[] {
    return [...this.#items.get(resource)?.values() ?? []];
  }

  /** Updates the model with a call. Returns the faults of its answer, as sentences. */
  observe(call: Call): string[] {
    const { resource, kind } = call.binding;
    const scope = scopeOf(call);
    if (resource.isSingleton) return scope === undefined ? [] : this.#observeItem(call, scope, "");
    switch (kind) {
      case "list":
        return this.#observeList(call);
      case "create":
        return this.#observeCreate(call);
      default:
        return this.#observeKnown(call);
    }
  }

  #observeKnown(call: Call): string[] {
    const { binding: { idParameter } } = call;
    const id = idParameter === undefined ? undefined : call.pathValues.get(idParameter);
    if (id === undefined) return [];
    const scope = scopeOf(call) ?? this.#onlyScopeOf(call, id);
    return scope === undefined ? [] : this.#observeItem(call, scope, id);
  }

  /** Finds the scope of an item if the path doesn't give all of it: that of the only known item with this id. */
  #onlyScopeOf(
    { binding: { resource, scopeParameters }, pathValues }: Call,
    id: string,
  ): readonly string[] | undefined {
    const [item, ...others] = this.itemsOf(resource).filter((item) =>
      item.id === id &&
      scopeParameters.every((name, index) => name === undefined || item.scope[index] === pathValues.get(name))
    );
    return others.length === 0 ? item?.scope : undefined;
  }

  #observeItem(call: Call, scope: readonly string[], id: string): string[] {
    const { binding: { resource, kind, createsMissing, envelope }, status, received, sent } = call;
    const known = this.#get(resource, scope, id);
    const subject = `${resource.name} ${JSON.stringify([...scope, id])}`;
    if (status >= 400) {
      // Only 404 and 410 contradict the model. Other refusals of a change may have other reasons.
      const isMissed = known?.isDeleted === false && known.isCreated && (status === 404 || status === 410);
      return isMissed ? [`${kind} of ${subject}, which is there, is answered with ${status}`] : [];
    }
    const mayCreate = createsMissing || kind === "replace" || kind === "action" || resource.isSingleton;
    const found = known?.isDeleted === true && !mayCreate
      ? [`${kind} of ${subject}, which was deleted, is answered with ${status}`]
      : id.startsWith(UNKNOWN_ID) && known === undefined && !mayCreate
      ? [`${kind} of ${subject}, which was never there, is answered with ${status}`]
      : [];
    if (kind === "delete") {
      this.#set(resource, { scope, id, isDeleted: true, isCreated: true, value: undefined });
      this.#deleteChildren(resource, [...scope, id]);
      return found;
    }
    const item = envelope === undefined ? undefined : itemAt(received, envelope);
    if (kind === "read" && item !== undefined && known?.value !== undefined) {
      const difference = differenceOf(known.value, item, "", (name) => this.#isResource(name));
      if (difference !== undefined) found.push(`${subject} reads other than it was answered before: ${difference}`);
    }
    if ((kind === "replace" || kind === "update") && item !== undefined) {
      found.push(...unkept(call, sentItem(call.binding, sent), item, subject));
    }
    // The text in the path may be invalid as an id. Then the response shows the item with another id.
    const shown = textOf(valueAt(item, resource.id));
    const isCreated = (known?.isCreated === true || kind === "replace") && (shown === undefined || shown === id);
    this.#set(resource, { scope, id, isDeleted: false, isCreated, value: item });
    return found;
  }

  #observeCreate(call: Call): string[] {
    const { binding, status, received, sent } = call;
    const { resource, envelope } = binding;
    const scope = scopeOf(call);
    if (status >= 400 || status < 200) return [];
    const item = envelope === undefined ? undefined : itemAt(received, envelope);
    if (scope === undefined) return [];
    const shown = textOf(valueAt(item, resource.id));
    // If the response shows no id, the new item may have any id, even that of a deleted item.
    if (shown === undefined) this.#forgetDeleted(resource, scope);
    const id = shown ?? textOf(valueAt(sentItem(binding, sent), resource.id));
    if (id === undefined) return [];
    const subject = `${resource.name} ${JSON.stringify([...scope, id])}`;
    this.#set(resource, { scope, id, isDeleted: false, isCreated: true, value: item });
    return unkept(call, sentItem(binding, sent), item, subject);
  }

  #observeList(call: Call): string[] {
    const { binding: { resource, envelope, element }, status, received, query, sent } = call;
    const scope = scopeOf(call);
    const listed = envelope === undefined ? undefined : itemAt(received, envelope);
    if (status >= 400 || scope === undefined || !Array.isArray(listed)) return [];
    const found: string[] = [];
    const ids = new Set<string>();
    for (const one of listed) {
      const id = textOf(valueAt(itemAt(one, element), resource.id));
      if (id === undefined) continue;
      ids.add(id);
      const known = this.#get(resource, scope, id);
      if (known?.isDeleted) found.push(`the list of ${resource.name} has ${id}, which was deleted`);
      if (known === undefined) {
        this.#set(resource, { scope, id, isDeleted: false, isCreated: false, value: undefined });
      }
    }
    // An unfiltered list that is shorter than a page must contain all items. The body of a search by POST filters too.
    if (query !== "" || sent !== undefined || listed.length >= SHORT_LIST || ids.size < listed.length) return found;
    for (const { scope: where, id, isDeleted, isCreated } of this.itemsOf(resource)) {
      if (!isDeleted && isCreated && keyOf(where, "") === keyOf(scope, "") && !ids.has(id)) {
        found.push(`the list of ${resource.name} lacks ${id}, which was created`);
      }
    }
    return found;
  }

  /** Tells whether a property may contain an item of another resource, which may have changed meanwhile. */
  #isResource(name: string): boolean {
    return [...this.#items.keys()].some((resource) => resource.name.split(".").at(-1)?.startsWith(name));
  }

  /** Forgets the deleted items of a scope: a new item whose id isn't known may have one of their ids. */
  #forgetDeleted(resource: Resource, scope: readonly string[]): void {
    const items = this.#items.get(resource);
    for (const [key, item] of items ?? []) {
      if (item.isDeleted && keyOf(item.scope, "") === keyOf(scope, "")) items?.delete(key);
    }
  }

  /** Marks the items in the scope of a deleted parent as deleted. */
  #deleteChildren(parent: Resource, place: readonly string[]): void {
    for (const [resource, items] of this.#items) {
      const index = resource.scope.findIndex((scope) => scope.parent === parent);
      if (index === -1) continue;
      for (const [key, item] of items) {
        if (item.isDeleted || item.scope[index] !== place.at(-1)) continue;
        // If the scope isn't exactly the parent's scope and id, the item may belong to another parent. Then forget it.
        if (index + 1 !== place.length) items.delete(key);
        else if (keyOf(item.scope.slice(0, index + 1), "") === keyOf(place, "")) {
          this.#set(resource, { ...item, isDeleted: true, value: undefined });
        }
      }
    }
  }

  #get(resource: Resource, scope: readonly string[], id: string): KnownItem | undefined {
    return this.#items.get(resource)?.get(keyOf(scope, id));
  }

  #set(resource: Resource, item: KnownItem): void {
    let items = this.#items.get(resource);
    if (items === undefined) this.#items.set(resource, items = new Map());
    items.set(keyOf(item.scope, item.id), item);
  }
}

/** Ids with this prefix are never used for an item. */
export const UNKNOWN_ID = "unknown-";

/** A list with fewer items counts as complete. */
const SHORT_LIST = 10;

function keyOf(scope: readonly string[], id: string): string {
  return JSON.stringify([...scope, id]);
}

/** The values of the resource's scope; `undefined` if the path doesn't give all of them. */
function scopeOf({ binding: { scopeParameters }, pathValues }: Call): string[] | undefined {
  const scope = scopeParameters.map((name) => name === undefined ? undefined : pathValues.get(name));
  return scope.every((value) => value !== undefined) ? scope : undefined;
}

function sentItem({ requestEnvelope }: Binding, sent: unknown): unknown {
  return requestEnvelope === undefined ? undefined : itemAt(sent, requestEnvelope);
}

/** The value at a path of keys; `undefined` if there is none. */
function valueAt(value: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (inner, key) => isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined,
    value,
  );
}

function itemAt(value: unknown, keys: readonly string[]): unknown {
  return valueAt(value, keys);
}

function textOf(id: unknown): string | undefined {
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** The properties that a request sent and whose values differ in the response, as sentences. */
function unkept({ binding: { resource, kind } }: Call, sent: unknown, item: unknown, subject: string): string[] {
  if (!isObject(sent) || !isObject(item)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    // The path determines these properties, and requests can't change `readOnly` properties. So neither must keep the
    // sent value.
    const isPlace = [resource.id, ...resource.scope.map(({ property }) => property)].some((keys) => keys?.[0] === name);
    if (isPlace || isReadOnly(resource.document, resource.schema, name)) return [];
    if (!isScalar(value) || value === null || !Object.hasOwn(item, name)) return [];
    const kept = item[name];
    if (kept === value || typeof kept !== typeof value) return [];
    return [`${kind} of ${subject}: ${name} was sent as ${JSON.stringify(value)}, and is ${JSON.stringify(kept)}`];
  });
}

/** Tells whether a schema, or a schema in its `allOf`, declares a property `readOnly`. */
function isReadOnly(document: Document, written: Node, name: string, depth = 0): boolean {
  if (depth > 8) return false;
  const schema = follow(document, written);
  const property = child(child(schema, "properties"), name);
  return (property.value !== undefined && child(follow(document, property), "readOnly").value === true) ||
    items(child(schema, "allOf")).some((member) => isReadOnly(document, member, name, depth + 1));
}

/** The first scalar in which two values differ, as a sentence; `undefined` if there is none. */
function differenceOf(
  before: unknown,
  after: unknown,
  path: string,
  isSkipped: (name: string) => boolean,
): string | undefined {
  if (isObject(before) && isObject(after)) {
    for (const [name, value] of Object.entries(before)) {
      if (!Object.hasOwn(after, name) || (isObject(value) && isSkipped(name))) continue;
      const difference = differenceOf(value, after[name], `${path}/${name}`, isSkipped);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (!isScalar(before) || !isScalar(after) || typeof before !== typeof after || before === after) return undefined;
  return `${path} was ${JSON.stringify(before)} and is ${JSON.stringify(after)}`;
}

function isScalar(value: unknown): boolean {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
