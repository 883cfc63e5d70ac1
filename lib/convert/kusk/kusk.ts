/**
 * Converts a definition with the extension `x-kusk` of Kusk Gateway into one with `x-svc`. All other parts of the
 * definition's text stay as they are.
 *
 * @module
 */
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { writeJson } from "../../schema/json/json.ts";
import { formatPointer } from "../../schema/json/pointer.ts";
import type { Source } from "../../schema/json/source.ts";
import { METHODS } from "../../openapi/operation.ts";
import type { Conversion, Leftover } from "../conversion.ts";
import { convertKuskSettings, type KuskLevel } from "./kusk_settings.ts";
import { applyEdits, type KeyEdit } from "./key_edit.ts";
import { editYaml } from "./yaml_edit.ts";

const KUSK = "x-kusk";
const GW = "x-svc";

/** Tells whether a text is a definition with Kusk's extension `x-kusk`. */
export function isKusk({ value }: Source): boolean {
  return isObject(value) && listExtensions(value).length > 0;
}

export async function convertKusk(source: Source): Promise<Conversion> {
  const { value } = source;
  const leftovers: Leftover[] = [];
  const edits = (isObject(value) ? listExtensions(value) : []).flatMap(({ path, level, owner }): KeyEdit[] => {
    const context = { pointer: formatPointer([...path, KUSK]), leftovers };
    if (owner[GW] !== undefined) {
      leftovers.push({
        ...context,
        message: "An x-svc stands beside it: move what it lacks there by hand.",
        atKey: true,
      });
      return [];
    }
    return [{ path, key: KUSK, to: GW, value: convertKuskSettings(owner[KUSK], level, context) }];
  });
  leftovers.push(...mergedCors(value));
  return { text: await edited(source, edits), leftovers };
}

interface Extension {
  /** The keys that lead from the root of the definition to the object that has the extension. */
  path: string[];
  level: KuskLevel;
  owner: JsonObject;
}

/** Lists the objects of a definition that have the extension `x-kusk`: the root, path items and operations. */
function listExtensions(root: JsonObject): Extension[] {
  const owners: Extension[] = [{ path: [], level: "root", owner: root }];
  for (const [path, item] of objectsIn(root["paths"])) {
    owners.push({ path: ["paths", path], level: "path", owner: item });
    for (const [method, operation] of objectsIn(item)) {
      if (isMethod(method)) owners.push({ path: ["paths", path, method], level: "operation", owner: operation });
    }
  }
  return owners.filter(({ owner }) => owner[KUSK] !== undefined);
}

function objectsIn(value: unknown): [string, JsonObject][] {
  return isObject(value)
    ? Object.entries(value).filter((entry): entry is [string, JsonObject] => isObject(entry[1]))
    : [];
}

/**
 * The keys of `cors` that gw supports. A definition may have many other keys, which gw refuses and this conversion
 * ignores.
 */
const CORS_KEYS = ["origins", "methods", "headers", "expose_headers", "credentials", "max_age"];

/**
 * Reports each inner `cors` without some key of an outer `cors`. An inner `cors` replaces the outer one as a whole in
 * Kusk, but is merged with it in gw, so the conversion changes its meaning.
 */
function mergedCors(root: unknown): Leftover[] {
  if (!isObject(root)) return [];
  const keysAt = new Map<string, string[]>();
  return listExtensions(root).flatMap(({ path, owner }) => {
    const { cors } = isObject(owner[KUSK]) ? owner[KUSK] : {};
    if (!isObject(cors)) return [];
    keysAt.set(formatPointer(path), CORS_KEYS.filter((key) => cors[key] !== undefined));
    const outer = path.length === 0 ? [] : [[], path.slice(0, 2)].filter(({ length }) => length < path.length)
      .flatMap((tokens) => keysAt.get(formatPointer(tokens)) ?? []);
    const added = [...new Set(outer)].filter((key) => cors[key] === undefined);
    if (added.length === 0) return [];
    return [{
      pointer: formatPointer([...path, KUSK, "cors"]),
      atKey: true,
      message:
        `Kusk drops the outer cors here; gw merges the two field by field, so ${added.join(", ")} of the outer ` +
        `one ${added.length === 1 ? "holds" : "hold"} here too. Write what is meant into this cors.`,
    }];
  });
}

/** Applies the edits to the text of the definition. YAML keeps its comments and layout; JSON is formatted anew. */
async function edited(source: Source, edits: readonly KeyEdit[]): Promise<string> {
  if (!source.isJson) return await editYaml(source.text(), source.value, edits);
  return `${writeJson(applyEdits(source.value, edits), 2)}\n`;
}

function isMethod(key: string): boolean {
  return METHODS.some((method) => method === key);
}
