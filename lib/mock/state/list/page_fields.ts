import type { Hints } from "../../../schema/hints.ts";
import type { Type } from "../../../schema/schema.ts";
import {
  countRoleOf,
  LINK_CURSORS,
  LINK_URLS,
  PAGE_CONTAINERS,
  PAGE_CURSORS,
  PAGE_HEADER_FLAGS,
  PAGE_URLS,
  type PageRole,
} from "../../../names/page_names.ts";
import { flagRoleOf } from "../../../names/page_flags.ts";
import { plainName } from "../../../names/words.ts";

/** A property of the response's body that describes the page. */
export interface PageField {
  readonly path: readonly string[];
  readonly role: PageRole;
  readonly types: ReadonlySet<Type>;
  readonly absence: Absence;
}

/** How a body represents a page field without a value, such as the next page after the last. */
export interface Absence {
  /** The keys that lead to the property, or to the containing object that is left out. */
  readonly path: readonly string[];
  /** The value there; `undefined` if the property or object is left out. */
  readonly value: null | undefined | "" | 0;
}

/** Limit of the nesting of page fields below the envelope. */
const MOST_DEPTH = 3;
const MOST_FIELDS = 500;

/**
 * Finds the properties of a response's body that describe the page.
 *
 * @param body The schema of the body.
 * @param envelope The keys that lead to the list of items. Each object on this path is searched.
 */
export function findPageFields(body: Hints, envelope: readonly string[]): PageField[] {
  const fields: PageField[] = [];
  for (const [index, key] of envelope.entries()) {
    const hints = envelope.slice(0, index).reduce((at, outer) => at.property(outer), body);
    collect(fields, hints, { path: envelope.slice(0, index), except: key, depth: 0, absence: undefined });
  }
  return withCounts(fields);
}

/** An object of the body whose properties are searched. */
interface Place {
  readonly path: readonly string[];
  /** The property that is or contains the list of items, and isn't searched. */
  readonly except?: string;
  readonly depth: number;
  /** How the body represents the absence of this object. */
  readonly absence: Absence | undefined;
}

function collect(fields: PageField[], hints: Hints, { path, except, depth, absence }: Place): void {
  const parent = depth > 0 ? plainName(path.at(-1) ?? "") : "";
  for (const name of hints.propertyNames) {
    if (name === except || fields.length >= MOST_FIELDS) continue;
    const property = hints.property(name);
    const { types } = property;
    const own = absenceOf([...path, name], types, hints.required.has(name));
    const role = roleOf(name, property, parent);
    if (role !== undefined) {
      // A link object without a URL is left out whole: `next: {href}`.
      const isLeftOut = relationOf(parent) !== undefined && absence !== undefined && absence.value !== "";
      fields.push({ path: [...path, name], types, role, absence: isLeftOut ? absence : own });
    } else if (isContainer(property) && depth < MOST_DEPTH && PAGE_CONTAINERS.has(plainName(name))) {
      collect(fields, property, { path: [...path, name], depth: depth + 1, absence: own });
    }
  }
}

/** Whether a property is an object. One branch of an `anyOf` may allow anything: `anyOf: [{properties: …}, {}]`. */
function isContainer({ types, propertyNames }: Hints): boolean {
  return types.has("object") || types.size === 0 && propertyNames.size > 0;
}

function absenceOf(path: readonly string[], types: ReadonlySet<Type>, isRequired: boolean): Absence {
  if (types.has("null")) return { path, value: null };
  if (!isRequired) return { path, value: undefined };
  return { path, value: types.has("integer") || types.has("number") ? 0 : "" };
}

/** The role of a property, by its name and type; `parent` is the name of the object that contains it. */
function roleOf(name: string, property: Hints, parent: string): PageRole | undefined {
  const { types, schemas } = property;
  const plain = plainName(name);
  const inLink = relationOf(parent);
  const isText = types.has("string");
  if (isContainer(property)) return undefined;
  if (inLink !== undefined && LINK_URLS.has(plain) && isText) return `${inLink}Url`;
  if ((inLink === "next" || inLink === "previous") && LINK_CURSORS.has(plain) && isText) return `${inLink}Cursor`;
  if (types.has("boolean") && types.size <= 2) return flagRoleOf(name);
  if (types.has("integer") || types.has("number")) return countRoleOf(name)?.role;
  if (!isText) return undefined;
  const isUrl = schemas.some(({ format }) => /^(?:uri|url|iri)/.test(format ?? ""));
  const role = isUrl ? PAGE_URLS.get(plain) : PAGE_URLS.get(plain) ?? PAGE_CURSORS.get(plain);
  if (role !== undefined) return role;
  // Totals may be texts: Google's APIs write int64 as a string.
  return schemas.some(({ format }) => /^u?int/.test(format ?? "")) ? countRoleOf(name)?.role : undefined;
}

function relationOf(parent: string): "next" | "previous" | "first" | "last" | "self" | undefined {
  switch (parent) {
    case "next":
    case "first":
    case "last":
    case "self":
      return parent;
    case "prev":
    case "previous":
      return "previous";
    default:
      return undefined;
  }
}

/**
 * `count` is the number of items on the page if another property is the total; else `count` is the total. A count of
 * something that a name calls otherwise, such as `likes_count`, is the total only if no other property is.
 */
function withCounts(fields: readonly PageField[]): PageField[] {
  const nameOf = ({ path }: PageField): string => path.at(-1) ?? "";
  const isCount = (field: PageField): boolean => field.role === "total" && plainName(nameOf(field)) === "count";
  const isSure = (field: PageField): boolean => field.role !== "total" || countRoleOf(nameOf(field))?.isSure !== false;
  const hasTotal = fields.some((field) => field.role === "total" && isSure(field) && !isCount(field));
  const sure = hasTotal ? fields.filter(isSure) : fields;
  return sure.map((field) => hasTotal && isCount(field) ? { ...field, role: "count" } : field);
}

/**
 * The role of a response header, by its name: `x-total-count`. `Link` and `Content-Range` have no role, since they
 * combine several values.
 */
export function headerRoleOf(name: string): PageRole | undefined {
  const bare = name.toLowerCase().replace(/^x-/, "").replace(/^(?:pagination|paging)-/, "");
  const plain = plainName(bare);
  const counted = countRoleOf(bare);
  return PAGE_HEADER_FLAGS.get(plain) ?? (counted?.isSure === true ? counted.role : undefined) ??
    PAGE_CURSORS.get(plain);
}
