import { equalBytes } from "../http/bytes.ts";
import type { Document } from "./document.ts";
import { isObject, type JsonObject, type Node } from "../schema/json/node.ts";
import { listOperations, type Operation } from "./operation.ts";
import { followOnce, referenceOf } from "../schema/json/reference.ts";
import { resolveUri } from "../schema/json/uri.ts";

export interface Changes {
  added: Operation[];
  removed: Operation[];
  /** Operations that differ between the two versions, or that refer to a part that differs. */
  changed: Operation[];
}

export function compareOperations(before: Document, after: Document): Changes {
  const old = byKey(before);
  const now = byKey(after);
  const comparer = new OperationComparer(before, after);
  const kept = [...now].flatMap(([key, operation]) => {
    const counterpart = old.get(key);
    return counterpart === undefined ? [] : [{ operation, counterpart }];
  });
  return {
    added: [...now].filter(([key]) => !old.has(key)).map(([, operation]) => operation),
    removed: [...old].filter(([key]) => !now.has(key)).map(([, operation]) => operation),
    changed: kept.filter(({ operation, counterpart }) => comparer.differs(counterpart, operation))
      .map(({ operation }) => operation),
  };
}

function byKey(document: Document): Map<string, Operation> {
  return new Map(listOperations(document).map((operation) => [`${operation.method} ${operation.path}`, operation]));
}

/** A node of the definition before the edit, and its counterpart after the edit. */
type Pair = readonly [before: Node, after: Node];

/** Whether two nodes are equal, apart from the targets of their references. */
interface Comparison {
  readonly isSame: boolean;
  /** The targets of the references in the two nodes, in pairs. They have to be compared too. */
  readonly references: readonly Pair[];
}

/**
 * Compares operations and everything that they refer to, directly or indirectly. Each pair of targets is compared once.
 */
class OperationComparer {
  readonly #before: Document;
  readonly #after: Document;
  readonly #compared = new Map<string, Comparison>();

  constructor(before: Document, after: Document) {
    this.#before = before;
    this.#after = after;
  }

  differs(old: Operation, now: Operation): boolean {
    const reached = new Set<string>();
    const queue: Pair[] = [[old.node, now.node], ...sharedParts(old, now)];
    // The loop also visits the pairs that are pushed to `queue` inside it.
    for (const [oldNode, nowNode] of queue) {
      const key = `${nowNode.source.uri}#${nowNode.pointer}`;
      if (reached.has(key)) continue;
      reached.add(key);
      const comparison = this.#compared.get(key) ?? this.#compare(oldNode, nowNode);
      this.#compared.set(key, comparison);
      if (!comparison.isSame) return true;
      queue.push(...comparison.references);
    }
    return false;
  }

  #compare(old: Node, now: Node): Comparison {
    const references: Pair[] = [];
    return { isSame: this.#isSame([old, now], old.value, now.value, references), references };
  }

  /** @param holders The nodes that contain the two values, to resolve references in the values. */
  #isSame(holders: Pair, a: unknown, b: unknown, references: Pair[]): boolean {
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
    if (Array.isArray(a) || Array.isArray(b)) {
      return Array.isArray(a) && Array.isArray(b) && a.length === b.length &&
        a.every((item, index) => this.#isSame(holders, item, b[index], references));
    }
    return this.#areSameObjects(holders, a as JsonObject, b as JsonObject, references);
  }

  #areSameObjects([old, now]: Pair, a: JsonObject, b: JsonObject, references: Pair[]): boolean {
    const keys = Object.keys(b);
    if (Object.keys(a).length !== keys.length) return false;
    if (!keys.every((key) => Object.hasOwn(a, key) && this.#isSame([old, now], a[key], b[key], references))) {
      return false;
    }
    const reference = { value: b, source: now.source, pointer: now.pointer };
    if (referenceOf(reference) !== undefined) {
      const target = followOnce(this.#after, reference);
      const oldTarget = followOnce(this.#before, { ...reference, value: a, source: old.source });
      // If the edit breaks or repairs a reference, the operations that use the reference have changed.
      if ((target.value === undefined) !== (oldTarget.value === undefined)) return false;
      references.push([oldTarget, target]);
    }
    const external = b["externalValue"];
    return typeof external !== "string" || this.#isSameExternalValue(resolveUri(external, now.source.uri));
  }

  #isSameExternalValue(uri: string): boolean {
    const old = this.#before.externalValues.get(uri);
    const now = this.#after.externalValues.get(uri);
    if (old === undefined || now === undefined) return old === now;
    return equalBytes(old, now);
  }
}

/** The parameters, servers and settings of a Path Item Object, which all its operations share. */
function sharedParts(old: Operation, now: Operation): Pair[] {
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
