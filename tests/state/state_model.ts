import type { Binding, Resource } from "../../lib/mock/infer/resource.ts";
import type { Document } from "../../lib/openapi/document.ts";
import { child, items, type Node } from "../../lib/schema/node.ts";
import { follow } from "../../lib/schema/reference.ts";
import type { PathValues } from "./random_request.ts";

/** A request to a bound operation, and its answer. */
export interface Call {
  readonly binding: Binding;
  readonly pathValues: PathValues;
  readonly query: string;
  /** The value of the request's body. */
  readonly sent: unknown;
  readonly status: number;
  /** The value of the answer's body. */
  readonly received: unknown;
}

/** An item that the model knows. */
export interface KnownItem {
  readonly scope: readonly string[];
  readonly id: string;
  readonly isDeleted: boolean;
  /** Whether a request created it. */
  readonly isCreated: boolean;
  /** The item as it was answered last; `undefined` where that isn't known. */
  readonly value: unknown;
}

/**
 * A naive model of the state of an API: the items that requests created, saw, changed and deleted. It shares no code
 * with what answers, and knows of a resource only where its id and its items are.
 */
export class StateModel {
  readonly #items = new Map<Resource, Map<string, KnownItem>>();

  /** The items of a resource that are known. */
  itemsOf(resource: Resource): KnownItem[] {
    return [...this.#items.get(resource)?.values() ?? []];
  }

  /** Takes note of a call, and tells what is wrong with its answer, as sentences. */
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

  /** The scope of the only known item with an id, where the path doesn't say all of the scope. */
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
      // Deleting or changing may be refused for other reasons.
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
    // A text of the path may not fit the schema of the id, and then lists show another.
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
    // Without an id in the answer, the new item may have another than the client sent, if that was taken.
    if (shown === undefined) this.#forgetDeleted(resource, scope);
    const id = shown ?? textOf(valueAt(sentItem(binding, sent), resource.id));
    if (id === undefined) return [];
    const subject = `${resource.name} ${JSON.stringify([...scope, id])}`;
    this.#set(resource, { scope, id, isDeleted: false, isCreated: true, value: item });
    return unkept(call, sentItem(binding, sent), item, subject);
  }

  #observeList(call: Call): string[] {
    const { binding: { resource, envelope, element }, status, received, query } = call;
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
    // A list that isn't filtered and not longer than a page has all items.
    if (query !== "" || listed.length >= SHORT_LIST || ids.size < listed.length) return found;
    for (const { scope: where, id, isDeleted, isCreated } of this.itemsOf(resource)) {
      if (!isDeleted && isCreated && keyOf(where, "") === keyOf(scope, "") && !ids.has(id)) {
        found.push(`the list of ${resource.name} lacks ${id}, which was created`);
      }
    }
    return found;
  }

  /** Whether a property may hold an item of another resource, which may change by itself. */
  #isResource(name: string): boolean {
    return [...this.#items.keys()].some((resource) => resource.name.split(".").at(-1)?.startsWith(name));
  }

  /** An item whose id nobody was told may have any id. */
  #forgetDeleted(resource: Resource, scope: readonly string[]): void {
    const items = this.#items.get(resource);
    for (const [key, item] of items ?? []) {
      if (item.isDeleted && keyOf(item.scope, "") === keyOf(scope, "")) items?.delete(key);
    }
  }

  /** Children die with their parent. */
  #deleteChildren(parent: Resource, place: readonly string[]): void {
    for (const [resource, items] of this.#items) {
      const index = resource.scope.findIndex((scope) => scope.parent === parent);
      if (index === -1) continue;
      for (const [key, item] of items) {
        if (item.isDeleted || item.scope[index] !== place.at(-1)) continue;
        // Where the child's path doesn't say the parent's own place, another parent may be meant.
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

/** Ids that begin so were never given to an item. */
export const UNKNOWN_ID = "unknown-";

/** Lists that have fewer items are taken for whole. */
const SHORT_LIST = 10;

function keyOf(scope: readonly string[], id: string): string {
  return JSON.stringify([...scope, id]);
}

/** The values of the scope; `undefined` where the operation spans several. */
function scopeOf({ binding: { scopeParameters }, pathValues }: Call): string[] | undefined {
  const scope = scopeParameters.map((name) => name === undefined ? undefined : pathValues.get(name));
  return scope.every((value) => value !== undefined) ? scope : undefined;
}

function sentItem({ requestEnvelope }: Binding, sent: unknown): unknown {
  return requestEnvelope === undefined ? undefined : itemAt(sent, requestEnvelope);
}

/** The value at some keys; arrays on the way stand for their first element. */
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

/** The fields of a request that its answer has with another value, as sentences. */
function unkept({ binding: { resource, kind } }: Call, sent: unknown, item: unknown, subject: string): string[] {
  if (!isObject(sent) || !isObject(item)) return [];
  return Object.entries(sent).flatMap(([name, value]) => {
    // The path says these, and `readOnly` properties stay.
    const isPlace = [resource.id, ...resource.scope.map(({ property }) => property)].some((keys) => keys?.[0] === name);
    if (isPlace || isReadOnly(resource.document, resource.schema, name)) return [];
    if (!isScalar(value) || value === null || !Object.hasOwn(item, name)) return [];
    const kept = item[name];
    if (kept === value || typeof kept !== typeof value) return [];
    return [`${kind} of ${subject}: ${name} was sent as ${JSON.stringify(value)}, and is ${JSON.stringify(kept)}`];
  });
}

/** Whether a property is `readOnly`, by the schema or one that it is made of. */
function isReadOnly(document: Document, written: Node, name: string, depth = 0): boolean {
  if (depth > 8) return false;
  const schema = follow(document, written);
  const property = child(child(schema, "properties"), name);
  return (property.value !== undefined && child(follow(document, property), "readOnly").value === true) ||
    items(child(schema, "allOf")).some((member) => isReadOnly(document, member, name, depth + 1));
}

/** The first scalar that two values have at the same place and that differs. */
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
