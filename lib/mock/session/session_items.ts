/**
 * The items of a session by the names of their resources, for programs that read and change the state.
 *
 * @module
 */
import { suggest } from "../../http/message.ts";
import type { JsonObject } from "../../schema/json/node.ts";
import type { Resource, Resources } from "../infer/resource.ts";
import { textAt } from "../state/store/collection.ts";
import { type NewItem, scopeKey, type ScopePattern } from "../state/item/item.ts";
import { idScope, needsParent } from "../state/item/item_place.ts";
import { levelOf, moveBelow, movesBelow } from "../state/item/items_below.ts";
import type { State } from "../state/store/store.ts";
import { createPartCheck, type ValidatorReader } from "./item_check.ts";
import { writeJson } from "../../schema/json/json.ts";

/** The ids of the parents, outermost first: `["7"]` for the orders of user 7. */
export type ItemScope = readonly string[];

/** How items are stored. */
export interface StoreOptions {
  /** The ids of the parents. Default: taken from the items' properties. */
  readonly scope?: ItemScope;
  /**
   * Whether items with wrong values and undeclared properties are stored too. What a response has no place for is then
   * changed in the response. Default: false.
   */
  readonly fit?: boolean;
}

/** Limits of the faults that an error names, and of the characters of the item that it shows. */
const MOST_FAULTS = 3;
const MOST_SHOWN = 200;

/**
 * The items of a session. Returned values are copies: changing them doesn't change the session.
 *
 * Methods throw a `RangeError` for a resource that no definition has, and for a scope of the wrong length.
 */
export class SessionItems {
  readonly #state: State;
  readonly #resources: () => Resources | undefined;
  readonly #validatorOf: ValidatorReader;

  /**
   * Called by `createMockServer`.
   *
   * @param state The state of the session.
   * @param resources Returns the resources of the definitions; `undefined` if no operation is stateful.
   * @param validatorOf Returns the validator of a definition.
   */
  constructor(state: State, resources: () => Resources | undefined, validatorOf: ValidatorReader) {
    this.#state = state;
    this.#resources = resources;
    this.#validatorOf = validatorOf;
  }

  /** The names of the resources. */
  get resources(): string[] {
    return (this.#resources()?.all ?? []).map(({ name }) => name);
  }

  /**
   * The items of a resource, in the order of their creation.
   *
   * @param scope The ids of the parents. Default: the items of all parents.
   */
  async list(resource: string, scope?: ItemScope): Promise<JsonObject[]> {
    const { name, pattern } = await this.#prepare(resource, scope);
    return Array.from(this.#state.list(name, pattern), ({ value }) => structuredClone(value));
  }

  /**
   * The item with an id; `undefined` if there is none.
   *
   * @param id The id. For a singleton, any text.
   * @param scope The ids of the parents. Default: those of the first item with this id.
   */
  async get(resource: string, id: string | number, scope?: ItemScope): Promise<JsonObject | undefined> {
    const { name, isSingleton, pattern } = await this.#prepare(resource, scope);
    const item = this.#state.get(name, pattern, isSingleton ? "" : String(id));
    return item && structuredClone(item.value);
  }

  /**
   * Adds an item, or replaces the item with its id. Properties may be missing: a response that requires them has
   * generated ones.
   *
   * @param place The ids of the parents, or options. Default: the parents are taken from the item's properties.
   * @throws {RangeError} If the item has no id, its parents aren't known, or it has a wrong value or an undeclared
   * property.
   * @throws {StateFullError} If the item would exceed a limit.
   */
  async put(resource: string, value: JsonObject, place: ItemScope | StoreOptions = {}): Promise<void> {
    const { scope, fit } = optionsOf(place);
    const { name, ...found } = await this.#prepare(resource, scope);
    if (!fit) await this.#check(found.resource, [value]);
    const item = newItem(found.resource, value, scope);
    const all = this.#resources()?.all ?? [];
    for (const child of all) if (levelOf(child, found.resource) !== -1) await this.#state.prepare(child.name);
    const old = this.#state.get(name, idScope(found.resource, item.scope), item.key);
    if (old === undefined || scopeKey(old.scope) === scopeKey(item.scope)) return void this.#state.put(name, item);
    // Where ids are unique among all parents, the item moves to its new parent, with the items below it.
    this.#state.attempt(() => {
      this.#state.put(name, item);
      for (const move of movesBelow(all, found.resource, old, item)) moveBelow(this.#state, move);
      this.#state.delete(name, old.scope, old.key);
    });
  }

  /**
   * Replaces all items of a resource. If one of the new items can't be stored, nothing changes.
   *
   * @param place The ids of the parents of all these items, or options. Default: the parents are taken from the items'
   * properties.
   * @throws {RangeError} If an item has no id, its parents aren't known, or it has a wrong value or an undeclared
   * property.
   * @throws {StateFullError} If the items would exceed a limit.
   */
  async replace(
    resource: string,
    values: readonly JsonObject[],
    place: ItemScope | StoreOptions = {},
  ): Promise<void> {
    const { scope, fit } = optionsOf(place);
    const { name, ...found } = await this.#prepare(resource, scope);
    if (!fit) await this.#check(found.resource, values);
    this.#state.replace(name, values.map((value) => newItem(found.resource, value, scope)));
  }

  /** Deletes the item with an id. Returns whether it existed. */
  async delete(resource: string, id: string | number, scope?: ItemScope): Promise<boolean> {
    const { name, isSingleton, pattern } = await this.#prepare(resource, scope);
    const item = this.#state.get(name, pattern, isSingleton ? "" : String(id));
    return item !== undefined && this.#state.delete(name, item.scope, item.key);
  }

  async #check(resource: Resource, values: readonly JsonObject[]): Promise<void> {
    const check = await createPartCheck(resource, this.#validatorOf);
    for (const value of values) {
      const faults = check(value);
      if (faults.length === 0) continue;
      const told = faults.slice(0, MOST_FAULTS).map(({ message }) => message).join("; ");
      const more = faults.length > MOST_FAULTS ? ` (and ${faults.length - MOST_FAULTS} more)` : "";
      const shown = writeJson(value).slice(0, MOST_SHOWN);
      throw new RangeError(
        `The item ${shown} of ${resource.name} doesn't fit its schema: ${told}${more}. With {fit: true} it is stored, ` +
          "and responses that show it are made valid.",
      );
    }
  }

  async #prepare(
    written: string,
    scope: ItemScope | undefined,
  ): Promise<{ resource: Resource; name: string; isSingleton: boolean; pattern: ScopePattern }> {
    const resource = this.#resources()?.all.find(({ name }) => name === written);
    if (resource === undefined) throw new RangeError(unknownResource(written, this.resources));
    const { name, isSingleton } = resource;
    if (scope !== undefined && scope.length !== resource.scope.length) {
      throw new RangeError(wrongScope(resource, scope));
    }
    await this.#state.prepare(name);
    return { resource, name, isSingleton, pattern: scope ?? resource.scope.map(() => undefined) };
  }
}

function optionsOf(place: ItemScope | StoreOptions): { scope: ItemScope | undefined; fit: boolean } {
  if (isScope(place)) return { scope: place, fit: false };
  return { scope: place.scope, fit: place.fit === true };
}

function isScope(place: ItemScope | StoreOptions): place is ItemScope {
  return Array.isArray(place);
}

function newItem(resource: Resource, value: JsonObject, scope: ItemScope | undefined): NewItem {
  const key = resource.isSingleton ? "" : textAt({ value }, resource.id);
  if (key === undefined) {
    throw new RangeError(`An item of ${resource.name} has its id in ${resource.id.join(".")}, and this one has none.`);
  }
  const own = scope ?? resource.scope.map(({ parameter, property }, index) => {
    const text = property && textAt({ value }, property);
    // The item has a path without this parent, so it may have none.
    if (text === undefined && property !== undefined && !needsParent(resource, index)) return "";
    if (text === undefined) {
      throw new RangeError(`Which ${parameter} does the item of ${resource.name} belong to? Give its scope.`);
    }
    return text;
  });
  return { key, scope: own, value: structuredClone(value) };
}

function unknownResource(written: string, names: readonly string[]): string {
  const [nearest] = suggest(written, names);
  const advice = nearest === undefined ? `There are ${names.join(", ") || "none"}.` : `Did you mean ${nearest}?`;
  return `There is no resource ${writeJson(written)}. ${advice}`;
}

function wrongScope({ name, scope }: Resource, given: ItemScope): string {
  const parameters = scope.map(({ parameter }) => parameter);
  const wanted = parameters.length === 0 ? "no scope" : `a scope of ${parameters.length}: ${parameters.join(", ")}`;
  return `${name} has ${wanted}, and not ${given.length}.`;
}
