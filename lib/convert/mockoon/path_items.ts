import type { JsonObject } from "../../schema/json/node.ts";

/** The path items of the definition that is being made, by path. */
export interface PathItems {
  /** Tells whether a path has an operation of a method. */
  has: (path: string, method: string) => boolean;
  /** Adds an operation to a path. */
  add: (path: string, method: string, operation: JsonObject) => void;
  /**
   * Adds a path item that several paths may have, as the same object. Operations that a path has already stay.
   *
   * @param name The name of the path item in `components`, where it must be changed to be valid and unique.
   * @param summary The summary of this path. Default: none.
   */
  share: (path: string, item: JsonObject, name: string, summary?: string) => void;
  /** Returns `paths`, and `components` with the path items that several paths have. */
  finish: () => JsonObject;
}

/** A path: its own operations, and a path item that it may share with others. */
interface Path {
  readonly own: JsonObject;
  shared?: JsonObject;
  summary?: string;
}

/**
 * Creates an empty collection of path items. A path item that several paths have is written once, into
 * `components.pathItems`, so that the definition isn't many times as long as its source.
 */
export function createPathItems(): PathItems {
  const paths = new Map<string, Path>();
  /** The names of the shared path items in `components`. */
  const names = new Map<JsonObject, string>();
  const taken = new Set<string>();

  return {
    has: (path, method) => {
      const { own = {}, shared = {} } = paths.get(path) ?? {};
      return Object.hasOwn(own, method) || Object.hasOwn(shared, method);
    },
    add: (path, method, operation) => {
      pathOf(path).own[method] = operation;
    },
    share(path, item, name, summary = "") {
      const known = pathOf(path);
      // Two CRUD routes with the same path: the first one answers.
      if (known.shared !== undefined) return;
      known.shared = item;
      if (summary !== "") known.summary = summary;
      if (!names.has(item)) names.set(item, uniqueName(name));
    },
    finish,
  };

  function pathOf(path: string): Path {
    const known = paths.get(path) ?? { own: {} };
    paths.set(path, known);
    return known;
  }

  function uniqueName(name: string): string {
    const valid = name.replaceAll(/[^\w.-]+/g, "-").replaceAll(/^-+|-+$/g, "");
    let unique = valid;
    for (let number = taken.size + 1; taken.has(unique); number++) unique = `${valid}-${number}`;
    taken.add(unique);
    return unique;
  }

  function finish(): JsonObject {
    // A path with operations of its own gets a copy: OpenAPI leaves open what operations beside a `$ref` mean.
    const uses = Map.groupBy(
      [...paths.values()].filter(({ own }) => Object.keys(own).length === 0),
      ({ shared }) => shared,
    );
    const pathItems = [...names].filter(([item]) => (uses.get(item)?.length ?? 0) > 1);
    const refs = new Map(pathItems.map(([item, name]) => [item, { $ref: `#/components/pathItems/${name}` }]));
    const entries = [...paths].map(([path, { own, shared = {}, summary }]): [string, JsonObject] => {
      const ref = Object.keys(own).length === 0 ? refs.get(shared) : undefined;
      return [path, { ...summary === undefined ? {} : { summary }, ...ref ?? { ...shared, ...own } }];
    });
    return {
      paths: Object.fromEntries(entries),
      ...pathItems.length === 0
        ? {}
        : { components: { pathItems: Object.fromEntries(pathItems.map(([item, name]) => [name, item])) } },
    };
  }
}
