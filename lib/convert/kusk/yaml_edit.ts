/**
 * Edits keys of a YAML text. The rest of the text, with its comments and layout, stays as it is.
 *
 * @module
 */
import { isMap, isScalar, LineCounter, type Pair, parseDocument, stringify, type YAMLMap } from "yaml";
import { isEqual } from "../../schema/json/equal.ts";
import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { readSource } from "../../openapi/text/source.ts";
import { applyEdits, type KeyEdit } from "./key_edit.ts";

/** The replacement of a part of a text. `start` and `end` are offsets. */
interface Change {
  start: number;
  end: number;
  text: string;
}

const STYLE = { lineWidth: 0, aliasDuplicateObjects: false } as const;
const FLOW_STYLE = { ...STYLE, collectionStyle: "flow" } as const;
/**
 * The widest margin of a block, in columns. Beyond it, values are written in flow style: each line of a block would
 * consist mostly of its margin.
 */
const WIDEST_MARGIN = 200;

/**
 * Edits a YAML text.
 *
 * @param value The value of the text.
 * @returns The edited text. If the text has aliases or an unusual layout, it is written from its value, without
 * comments.
 */
export async function editYaml(text: string, value: unknown, edits: readonly KeyEdit[]): Promise<string> {
  const want = applyEdits(value, edits);
  const lines = new LineCounter();
  // Keys are known to be unique, since the text was parsed before. With `uniqueKeys`, the library would compare each
  // key of a mapping with all keys before it, in quadratic time.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: false });
  const columnOf = (offset: number): number => lines.linePos(offset).col - 1;
  const pairOf = createPairIndex();
  const changes = edits.flatMap((edit) => {
    const owner = edit.path.reduce<unknown>((map, key) => pairOf(map, key)?.value, document.contents);
    const pair = pairOf(owner, edit.key);
    if (pair === undefined) return [];
    return isMap(owner) && owner.flow === true
      ? [flowReplacement(text, pair, edit)]
      : changesOf(text, pair, edit, columnOf);
  });
  const edited = withChanges(text, changes);
  // The replacements don't work for every layout. If the edited text has another value than intended, the text is
  // written anew from the intended value, without comments.
  const { source, diagnostics } = await readSource("edited", edited);
  return diagnostics.length === 0 && isEqual(source.value, want) ? edited : stringify(want, STYLE);
}

function withChanges(text: string, changes: readonly Change[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const change of changes.toSorted((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, change.start), change.text);
    at = change.end;
  }
  return [...pieces, text.slice(at)].join("");
}

/** Lists the replacements for one edit: of the key, and of those fields of its value that differ. */
function changesOf(text: string, pair: Pair, edit: KeyEdit, columnOf: (offset: number) => number): Change[] {
  const [start = 0, end = 0] = rangeOf(pair.key) ?? [];
  const rename = { start, end, text: edit.to };
  const inside = changesInside(text, pair, edit.value, columnOf);
  return inside === undefined ? [replacement(text, pair, { [edit.to]: edit.value }, columnOf)] : [rename, ...inside];
}

/**
 * Lists the replacements within a pair's value, so that comments in it stay; `undefined` if the pair has to be replaced
 * as a whole.
 */
function changesInside(
  text: string,
  { value: map }: Pair,
  after: unknown,
  columnOf: (offset: number) => number,
): Change[] | undefined {
  const before = isMap(map) ? map.toJSON() as unknown : isScalar(map) ? map.value : undefined;
  if (isEqual(before, after)) return [];
  if (!isMap(map) || map.flow === true || !isObject(before) || !isObject(after)) return undefined;
  if (!Object.keys(before).some((key) => after[key] !== undefined)) return undefined;
  const added = Object.entries(after).filter(([key]) => before[key] === undefined);
  const last = map.items.at(-1);
  return map.items.flatMap((field): Change[] => {
    const key = isScalar(field.key) ? String(field.key.value) : "";
    const more = field === last ? added : [];
    if (after[key] === undefined) {
      return more.length === 0
        ? [removal(text, field)]
        : [replacement(text, field, Object.fromEntries(more), columnOf)];
    }
    const inside = changesInside(text, field, after[key], columnOf) ??
      [replacement(text, field, { [key]: after[key] }, columnOf)];
    return more.length === 0 ? inside : [...inside, addition(text, field, Object.fromEntries(more), columnOf)];
  });
}

/** Inserts pairs in the line after a pair. */
function addition(text: string, pair: Pair, value: JsonObject, columnOf: (offset: number) => number): Change {
  const at = lineEnd(text, pair);
  const column = columnOf(rangeOf(pair.key)?.[0] ?? 0);
  return { start: at, end: at, text: `\n${" ".repeat(column)}${blockAt(column, value)}` };
}

/** Removes a pair with all its lines. */
function removal(text: string, pair: Pair): Change {
  const [start = 0] = rangeOf(pair.key) ?? [];
  return { start: text.lastIndexOf("\n", start) + 1, end: Math.min(text.length, lineEnd(text, pair) + 1), text: "" };
}

/** Returns the offset of the end of the line in which a pair ends. A comment may follow the pair in that line. */
function lineEnd(text: string, pair: Pair): number {
  const end = text.indexOf("\n", endOf(text, pair));
  return end === -1 ? text.length : end;
}

/** Replaces a pair by others. A comment after the pair stays. */
function replacement(text: string, pair: Pair, value: JsonObject, columnOf: (offset: number) => number): Change {
  const [start = 0] = rangeOf(pair.key) ?? [];
  return { start, end: endOf(text, pair), text: blockAt(columnOf(start), value) };
}

/**
 * Writes pairs as a block at a column. Its first line has no margin, because it replaces a text that is indented
 * already.
 */
function blockAt(column: number, value: JsonObject): string {
  const lines = column > WIDEST_MARGIN
    ? Object.entries(value).map(([key, item]) => `${key}: ${stringify(item, FLOW_STYLE).trimEnd()}`)
    : stringify(value, STYLE).trimEnd().split("\n");
  return lines.join(`\n${" ".repeat(column)}`);
}

/** Returns the offset after the last character of a pair. The parser's range may include white space after the pair. */
function endOf(text: string, { key, value }: Pair): number {
  const [, end = 0] = rangeOf(value) ?? rangeOf(key) ?? [];
  return text.slice(0, end).trimEnd().length;
}

/**
 * Replaces a pair of a flow mapping by its new name and value, in the same line. A block in a flow mapping would be
 * invalid, and each of its lines would get the column of the pair as its margin.
 */
function flowReplacement(text: string, pair: Pair, { to, value }: KeyEdit): Change {
  const [start = 0] = rangeOf(pair.key) ?? [];
  return { start, end: endOf(text, pair), text: `${to}: ${stringify(value, FLOW_STYLE).trimEnd()}` };
}

/** Makes a function that finds the pair of a key in a mapping. The first search in a mapping makes an index of it. */
function createPairIndex(): (map: unknown, key: string) => Pair | undefined {
  const indexes = new Map<YAMLMap, Map<unknown, Pair>>();
  return (map, key) => {
    if (!isMap(map)) return undefined;
    const index = indexes.get(map) ??
      new Map(map.items.map((pair) => [isScalar(pair.key) ? pair.key.value : pair, pair]));
    indexes.set(map, index);
    return index.get(key);
  };
}

function rangeOf(node: unknown): readonly number[] | undefined {
  return isObject(node) && Array.isArray(node["range"]) ? node["range"] : undefined;
}
