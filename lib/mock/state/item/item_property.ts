import { type Hints, readHints } from "../../../schema/hints.ts";
import type { Type } from "../../../schema/schema.ts";
import { plainName, singularOf } from "../../../names/words.ts";
import type { ListBinding } from "../list/listing.ts";
import { listedValues } from "../list/query_input.ts";

/** A property of items by which lists filter or sort. */
export interface ItemProperty {
  /** The keys that lead to the property in an item. */
  readonly path: readonly string[];
  /** The types of the property's values or, for arrays, of their elements. Empty for any type. */
  readonly types: ReadonlySet<Type>;
  readonly isArray: boolean;
  /** The values in the property's `enum` or `const`; `undefined` if it has neither. */
  readonly values: readonly unknown[] | undefined;
  readonly format: string | undefined;
}

/** Usual names for the times of creation and change, in lower case without separators. */
const TIMES: Readonly<Record<string, readonly string[]>> = {
  created: [
    ..."created createdat createdon creationdate creationtime createdate createtime datecreated createddate".split(" "),
    ..."timecreated creationtimestamp createdtime createdatetime insertedat".split(" "),
  ],
  updated: [
    ..."updated updatedat updatedon updatedate updatetime dateupdated updateddate modified modifiedat".split(" "),
    ..."lastmodified lastupdated modificationdate updatedtime changed changedat lastmodifiedat".split(" "),
  ],
};

/** Finds the property that a query parameter names, regardless of case and separators: `ownerId` finds `owner_id`. */
export class ItemProperties {
  readonly #hints: Hints;
  readonly #id: readonly string[];
  readonly #idNames: ReadonlySet<string>;
  /** The name of an item, in lower case without separators: `pet`. */
  readonly #noun: string;
  /** The objects whose properties can be named: the item itself, and its `attributes` (JSON:API). */
  readonly #roots: readonly { readonly path: readonly string[]; readonly names: ReadonlyMap<string, string> }[];

  constructor({ resource }: ListBinding) {
    const { schema, document, id, name } = resource;
    this.#hints = readHints(document, schema, "response");
    this.#id = id;
    const noun = singularOf(plainName(name.slice(name.lastIndexOf(".") + 1)));
    this.#noun = noun;
    this.#idNames = new Set(["id", plainName(id.at(-1) ?? "id"), "ids", `${noun}id`, `${noun}ids`]);
    const attributes = this.#hints.propertyNames.has("attributes") ? [["attributes"]] : [];
    this.#roots = [[], ...attributes].map((path) => ({ path, names: namesOf(this.#at(path)) }));
  }

  /** The items' id, if the parameter name stands for the id; else `undefined`. */
  idFor(name: string): ItemProperty | undefined {
    if (this.#id.length === 0 || !this.#idNames.has(plainName(name))) return undefined;
    return this.#describe(this.#id);
  }

  /** Whether a name is that of the items: `pets`, `pet`. */
  isNoun(name: string): boolean {
    return singularOf(plainName(name)) === this.#noun;
  }

  /** The name among others that is that of the items, or the only one that ends so: `workQueues` for `queues`. */
  nounAmong(names: readonly string[]): string | undefined {
    const exact = names.find((name) => this.isNoun(name));
    if (exact !== undefined) return exact;
    const [only, ...more] = names.filter((name) => singularOf(plainName(name)).endsWith(this.#noun));
    return more.length === 0 ? only : undefined;
  }

  isId({ path }: ItemProperty): boolean {
    return path.length === this.#id.length && path.every((key, index) => key === this.#id[index]);
  }

  /**
   * Finds the property that a query parameter names. Names are compared without case and separators. If no property has
   * this name, `owner` also finds `owner_id`, `owner_id` finds `owner`, and `tag` finds the array `tags`.
   *
   * @param tokens The parts of the name: `owner` and `name` for `owner.name`.
   */
  find(tokens: readonly string[]): ItemProperty | undefined {
    for (const root of this.#roots) {
      const path = this.#resolve(root.path, root.names, tokens);
      if (path !== undefined) return this.#describe(path);
    }
    return undefined;
  }

  /**
   * The property with the time at which an item was created or changed: `created` finds `created_at` and `dateCreated`.
   */
  time(name: string): ItemProperty | undefined {
    const plain = plainName(name);
    const group = Object.values(TIMES).find((names) => names.includes(plain));
    for (const other of group ?? []) {
      const found = this.find([other]);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #resolve(
    root: readonly string[],
    names: ReadonlyMap<string, string>,
    tokens: readonly string[],
  ): readonly string[] | undefined {
    const [token, ...rest] = tokens;
    if (token === undefined) return undefined;
    const plain = plainName(token);
    const own = this.#at(root).propertyNames.has(token) ? token : undefined;
    const name = own ?? names.get(plain) ?? names.get(`${plain}id`) ??
      (plain.endsWith("id") && plain.length > 2 ? names.get(plain.slice(0, -2)) : undefined) ??
      this.#arrayOf(root, names.get(`${plain}s`));
    if (name === undefined) return undefined;
    const path = [...root, name];
    return rest.length === 0 ? path : this.#resolve(path, namesOf(this.#at(path)), rest);
  }

  #arrayOf(root: readonly string[], name: string | undefined): string | undefined {
    return name !== undefined && this.#at([...root, name]).types.has("array") ? name : undefined;
  }

  #at(path: readonly string[]): Hints {
    return path.reduce((hints, key) => hints.property(key), this.#hints);
  }

  #describe(path: readonly string[]): ItemProperty {
    const hints = this.#at(path);
    const isArray = hints.types.has("array") && hints.types.size <= 2;
    const { types, schemas } = isArray ? hints.item(0) : hints;
    const format = schemas.find((schema) => schema.format !== undefined)?.format;
    return { path, types, isArray, values: listedValues(schemas), format };
  }
}

function namesOf(hints: Hints): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of hints.propertyNames) if (!names.has(plainName(name))) names.set(plainName(name), name);
  return names;
}
