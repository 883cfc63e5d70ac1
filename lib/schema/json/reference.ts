import type { Content } from "../kinds.ts";
import { child, isObject, type JsonObject, type Node, rootOf } from "./node.ts";
import { parsePointer } from "./pointer.ts";
import { resolveUri, withoutFragment } from "./uri.ts";
import type { Source } from "./source.ts";

/** The documents and identifiers by which references are resolved. A `Document` is a scope. */
export interface Scope {
  /** The parsed documents, by absolute URI. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Schemas identified by `$id`, `$anchor` or `$dynamicAnchor`, by absolute URI. */
  readonly named: ReadonlyMap<string, Node>;
}

/** Limit of references that lead to references. A longer chain counts as circular. */
const MOST_HOPS = 100;

/** The `$ref` of an object, if it has one. */
export function referenceOf(node: Node): string | undefined {
  const value = node.value;
  if (!isObject(value) || !Object.hasOwn(value, "$ref")) return undefined;
  const reference = value["$ref"];
  return typeof reference === "string" ? reference : undefined;
}

/**
 * Follows `$ref` to its target, and on while the target has a `$ref` too.
 *
 * @returns The given node when it has no `$ref`; a node whose value is `undefined` when the reference has no target or
 * is circular. The kind of the target isn't checked: it is assumed to be the kind of the given node.
 */
export function follow<Kind extends Content>(scope: Scope, node: Node<Kind>): Node<Kind> {
  let at = node;
  for (let hops = 0; hops < MOST_HOPS; hops++) {
    const reference = referenceOf(at);
    if (reference === undefined) return at;
    at = target(scope, at, reference, hops) as Node<Kind>;
  }
  return { ...node, value: undefined };
}

/**
 * Follows one `$ref`, but not a `$ref` of its target.
 *
 * @returns The target; its value is `undefined` when the reference has no target.
 */
export function followOnce<Kind extends Content>(scope: Scope, node: Node<Kind>): Node<Kind> {
  const reference = referenceOf(node);
  return reference === undefined ? node : target(scope, node, reference, 0) as Node<Kind>;
}

/** The node that an absolute URI with a fragment identifies; `undefined` where there is none. */
export function lookUp(scope: Scope, uri: string): Node | undefined {
  const found = resolve(scope, uri, 0);
  return found?.value === undefined ? undefined : found;
}

function target(scope: Scope, node: Node, reference: string, hops: number): Node {
  const nothing = { ...node, value: undefined };
  if (reference.startsWith("#/") && scope.named.size === 0) {
    return findInSource(scope, node.source, reference, hops) ?? nothing;
  }
  return resolve(scope, resolveUri(reference, baseOf(scope, node)), hops) ?? nothing;
}

/** A cache of the targets of references within a document, by source and `$ref`: many schemas refer to the same few. */
const TARGETS = new WeakMap<Scope, Map<Source, Map<string, Node>>>();

/** Finds the target of a reference that begins with `#/`, in the document that contains the reference. */
function findInSource(scope: Scope, source: Source, reference: string, hops: number): Node | undefined {
  let sources = TARGETS.get(scope);
  if (sources === undefined) TARGETS.set(scope, sources = new Map());
  let targets = sources.get(source);
  if (targets === undefined) sources.set(source, targets = new Map());
  const known = targets.get(reference);
  if (known !== undefined) return known;
  const found = walk(scope, rootOf(source), reference.slice(1), hops);
  if (found?.value !== undefined) targets.set(reference, found);
  return found;
}

function resolve(scope: Scope, uri: string, hops: number): Node | undefined {
  const named = scope.named.get(uri);
  if (named !== undefined) return named;
  const fragment = uri.slice(withoutFragment(uri).length + 1);
  const source = scope.sources.get(withoutFragment(uri));
  const root = scope.named.get(withoutFragment(uri)) ?? (source && rootOf(source));
  if (root === undefined) return undefined;
  if (fragment === "") return root;
  return fragment.startsWith("/") ? walk(scope, root, fragment, hops) : undefined;
}

/**
 * Resolves a JSON Pointer in URI fragment form (RFC 6901, section 6). Where an object on the path has a `$ref` but not
 * the next key, the path continues in the target of the `$ref`.
 */
function walk(scope: Scope, root: Node, fragment: string, hops: number): Node | undefined {
  let at = root;
  for (const token of parsePointer(decodeFragment(fragment))) {
    if (at.value === undefined) return undefined;
    const next = child(at, token);
    if (next.value === undefined && referenceOf(at) !== undefined && hops < MOST_HOPS) {
      at = child(target(scope, at, referenceOf(at) ?? "", hops + 1), token);
    } else {
      at = next;
    }
  }
  return at;
}

function decodeFragment(fragment: string): string {
  if (!fragment.includes("%")) return fragment;
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/**
 * The base URI of the references in a node: the `$id` of the nearest enclosing schema that has one, else `$self` of the
 * document, else the URI of its text.
 */
export function baseOf(scope: Scope, node: Node): string {
  let base = node.source.uri;
  if (scope.named.size === 0) return base;
  let value: unknown = node.source.value;
  for (const token of ["", ...parsePointer(node.pointer)]) {
    if (token !== "") value = isObject(value) || Array.isArray(value) ? (value as JsonObject)[token] : undefined;
    const id = isObject(value) ? value["$id"] ?? (value === node.source.value ? value["$self"] : undefined) : undefined;
    if (typeof id === "string") base = resolveUri(id, base);
  }
  return base;
}
