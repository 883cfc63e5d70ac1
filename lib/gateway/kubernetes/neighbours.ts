import { type RoutePlan, showPath } from "../route.ts";

/** Finds plans whose path templates may take the same requests. */
export interface NeighbourIndex {
  /** Puts a plan in the place of the one that had its key before; `undefined` takes that away. */
  set(key: string, plan: RoutePlan | undefined): void;
  /** The keys of the other plans that may overlap that of a key. Some may not, but none that does is left out. */
  of(key: string): string[];
  /** The keys that have a plan. */
  keys(): string[];
}

/** How many segments are compared. */
const DEPTH = 3;

/** Stands for a segment with a template in it. */
const ANY = "{}";

/** Segments of paths, one level each, and who has paths that begin so. */
interface Branch {
  readonly children: Map<string, Branch>;
  readonly keys: Set<string>;
}

/** Makes an index of the plans of a fleet. Prefixes are left out: every template goes before them. */
export function createNeighbourIndex(): NeighbourIndex {
  const root = branch();
  const plans = new Map<string, RoutePlan>();
  const beginnings = new Map<string, string[][]>();

  return {
    set(key, plan) {
      if (plan !== undefined && plans.get(key) === plan) return;
      for (const beginning of beginnings.get(key) ?? []) leafOf(beginning).keys.delete(key);
      if (plan === undefined) {
        beginnings.delete(key);
        plans.delete(key);
        return;
      }
      plans.set(key, plan);
      const found = beginningsOf(plan);
      beginnings.set(key, found);
      for (const beginning of found) leafOf(beginning).keys.add(key);
    },
    of(key) {
      const found = new Set<string>();
      for (const beginning of beginnings.get(key) ?? []) collect(root, beginning, 0, found);
      found.delete(key);
      return [...found];
    },
    keys: () => [...beginnings.keys()],
  };

  function leafOf(beginning: readonly string[]): Branch {
    let at = root;
    for (const segment of beginning) {
      const next = at.children.get(segment) ?? branch();
      at.children.set(segment, next);
      at = next;
    }
    return at;
  }
}

function branch(): Branch {
  return { children: new Map(), keys: new Set() };
}

function collect({ children, keys }: Branch, beginning: readonly string[], level: number, found: Set<string>): void {
  const segment = beginning[level];
  if (segment === undefined) {
    for (const key of keys) found.add(key);
    return;
  }
  for (const [child, next] of children) {
    // The first level is the number of segments, which is no template's business.
    if (child === segment || (level > 0 && (segment === ANY || child === ANY))) {
      collect(next, beginning, level + 1, found);
    }
  }
}

/** How the paths of a plan begin, each way once: how many segments there are, and the first of them. */
function beginningsOf({ routes }: RoutePlan): string[][] {
  const found = new Map<string, string[]>();
  for (const { path } of routes) {
    if (path.kind === "prefix") continue;
    const segments = showPath(path).slice(1).split("/");
    const first = segments.slice(0, DEPTH).map((segment) => segment.includes("{") ? ANY : segment);
    const beginning = [String(segments.length), ...first];
    found.set(beginning.join("/"), beginning);
  }
  return [...found.values()];
}
