/**
 * Finds the offsets of values in a YAML text.
 *
 * @module
 */
import { type Event, EVENT_ID, getScalarValue, parseEvents } from "js-yaml";
import { escapeToken } from "../../schema/json/pointer.ts";
import type { Place } from "../../schema/json/source.ts";
import { lastStart, type Offsets, type PointerTree, pointerTree, setOffsets } from "./position.ts";

/** A text as the events of the YAML parser. */
interface Parsed extends Offsets {
  readonly events: readonly Event[];
  /** The index of the event that starts each anchored node, by the name of the anchor. */
  readonly anchors: ReadonlyMap<string, number>;
}

/** Limit of the aliases and merge keys that are followed in a row. A longer chain is circular. */
const MOST_HOPS = 100;

/**
 * Finds the offsets of places in a text that is valid YAML.
 *
 * @returns The offset of each place. If the text has no such place, this is the offset of the nearest enclosing value.
 */
export function locateInYaml(text: string, places: readonly Place[]): number[] {
  const events = parseEvents(text, { maxDepth: Infinity });
  const root = events.findIndex((event) => event.type !== EVENT_ID.DOCUMENT);
  const parsed: Parsed = { text, places, offsets: places.map(() => 0), events, anchors: anchorsIn(text, events) };
  visit(parsed, root, startOf(events[root]), pointerTree(places), 0);
  return parsed.offsets;
}

function anchorsIn(text: string, events: readonly Event[]): Map<string, number> {
  const anchors = new Map<string, number>();
  events.forEach((event, index) => {
    if ("anchorStart" in event && event.type !== EVENT_ID.ALIAS && event.anchorStart >= 0) {
      anchors.set(text.slice(event.anchorStart, event.anchorEnd), index);
    }
  });
  return anchors;
}

function visit(parsed: Parsed, index: number, keyStart: number, tree: PointerTree, hops: number): void {
  setOffsets(parsed, tree, startOf(parsed.events[index]), keyStart);
  descend(parsed, index, tree, hops);
}

/** Finds the wanted places inside a node. For an alias or a merge key, the search continues at the anchored node. */
function descend(parsed: Parsed, index: number, tree: PointerTree, hops: number): void {
  const { text, events, anchors } = parsed;
  const event = events[index];
  if (event === undefined || tree.children.size === 0 || hops > MOST_HOPS) return;
  if (event.type === EVENT_ID.ALIAS) {
    const target = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
    if (target !== undefined) descend(parsed, target, tree, hops + 1);
  } else if (event.type === EVENT_ID.SEQUENCE) {
    for (let item = index + 1, number = 0; !isEnd(events[item]); item = nextNode(events, item), number++) {
      const child = tree.children.get(String(number));
      if (child !== undefined) visit(parsed, item, startOf(events[item]), child, hops);
    }
  } else if (event.type === EVENT_ID.MAPPING) {
    for (let key = index + 1; !isEnd(events[key]);) {
      const keyEvent = events[key];
      const value = nextNode(events, key);
      const name = keyEvent?.type === EVENT_ID.SCALAR ? getScalarValue(text, keyEvent) : undefined;
      const child = name === undefined ? undefined : tree.children.get(name);
      if (child !== undefined) visit(parsed, value, startOf(keyEvent), child, hops);
      else if (name === "<<") descend(parsed, value, tree, hops + 1);
      key = nextNode(events, value);
    }
  }
}

/**
 * The inverse of {@linkcode locateInYaml}: makes a function that finds the last key or value that starts at or before
 * an offset.
 */
export function createYamlPlaceIndex(text: string): (offset: number) => Place {
  const starts: number[] = [];
  const places: Place[] = [];
  const open: { pointer: string; isMap: boolean; key: string | undefined; length: number }[] = [];
  for (const event of parseEvents(text, { maxDepth: Infinity })) {
    if (event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.POP) {
      open.pop();
      continue;
    }
    const start = startOf(event);
    const parent = open.at(-1);
    const isKey = parent?.isMap === true && parent.key === undefined;
    if (isKey) parent.key = event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : "";
    const pointer = parent === undefined ? "" : `${parent.pointer}/${escapeToken(parent.key ?? parent.length)}`;
    // Skips a value that has the offset of an earlier place: a block mapping begins at the offset of its first key, and
    // is listed before the key.
    if (start > (starts.at(-1) ?? -1)) {
      starts.push(start);
      places.push({ pointer, ...(isKey ? { atKey: true } : {}) });
    }
    if (isKey) continue;
    if (parent !== undefined) {
      parent.key = undefined;
      parent.length++;
    }
    const isMap = event.type === EVENT_ID.MAPPING;
    if (isMap || event.type === EVENT_ID.SEQUENCE) open.push({ pointer, isMap, key: undefined, length: 0 });
  }
  return (offset) => places[lastStart(starts, offset)] ?? { pointer: "" };
}

/** The offsets of the merge keys of a text that is valid YAML. A key that is quoted merges nothing. */
export function mergeKeysIn(text: string): number[] {
  const offsets: number[] = [];
  /** Of each open collection, whether it is a mapping whose next node is a key. */
  const open: { isMap: boolean; isKeyNext: boolean }[] = [];
  for (const event of parseEvents(text, { maxDepth: Infinity })) {
    if (event.type === EVENT_ID.DOCUMENT) continue;
    if (event.type === EVENT_ID.POP) {
      open.pop();
      continue;
    }
    const parent = open.at(-1);
    const isKey = parent?.isMap === true && parent.isKeyNext;
    if (parent !== undefined) parent.isKeyNext = !parent.isKeyNext;
    if (isKey && event.type === EVENT_ID.SCALAR && getScalarValue(text, event) === "<<") {
      const isQuoted = /["']/.test(text.charAt(event.valueStart - 1));
      if (!isQuoted) offsets.push(event.valueStart);
    }
    if (event.type === EVENT_ID.MAPPING) open.push({ isMap: true, isKeyNext: true });
    else if (event.type === EVENT_ID.SEQUENCE) open.push({ isMap: false, isKeyNext: false });
  }
  return offsets;
}

function isEnd(event: Event | undefined): boolean {
  return event === undefined || event.type === EVENT_ID.POP;
}

/** The index of the event after the node that starts at `index`. */
function nextNode(events: readonly Event[], index: number): number {
  let depth = 0;
  for (let at = index; at < events.length; at++) {
    const type = events[at]?.type;
    if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++;
    else if (type === EVENT_ID.POP) depth--;
    if (depth <= 0) return at + 1;
  }
  return events.length;
}

function startOf(event: Event | undefined): number {
  switch (event?.type) {
    case EVENT_ID.SCALAR:
      return Math.max(0, event.valueStart);
    case EVENT_ID.MAPPING:
    case EVENT_ID.SEQUENCE:
      return Math.max(0, event.start);
    case EVENT_ID.ALIAS:
      return Math.max(0, event.anchorStart - 1);
    default:
      return 0;
  }
}
