import type { SchemaDocument } from "./dialect.ts";
import { child, isObject, type Node } from "./node.ts";
import { baseOf, followOnce, lookUp } from "./reference.ts";
import { resolveUri, withoutFragment } from "./uri.ts";

/** The base URIs of the schema resources that validation has entered, outermost first (2020-12, section 7.1). */
export type DynamicScope = readonly string[];

/** The dynamic anchors of a document, and the references to them. */
export class DynamicAnchors {
  readonly #document: SchemaDocument;
  /** The anchors of each schema resource, by its base URI. */
  readonly #anchors: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(document: SchemaDocument) {
    this.#document = document;
    this.#anchors = anchorsOf(document);
  }

  /** The scope inside the schema resource of a node that a reference leads to. */
  enter(scope: DynamicScope, node: Node): DynamicScope {
    return this.#anchors.size === 0 ? scope : this.#within(scope, baseOf(this.#document, node));
  }

  /** The scope inside a subschema, which may be a schema resource of its own. */
  enterSubschema(scope: DynamicScope, node: Node): DynamicScope {
    const { value } = node;
    const isResource = this.#anchors.size > 0 && isObject(value) && typeof value["$id"] === "string";
    return isResource ? this.#within(scope, baseOf(this.#document, node)) : scope;
  }

  /**
   * Adds a resource to the scope, unless outer resources have all of its anchors: `$dynamicRef` resolves to the
   * outermost resource that has the anchor, so it would never resolve to this one.
   */
  #within(scope: DynamicScope, base: string): DynamicScope {
    const isNew = (anchor: string): boolean => !scope.some((outer) => this.#anchors.get(outer)?.has(anchor));
    return [...this.#anchors.get(base) ?? []].some(isNew) ? [...scope, base] : scope;
  }

  /** Resolves `$dynamicRef` (2020-12, section 8.2.3.2). */
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
