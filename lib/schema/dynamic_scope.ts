import type { SchemaDocument } from "./dialect.ts";
import { child, isObject, type Node } from "./json/node.ts";
import { baseOf, followOnce, lookUp } from "./json/reference.ts";
import { resolveUri, withoutFragment } from "./json/uri.ts";

/**
 * The dynamic scope (2020-12 core, section 7.1): the base URIs of the schema resources that evaluation has entered,
 * outermost first.
 */
export type DynamicScope = readonly string[];

/** The dynamic anchors (`$dynamicAnchor`) of a document, which `$dynamicRef` refers to. */
export class DynamicAnchors {
  readonly #document: SchemaDocument;
  /** The dynamic anchors of each schema resource, by its base URI. */
  readonly #anchors: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(document: SchemaDocument) {
    this.#document = document;
    this.#anchors = anchorsOf(document);
  }

  /** The dynamic scope in the target of a reference: adds the schema resource that contains the target. */
  enter(scope: DynamicScope, node: Node): DynamicScope {
    return this.#anchors.size === 0 ? scope : this.#within(scope, baseOf(this.#document, node));
  }

  /** The dynamic scope in a subschema: adds the subschema if it is a schema resource (has an `$id`). */
  enterSubschema(scope: DynamicScope, node: Node): DynamicScope {
    const { value } = node;
    const isResource = this.#anchors.size > 0 && isObject(value) && typeof value["$id"] === "string";
    return isResource ? this.#within(scope, baseOf(this.#document, node)) : scope;
  }

  /**
   * Adds a schema resource to the dynamic scope, unless outer resources have all of its anchors. `$dynamicRef` resolves
   * to the outermost resource with the anchor, so it could never resolve to the one left out.
   */
  #within(scope: DynamicScope, base: string): DynamicScope {
    const isNew = (anchor: string): boolean => !scope.some((outer) => this.#anchors.get(outer)?.has(anchor));
    return [...this.#anchors.get(base) ?? []].some(isNew) ? [...scope, base] : scope;
  }

  /** Resolves `$dynamicRef` (2020-12 core, section 8.2.3.2). */
  resolve(node: Node, written: string, scope: DynamicScope): Node | undefined {
    const uri = resolveUri(written, baseOf(this.#document, node));
    const found = lookUp(this.#document, uri) ?? followOnce(this.#document, { ...node, value: { $ref: uri } });
    const anchor = uri.slice(uri.indexOf("#") + 1);
    const isDynamic = (candidate: Node | undefined): boolean =>
      candidate !== undefined && child(candidate, "$dynamicAnchor").value === anchor;
    if (!isDynamic(found)) return found;
    const outermost = scope.map((base) => this.#document.named.get(`${base}#${anchor}`)).find(isDynamic);
    return outermost ?? found;
  }
}

function anchorsOf({ named }: SchemaDocument): Map<string, Set<string>> {
  const anchors = new Map<string, Set<string>>();
  for (const [uri, { value }] of named) {
    const anchor = isObject(value) ? value["$dynamicAnchor"] : undefined;
    if (typeof anchor !== "string" || !uri.endsWith(`#${anchor}`)) continue;
    const base = withoutFragment(uri);
    anchors.set(base, (anchors.get(base) ?? new Set()).add(anchor));
  }
  return anchors;
}
