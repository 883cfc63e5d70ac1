import { type Event, EVENT_ID, getScalarValue, parseEvents } from "js-yaml";
import { countMembers } from "../text/json_text.ts";
import { escapeToken } from "../../schema/json/pointer.ts";
import type { UnlocatedDiagnostic } from "../diagnostic.ts";
import type { Source } from "../../schema/json/source.ts";
import { quote } from "../../schema/wording.ts";

/** An object or a list that the parser has entered and not left yet. */
interface Open {
  pointer: string;
  isMap: boolean;
  /** The offset of each key in the text. */
  keys: Map<string, number>;
  /** The key whose value comes next. It is `undefined` in a list, and where an object's next key or end comes. */
  next: string | undefined;
  length: number;
}

/**
 * Finds duplicate keys in the objects of a JSON text. `JSON.parse` silently keeps the last one. In YAML duplicate keys
 * are syntax errors, which the parser reports.
 */
export function checkDuplicateKeys(source: Source): UnlocatedDiagnostic[] {
  if (!source.isJson) return [];
  const text = source.text();
  // A quick test: a text with as many members as the parsed value has keys has no duplicate. This doesn't hold once
  // overlays have changed the value.
  if (source.originOf === undefined && countMembers(text) === countKeys(source.value)) return [];
  const diagnostics: UnlocatedDiagnostic[] = [];
  const stack: Open[] = [];
  for (const event of parseEvents(text, { maxDepth: Infinity })) {
    const parent = stack.at(-1);
    switch (event.type) {
      case EVENT_ID.DOCUMENT:
        break;
      case EVENT_ID.POP:
        stack.pop();
        break;
      default:
        readNode(event, parent);
    }
  }
  return diagnostics;

  function readNode(event: Event, parent: Open | undefined): void {
    if (parent?.isMap && parent.next === undefined) return readKey(event, parent);
    const pointer = parent === undefined ? "" : `${parent.pointer}/${escapeToken(parent.next ?? parent.length)}`;
    if (parent !== undefined) {
      parent.next = undefined;
      parent.length++;
    }
    if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      const isMap = event.type === EVENT_ID.MAPPING;
      stack.push({ pointer, isMap, keys: new Map(), next: undefined, length: 0 });
    }
  }

  function readKey(event: Event, parent: Open): void {
    const key = event.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : "";
    const offset = event.type === EVENT_ID.SCALAR ? event.valueStart : 0;
    parent.next = key;
    if (!parent.keys.has(key)) {
      parent.keys.set(key, offset);
      return;
    }
    const message = `The key ${quote(key)} is in this object twice; only its last value counts. Remove one.`;
    const pointer = `${parent.pointer}/${escapeToken(key)}`;
    diagnostics.push({ severity: "error", code: "duplicate-key", message, source, pointer, offset });
  }
}

function countKeys(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts: unknown[] = Object.values(value);
  return parts.reduce((count: number, part) => count + countKeys(part), Array.isArray(value) ? 0 : parts.length);
}
