/**
 * Where a value stands in the text of a definition. Looked up only when there is something to report, since it costs
 * another pass over the text.
 *
 * @module
 */
import { type Event, EVENT_ID, getScalarValue, parseEvents } from "js-yaml";
import type { Place } from "../schema/source.ts";
import { settle, type Wanted, wantedTree } from "./wanted.ts";

/** A line and a column of a text, both from 1; columns count UTF-16 code units. */
export interface Position {
  line: number;
  column: number;
}

/**
 * Finds places in a text that is valid YAML or JSON (as JSON is YAML's flow style, one parser serves both).
 *
 * @returns The offset of each place; that of its nearest parent where the text has no such place.
 */
export function locateInText(text: string, places: readonly Place[]): number[] {
  const offsets = places.map(() => 0);
  const events = parseEvents(text, { maxDepth: Infinity });
  const root = events.findIndex((event) => event.type !== EVENT_ID.DOCUMENT);
  const anchors = new Map<string, number>();
  events.forEach((event, index) => {
    if ("anchorStart" in event && event.type !== EVENT_ID.ALIAS && event.anchorStart >= 0) {
      anchors.set(text.slice(event.anchorStart, event.anchorEnd), index);
    }
  });

  visit(root, startOf(events[root]), wantedTree(places), 0);
  return offsets;

  function visit(index: number, keyOffset: number, wanted: Wanted, hops: number): void {
    settle(wanted, startOf(events[index]), keyOffset, places, offsets);
    descend(index, wanted, hops);
  }

  /** Visits what is wanted inside a node; an alias or a merge key leads elsewhere, but not round in a circle. */
  function descend(index: number, wanted: Wanted, hops: number): void {
    const event = events[index];
    if (event === undefined || wanted.children.size === 0 || hops > 100) return;
    if (event.type === EVENT_ID.ALIAS) {
      const target = anchors.get(text.slice(event.anchorStart, event.anchorEnd));
      if (target !== undefined) descend(target, wanted, hops + 1);
    } else if (event.type === EVENT_ID.SEQUENCE) {
      for (let item = index + 1, number = 0; !isEnd(events[item]); item = after(events, item), number++) {
        const child = wanted.children.get(String(number));
        if (child !== undefined) visit(item, startOf(events[item]), child, hops);
      }
    } else if (event.type === EVENT_ID.MAPPING) {
      for (let key = index + 1; !isEnd(events[key]);) {
        const keyEvent = events[key];
        const value = after(events, key);
        const name = keyEvent?.type === EVENT_ID.SCALAR ? getScalarValue(text, keyEvent) : undefined;
        const child = name === undefined ? undefined : wanted.children.get(name);
        if (child !== undefined) visit(value, startOf(keyEvent), child, hops);
        else if (name === "<<") descend(value, wanted, hops + 1);
        key = after(events, value);
      }
    }
  }
}

function isEnd(event: Event | undefined): boolean {
  return event === undefined || event.type === EVENT_ID.POP;
}

/** The index of what follows the node at `index`. */
function after(events: readonly Event[], index: number): number {
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

/** Turns offsets into lines and columns; made once for a text. */
export function createLineIndex(text: string): (offset: number) => Position {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}
