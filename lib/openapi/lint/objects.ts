import type { Document } from "../document.ts";
import { child, entries, isObject, items, type Node } from "../../schema/json/node.ts";
import { followOnce, referenceOf } from "../../schema/json/reference.ts";
import { FIELDS, type Fields, FIELDS_20, type Kind, MAPS, REFERABLE } from "../../schema/kinds.ts";

/** An object of a definition, such as an Operation Object. The value of `kind` determines the type of its node. */
export type PlacedObject<Of extends Kind = Kind> = Extract<{ [Each in Kind]: ObjectOf<Each> }[Kind], { kind: Of }>;

interface ObjectOf<Of extends Kind> {
  readonly kind: Of;
  readonly node: Node<Of>;
  /**
   * The enclosing object. For an object that only references lead to, this is the first object that refers to it. The
   * root has none.
   */
  readonly parent: PlacedObject | undefined;
  /**
   * Whether the object has a `$ref`. The target replaces the object; in a Path Item or a Schema it is added to the
   * object.
   */
  readonly isReference: boolean;
}

export interface PlacedReference {
  readonly from: PlacedObject;
  /** The target; its value is `undefined` where the reference is broken. */
  readonly target: Node;
  /** The kind of the target, if it is known to differ from the kind of object that the reference stands for. */
  readonly found: Kind | undefined;
}

export interface Objects {
  /** Each object once, in the order of the text. Objects that are reached only by references come last. */
  readonly objects: readonly PlacedObject[];
  readonly references: readonly PlacedReference[];
}

/**
 * Lists the objects of a definition: those under its root, and the targets of references, also in other texts. An
 * object that YAML aliases repeat is listed once.
 */
export function placeObjects(document: Document): Objects {
  const objects: PlacedObject[] = [];
  const references: { from: PlacedObject; target: Node }[] = [];
  const kinds = new Map<unknown, Kind[]>();
  const fields: Readonly<Record<Kind, Fields>> = document.version === "2.0" ? FIELDS_20 : FIELDS;

  place({ kind: "OpenAPI", node: document.root, parent: undefined, isReference: false });
  // The loop also visits the references that `place` adds to the list.
  for (const { from, target } of references) {
    if (target.value !== undefined && !kinds.has(target.value)) place(objectAt(from.kind, target, from));
  }
  return {
    objects,
    references: references.map(({ from, target }) => {
      const known = kinds.get(target.value) ?? [];
      return { from, target, found: known.includes(from.kind) ? undefined : known[0] };
    }),
  };

  function place(root: PlacedObject): void {
    const stack = [root];
    for (let object = stack.pop(); object !== undefined; object = stack.pop()) {
      if (isPlaced(object)) continue;
      objects.push(object);
      if (object.isReference) references.push({ from: object, target: followOnce(document, object.node) });
      const parts = partsOf(object, fields[object.kind]);
      for (let index = parts.length - 1; index >= 0; index--) {
        const part = parts[index];
        if (part !== undefined) stack.push(part);
      }
    }
  }

  function isPlaced({ kind, node: { value } }: PlacedObject): boolean {
    if (typeof value !== "object" || value === null) return false;
    const known = kinds.get(value);
    if (known === undefined) kinds.set(value, [kind]);
    else if (known.includes(kind)) return true;
    else known.push(kind);
    return false;
  }
}

/** The targets of `$ref` in Schema Objects, by the value of the Schema Object that has the `$ref`. */
export function targetsOfSchemas(references: readonly PlacedReference[]): ReadonlyMap<unknown, Node<"Schema">> {
  const targets = references.flatMap(({ from, target }): [unknown, Node<"Schema">][] =>
    from.kind === "Schema" ? [[from.node.value, target as Node<"Schema">]] : []
  );
  return new Map(targets);
}

export function ofKind<Of extends Kind>(objects: readonly PlacedObject[], kind: Of): PlacedObject<Of>[] {
  return objects.filter((object): object is PlacedObject<Of> => object.kind === kind);
}

/** Makes an object of a node. The cast is safe, since the caller takes `kind` from the place of the node. */
function objectAt(kind: Kind, node: Node, parent: PlacedObject): PlacedObject {
  return { kind, node, parent, isReference: REFERABLE.has(kind) && referenceOf(node) !== undefined } as PlacedObject;
}

/**
 * The objects directly inside an object. Values that should be objects and aren't are included, so that they are
 * reported.
 */
function partsOf(object: PlacedObject, fields: Fields): PlacedObject[] {
  const { kind, node } = object;
  if (!isObject(node.value)) return [];
  const each = kind in MAPS ? MAPS[kind as keyof typeof MAPS] : undefined;
  if (each !== undefined) {
    // If a `$ref` replaces a map of objects, such as a Callback Object, then `$ref` isn't one of the map's keys.
    if (object.isReference) return [];
    return entries(node).filter(([key]) => !key.startsWith("x-")).map(([, part]) => objectAt(each, part, object));
  }
  return Object.keys(node.value).flatMap((key) => {
    const content = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (content === undefined) return [];
    const part = child(node, key);
    if (typeof content === "string") return [objectAt(content, part, object)];
    if ("listOf" in content) return items(part).map((item) => objectAt(content.listOf, item, object));
    return entries(part).map(([, entry]) => objectAt(content.mapOf, entry, object));
  });
}
