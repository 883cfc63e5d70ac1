import { prefixOf } from "./default_rule.ts";
import { shareHost } from "../../gateway/hosts.ts";
import { type RoutePlan, showPath } from "../../gateway/route.ts";
import { percentDecode } from "../../http/url.ts";

/** Finds plans that bear on each other: one may have a path that the other takes, or stands for by a prefix. */
export interface NeighbourIndex {
  /** Puts a plan in the place of the one that had its key before; `undefined` takes that away. */
  set(key: string, plan: RoutePlan | undefined): void;
  /** The keys of the other plans that may overlap that of a key. Some may not, but none that does is left out. */
  of(key: string): string[];
  /** The keys that have a plan. */
  keys(): string[];
}

/** Segments of paths, one level each, and whose paths all begin so. */
interface Branch {
  readonly children: Map<string, Branch>;
  readonly keys: Set<string>;
}

/**
 * Makes an index of the plans of a fleet. It goes by the text that all paths of a plan begin with: where neither's is the
 * beginning of the other's, no request is meant by both.
 */
export function createNeighbourIndex(): NeighbourIndex {
  const root = branch();
  const entries = new Map<string, { plan: RoutePlan; beginnings: readonly (readonly string[])[] }>();

  return {
    set(key, plan) {
      const known = entries.get(key);
      if (known?.plan === plan) return;
      for (const beginning of known?.beginnings ?? []) leafOf(beginning).keys.delete(key);
      entries.delete(key);
      if (plan === undefined) return;
      const beginnings = beginningsOf(plan);
      entries.set(key, { plan, beginnings });
      for (const beginning of beginnings) leafOf(beginning).keys.add(key);
    },
    of(key) {
      const entry = entries.get(key);
      if (entry === undefined) return [];
      const found = new Set<string>();
      for (const beginning of entry.beginnings) collect(root, beginning, found);
      found.delete(key);
      return [...found].filter((other) => shareHost(entry.plan.hosts, entries.get(other)?.plan.hosts ?? []));
    },
    keys: () => [...entries.keys()],
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

/** Collects whose paths begin as the beginning does, or as it goes on. */
function collect(at: Branch, [segment, ...rest]: readonly string[], found: Set<string>): void {
  for (const key of at.keys) found.add(key);
  if (segment === undefined) { for (const next of at.children.values()) collect(next, [], found); }
  else {
    const next = at.children.get(segment);
    if (next !== undefined) collect(next, rest, found);
  }
}

/** How the paths of a plan begin. Its operations begin alike; where its definition is served is another matter. */
function beginningsOf(plan: RoutePlan): string[][] {
  const paths = plan.routes.filter(({ action }) => action.kind === "definition").map(({ path }) => showPath(path));
  return [prefixOf(plan), ...paths].map((path) =>
    path.split("/").slice(1).filter((text) => text !== "").map(percentDecode)
  );
}
