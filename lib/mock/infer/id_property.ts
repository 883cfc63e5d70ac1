/**
 * Finds the property of an item whose value is a path parameter's value: `id` for `petId` of `/pets/{petId}`.
 *
 * @module
 */
import type { Shape } from "./compare_shapes.ts";
import type { ShapeReader } from "./shape.ts";
import { plainName, wordsOf } from "../../names/words.ts";

/** The property of an item that a path parameter refers to. */
export interface IdProperty {
  readonly path: readonly string[];
  /** `exact` if the names of parameter and property agree, `likely` if the property only has one of the usual names. */
  readonly certainty: "exact" | "likely";
}

/** A path parameter with the id of an item. */
export interface IdParameter {
  readonly name: string;
  /** The `type` and `format` of the parameter's schema. */
  readonly type: string | undefined;
  readonly format: string | undefined;
}

/** Names of properties that identify an object, the most usual first. */
const ID_WORDS = [
  "id",
  "uuid",
  "guid",
  "uid",
  "sid",
  "slug",
  "key",
  "login",
  "name",
  "number",
  "code",
  "handle",
  "username",
  "identifier",
  "ref",
  "reference",
  "symbol",
  "token",
  "email",
  "no",
  "num",
  "arn",
  "urn",
  "hash",
  "pk",
  "iban",
  "isbn",
  "ean",
  "sku",
  "sha",
  "path",
  "gid",
] as const;

/** Further property names to try, by the parameter's last word. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  id: ["uuid", "guid", "uid", "gid"],
  identifier: ["id", "uuid", "guid", "uid", "name"],
  username: ["login"],
  uuid: ["id"],
  guid: ["id"],
  uid: ["id"],
  key: ["id"],
  hash: ["id"],
  pk: ["id"],
  ref: ["id", "name"],
  reference: ["id"],
  handle: ["id"],
  token: ["id"],
};

/**
 * Names of objects inside an item that contain its id: Kubernetes' `metadata`, Contentful's `sys`, JSON:API's
 * `attributes`.
 */
const ID_HOLDERS = new Set(["metadata", "meta", "sys", "attributes", "header", "info"]);

/**
 * Finds the properties of an item of which one has a path parameter's value: `id` and `name` for `id_or_name`. The id
 * comes first.
 *
 * @param nouns The possible names of an item, in lower case without separators: `pet`, `pets`.
 */
export function findIdProperties(
  parameter: IdParameter,
  nouns: readonly string[],
  item: Shape,
  reader: ShapeReader,
): IdProperty[] {
  const words = wordsOf(parameter.name);
  const or = words.indexOf("or");
  const names = or <= 0 || or === words.length - 1
    ? [parameter.name]
    : [words.slice(0, or).join("_"), words.slice(or + 1).join("_")].sort((a, b) =>
      Number(b.endsWith("id")) - Number(a.endsWith("id"))
    );
  const find = (name: string): IdProperty | [] => findIdProperty({ ...parameter, name }, nouns, item, reader) ?? [];
  const found = names.flatMap(find);
  if (found.length === 0 && names.length > 1) return [parameter.name].flatMap(find);
  return found.filter(({ path }, index) => found.findIndex((other) => isSamePath(other.path, path)) === index);
}

export function isSamePath(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

/**
 * Finds the property of an item whose value is a path parameter's value.
 *
 * @param nouns The possible names of an item, in lower case without separators: `pet`, `pets`.
 * @returns `undefined` if no property is likely enough.
 */
export function findIdProperty(
  parameter: IdParameter,
  nouns: readonly string[],
  item: Shape,
  reader: ShapeReader,
): IdProperty | undefined {
  const own = findHere(parameter, nouns, item, reader);
  if (own?.certainty === "exact") return own;
  for (const [name, property] of item.properties) {
    if (!ID_HOLDERS.has(name.toLowerCase())) continue;
    const inner = reader.read(property);
    const found = inner.kind === "object" ? findHere(parameter, nouns, inner, reader) : undefined;
    if (found !== undefined && (own === undefined || found.certainty === "exact")) {
      return { ...found, path: [name, ...found.path] };
    }
  }
  return own ?? findInRelation(parameter, item, reader);
}

/** Finds `user.login` for `username`, in an item that contains another object (`{"user": {"login": …}}`). */
function findInRelation({ name }: IdParameter, item: Shape, reader: ShapeReader): IdProperty | undefined {
  const plain = plainName(name);
  for (const [own, property] of reader.namesOf(item)) {
    if (own.length < 3 || !plain.startsWith(own) || own === plain) continue;
    const node = item.properties.get(property);
    const inner = node && reader.read(node);
    if (inner?.kind !== "object") continue;
    const rest = plain.slice(own.length);
    const names = reader.namesOf(inner);
    const key = names.get(rest) ?? names.get(plain) ?? (rest === "name" ? names.get("login") : undefined);
    if (key !== undefined) return { path: [property, key], certainty: "likely" };
  }
  return undefined;
}

function findHere(
  parameter: IdParameter,
  nouns: readonly string[],
  item: Shape,
  { read, namesOf }: ShapeReader,
): IdProperty | undefined {
  const byPlainName = namesOf(item);
  // Microsoft Graph numbers the parameters of one path whose names would be equal: `event-id` and `event-id1`.
  const plain = plainName(parameter.name).replace(/(?<=\D)\d+$/, "");
  const find = (names: readonly string[], isStrict: boolean): string | undefined => {
    for (const name of names) {
      const property = byPlainName.get(name);
      const node = property === undefined ? undefined : item.properties.get(property);
      if (node !== undefined && fits(parameter, read(node), isStrict)) return property;
    }
    return undefined;
  };
  // For the parameter `petId` of `/pets`, the property is `petId` or `id`. For the parameter `id`: `id` or `petId`.
  const isWord = ID_WORDS.some((word) => word === plain);
  const exactNames = [
    plain,
    ...isAzureResource(byPlainName) ? ["name"] : [],
    ...plain === "username" ? ["login"] : [],
    ...afterNoun(plain, nouns),
    ...isWord ? nouns.slice(0, 2).map((noun) => noun + plain) : [],
    // For the parameter `idBoard` of Trello's `/boards`, the property is `id`.
    ...plain.startsWith("id") && nouns.includes(plain.slice(2)) ? ["id"] : [],
  ];
  const exact = find(exactNames, true) ?? find(exactNames, false);
  if (exact !== undefined) return { path: [exact], certainty: "exact" };
  const likely = find(likelyNames(plain, parameter.name, nouns), true);
  return likely === undefined ? undefined : { path: [likely], certainty: "likely" };
}

/** The rest of a name after a noun: `id` for the name `petid` and the noun `pet`. */
function afterNoun(plain: string, nouns: readonly string[]): string[] {
  return nouns.flatMap((noun) =>
    plain.startsWith(noun) && plain.length > noun.length ? [plain.slice(noun.length)] : []
  );
}

/**
 * The usual property names for a parameter that is named after the item (`{pet}`), or whose last word is an id's
 * (`{petKey}`).
 */
function likelyNames(plain: string, written: string, nouns: readonly string[]): string[] {
  const last = wordsOf(written).at(-1)?.replace(/(?<=\D)\d+$/, "") ?? plain;
  // The value of a parameter such as `{user}` is usually the user's id, sometimes the user's name.
  const isNoun = nouns.some((noun) =>
    noun === plain || noun.endsWith(plain) || (plain.length > 3 && noun.startsWith(plain)) ||
    (noun.length > 3 && plain.endsWith(noun))
  );
  if (isNoun) return [...ID_WORDS.slice(0, 13), ...nouns.flatMap((noun) => [`${noun}id`, `${noun}name`, `${noun}key`])];
  const word = ID_WORDS.find((word) => word === last) ??
    ID_WORDS.find((word) => word.length > 1 && plain.endsWith(word));
  if (word === undefined) return [];
  const ids = word === "identifier" ? nouns.map((noun) => `${noun}id`) : [];
  return [word, ...nouns.map((noun) => noun + word), ...ids, ...OTHER_WORDS[word] ?? []];
}

/** Whether an item is an Azure resource. Its `id` is a whole path; path parameters refer to its `name`. */
function isAzureResource(names: ReadonlyMap<string, string>): boolean {
  return ["id", "name", "type", "properties"].every((name) => names.has(name));
}

/** Whether a property can have the parameter's value: a scalar. If strict, both must be numbers or both texts. */
function fits({ type, format }: IdParameter, property: Shape, isStrict: boolean): boolean {
  if (property.kind === "object" || property.kind === "array" || property.type === "boolean") return false;
  if (!isStrict || type === undefined || property.type === undefined) return true;
  const isNumber = isNumeric(type, format);
  return isNumber === isNumeric(property.type, property.format);
}

function isNumeric(type: string, format: string | undefined): boolean {
  return type === "integer" || type === "number" || (type === "string" && /^u?int(?:32|64)$/.test(format ?? ""));
}

/** Finds the property that identifies an item, for a collection without an item's path. */
export function findOwnId(nouns: readonly string[], item: Shape, reader: ShapeReader): IdProperty | undefined {
  for (const name of ["id", "uuid", "guid", "uid", "sid", "key"]) {
    const found = findHere({ name, type: undefined, format: undefined }, nouns, item, reader);
    if (found?.certainty === "exact") return found;
  }
  for (const [name, property] of item.properties) {
    if (!ID_HOLDERS.has(name.toLowerCase())) continue;
    const inner = reader.read(property);
    if (inner.properties.has("id")) return { path: [name, "id"], certainty: "likely" };
  }
  return undefined;
}
