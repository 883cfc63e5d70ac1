import type { Hints } from "../schema/hints.ts";
import { type Text, textObject } from "./text_value.ts";

/**
 * A value that fields with nested names make up (`a[b][c]`, `a[]`, `a.b`): leaves, or members and items. A leaf is a
 * text or a part of a multipart body.
 */
export class NestedValue<Leaf> {
  #leaves: Leaf[] | undefined;
  #members: Map<string, NestedValue<Leaf>> | undefined;
  #items: NestedValue<Leaf>[] | undefined;

  /** Whether nothing was inserted. */
  get isEmpty(): boolean {
    return this.#leaves === undefined && this.#members === undefined && this.#items === undefined;
  }

  /**
   * Inserts a leaf. An empty token appends an item. But if more tokens follow (`a[][b]`), the leaf goes into the last
   * item unless that item has a value at the same place, as in Rack.
   */
  insert(tokens: readonly string[], leaf: Leaf): void {
    const [token, ...rest] = tokens;
    if (token === undefined) (this.#leaves ??= []).push(leaf);
    else (token === "" ? this.#itemFor(rest) : this.#member(token)).insert(rest, leaf);
  }

  #member(name: string): NestedValue<Leaf> {
    const members = this.#members ??= new Map();
    let member = members.get(name);
    if (member === undefined) members.set(name, member = new NestedValue());
    return member;
  }

  #itemFor(rest: readonly string[]): NestedValue<Leaf> {
    const items = this.#items ??= [];
    const last = items.at(-1);
    if (last !== undefined && rest.length > 0 && !last.#has(rest)) return last;
    const item = new NestedValue<Leaf>();
    items.push(item);
    return item;
  }

  /** Whether there is a value at a place; a list always has room for another item. */
  #has([token, ...rest]: readonly string[]): boolean {
    if (token === undefined) return true;
    const member = token === "" ? undefined : this.#members?.get(token);
    return member !== undefined && member.#has(rest);
  }

  /** The members and items at any depth that aren't nested further, each with the hints about its value. */
  *leaves(hints: Hints): Iterable<[Leaf, Hints]> {
    if (this.#members !== undefined || this.#items !== undefined) {
      for (const { value, hints: own } of this.#parts(hints)) yield* value.leaves(own);
      return;
    }
    const leaves = this.#leaves ?? [];
    const isList = leaves.length > 1 || hints.types.has("array");
    for (const [index, leaf] of leaves.entries()) yield [leaf, isList ? hints.item(index) : hints];
  }

  /** The value as a text without types. An object whose names are indices may still be read as a list. */
  toText(hints: Hints, read: (leaves: readonly Leaf[], hints: Hints) => Text): Text {
    if (this.#members === undefined && this.#items === undefined) return read(this.#leaves ?? [], hints);
    const parts = this.#parts(hints).map(({ name, value, hints }) => [name, value.toText(hints, read)] as const);
    return this.#members === undefined || this.#items !== undefined && this.#isList(hints)
      ? parts.map(([, text]) => text)
      : textObject(parts);
  }

  /** The items, or the members. Indices only order items, so that a large index takes no memory. */
  #parts(hints: Hints): { name: string; value: NestedValue<Leaf>; hints: Hints }[] {
    const isList = this.#isList(hints);
    const members = [...this.#members ?? []];
    if (isList) members.sort(([a], [b]) => Number(a) - Number(b));
    const items = (this.#items ?? []).map((item, index) => [String(members.length + index), item] as const);
    return [...members, ...items].map(([name, value], index) => ({
      name,
      value,
      hints: isList ? hints.item(index) : hints.property(name),
    }));
  }

  /**
   * Whether the value is a list: all items were appended, or all names are indices and the schema allows an array but
   * no object.
   */
  #isList({ types }: Hints): boolean {
    if (this.#members === undefined) return true;
    return types.has("array") && !types.has("object") &&
      [...this.#members.keys()].every((name) => /^[0-9]+$/.test(name));
  }
}
