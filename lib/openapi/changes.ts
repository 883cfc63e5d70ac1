import type { Document } from "./document.ts";
import { isObject, type JsonObject, type Node } from "../schema/node.ts";
import { listOperations, type Operation } from "./operation.ts";
import { followOnce, referenceOf } from "../schema/reference.ts";
import { resolveUri } from "../schema/uri.ts";

/** What an edit did to the operations of a definition. */
export interface Changes {
  added: Operation[];
  removed: Operation[];
  /** Operations in which something differs, or in something that they refer to. */
  changed: Operation[];
}

/** Compares the operations of a definition before and after an edit. */
export function compareOperations(before: Document, after: Document): Changes {
  const old = byKey(before);
  const now = byKey(after);
  const differs = createComparison(before, after);
  const kept = [...now].flatMap(([key, operation]) => {
    const counterpart = old.get(key);
    return counterpart === undefined ? [] : [{ operation, counterpart }];
  });
  return {
    added: [...now].filter(([key]) => !old.has(key)).map(([, operation]) => operation),
    removed: [...old].filter(([key]) => !now.has(key)).map(([, operation]) => operation),
    changed: kept.filter(({ operation, counterpart }) => differs(counterpart, operation))
      .map(({ operation }) => operation),
  };
}

function byKey(document: Document): Map<string, Operation> {
  return new Map(listOperations(document).map((operation) => [`${operation.method} ${operation.path}`, operation]));
}

/** What two nodes have in common, as far as they don't refer to something else. */
interface Comparison {
  isSame: boolean;
  /** The nodes that they both refer to, before and after. */
  references: (readonly [Node, Node])[];
}

/**
 * Makes a function that tells whether an operation differs, or something that it refers to, however far away. Each
 * thing that is referred to is compared once.
 */
function createComparison(before: Document, after: Document): (old: Operation, now: Operation) => boolean {
  const compared = new Map<string, Comparison>();
  return (old, now) => {
    const reached = new Set<string>();
    const queue: (readonly [Node, Node])[] = [[old.node, now.node], ...sharedParts(old, now)];
    for (const [oldNode, nowNode] of queue) {
      const key = `${nowNode.source.uri}#${nowNode.pointer}`;
      if (reached.has(key)) continue;
      reached.add(key);
      const { isSame, references } = remembered(key, oldNode, nowNode);
      if (!isSame) return true;
      queue.push(...references);
    }
    return false;
  };

  function remembered(key: string, old: Node, now: Node): Comparison {
    const known = compared.get(key);
    if (known !== undefined) return known;
    const comparison = compare(old, now);
    compared.set(key, comparison);
    return comparison;
  }

  function compare(old: Node, now: Node): Comparison {
    const references: (readonly [Node, Node])[] = [];
    return { isSame: same(old.value, now.value), references };

    function same(a: unknown, b: unknown): boolean {
      if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
      if (Array.isArray(a) || Array.isArray(b)) {
        return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
          a.every((item, index) => same(item, b[index]));
      }
      return sameObjects(a as JsonObject, b as JsonObject);
    }

    function sameObjects(a: JsonObject, b: JsonObject): boolean {
      const keys = Object.keys(b);
      if (Object.keys(a).length !== keys.length) return false;
      if (!keys.every((key) => Object.hasOwn(a, key) && same(a[key], b[key]))) return false;
      const reference = { value: b, source: now.source, pointer: now.pointer };
      if (referenceOf(reference) !== undefined) {
        const target = followOnce(after, reference);
        const oldTarget = followOnce(before, { ...reference, value: a, source: old.source });
        // What leads nowhere has no place of its own to be compared at.
        if ((target.value === undefined) !== (oldTarget.value === undefined)) return false;
        references.push([oldTarget, target]);
      }
      const external = b["externalValue"];
      return typeof external !== "string" || sameExternalValue(resolveUri(external, now.source.uri));
    }
  }

  function sameExternalValue(uri: string): boolean {
    const old = before.externalValues.get(uri);
    const now = after.externalValues.get(uri);
    if (old === undefined || now === undefined) return old === now;
    return old.length === now.length && old.every((byte, index) => byte === now[index]);
  }
}

/** What the operations of a path have in common: its parameters and servers. */
function sharedParts(old: Operation, now: Operation): (readonly [Node, Node])[] {
  return now.pathItems.map((pathItem, index) => {
    const counterpart = old.pathItems[index];
    return [withoutOperations(counterpart ?? { ...pathItem, value: undefined }), withoutOperations(pathItem)];
  });
}

function withoutOperations(pathItem: Node): Node {
  if (!isObject(pathItem.value)) return pathItem;
  const shared = ["$ref", "parameters", "servers", "x-svc"];
  const value = Object.fromEntries(Object.entries(pathItem.value).filter(([key]) => shared.includes(key)));
  return { ...pathItem, value };
}
