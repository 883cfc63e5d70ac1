import type { Hints } from "../schema/hints.ts";
import { type Text, textObject } from "./text_value.ts";

/**
 * The tree that fields with nested names (`a[b][c]`, `a[]`, `a.b`) make up: objects, arrays and leaves. A leaf is the
 * text of a field, or a part of a multipart body.
 */
export class NestedValue<Leaf> {
  #leaves: Leaf[] | undefined;
  #members: Map<string, NestedValue<Leaf>> | undefined;
  #items: NestedValue<Leaf>[] | undefined;

  get isEmpty(): boolean {
    return this.#leaves === undefined && this.#members === undefined && this.#items === undefined;
  }

  /**
   * Inserts a leaf at the place that tokens lead to. An empty token appends an item. If more tokens follow it
   * (`a[][b]`), the leaf goes into the last item, unless that item has a leaf at the same place: then it begins another
   * item, as in Rack.
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

  /** Whether a leaf is at the place that tokens lead to. An empty token leads to a new item, so there is no leaf. */
  #has([token, ...rest]: readonly string[]): boolean {
    if (token === undefined) return true;
    const member = token === "" ? undefined : this.#members?.get(token);
    return member !== undefined && member.#has(rest);
  }

  /** Lists the leaves at any depth, each with the hints for its value. */
  *leaves(hints: Hints): Iterable<[Leaf, Hints]> {
    if (this.#members !== undefined || this.#items !== undefined) {
      for (const { value, hints: own } of this.#parts(hints)) yield* value.leaves(own);
      return;
    }
    const leaves = this.#leaves ?? [];
    const isList = leaves.length > 1 || hints.types.has("array");
    for (const [index, leaf] of leaves.entries()) yield [leaf, isList ? hints.item(index) : hints];
  }

  /**
   * Converts the tree to an untyped value. An object whose names are indexes stays an object, which `toValue` may read
   * as an array.
   */
  toText(hints: Hints, read: (leaves: readonly Leaf[], hints: Hints) => Text): Text {
    if (this.#members === undefined && this.#items === undefined) return read(this.#leaves ?? [], hints);
    const parts = this.#parts(hints).map(({ name, value, hints }) => [name, value.toText(hints, read)] as const);
    return this.#members === undefined || this.#items !== undefined && this.#isList(hints)
      ? parts.map(([, text]) => text)
      : textObject(parts);
  }

  /**
   * The items or members of this node. Indexes only determine the order of items: `a[1000000000]=1` makes an array of
   * one item and takes no memory.
   */
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
   * Whether this node is an array: all items were appended, or all names are indexes and the schema allows an array but
   * no object.
   */
  #isList({ types }: Hints): boolean {
    if (this.#members === undefined) return true;
    return types.has("array") && !types.has("object") &&
      [...this.#members.keys()].every((name) => /^[0-9]+$/.test(name));
  }
}
