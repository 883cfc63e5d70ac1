import { prefixOf } from "./default_rule.ts";
import { shareHost } from "../../gateway/hosts.ts";
import { type RoutePlan, showPath } from "../../gateway/route.ts";
import { percentDecode } from "../../http/url.ts";

/**
 * A node of a trie of path segments, with the keys (of APIs and static routes) of the plans whose paths all begin with
 * the segments from the root to this node.
 */
interface Branch {
  readonly children: Map<string, Branch>;
  readonly keys: Set<string>;
}

/**
 * Finds the plans of a fleet that may overlap: some request might match routes of both. The index compares the literal
 * segments that all paths of a plan begin with. If neither plan's segments begin with those of the other, no request
 * belongs to both plans.
 */
export class NeighbourIndex {
  readonly #root = branch();
  readonly #entries = new Map<string, { plan: RoutePlan; beginnings: readonly (readonly string[])[] }>();

  /** Sets the plan of a key, or removes it. */
  set(key: string, plan: RoutePlan | undefined): void {
    const known = this.#entries.get(key);
    if (known?.plan === plan) return;
    for (const beginning of known?.beginnings ?? []) this.#leafOf(beginning).keys.delete(key);
    this.#entries.delete(key);
    if (plan === undefined) return;
    const beginnings = beginningsOf(plan);
    this.#entries.set(key, { plan, beginnings });
    for (const beginning of beginnings) this.#leafOf(beginning).keys.add(key);
  }

  /** The keys of the other plans that may overlap the plan of a key: all that overlap, and some that don't. */
  of(key: string): string[] {
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    const found = new Set<string>();
    for (const beginning of entry.beginnings) collect(this.#root, beginning, found);
    found.delete(key);
    return [...found].filter((other) => shareHost(entry.plan.hosts, this.#entries.get(other)?.plan.hosts ?? []));
  }

  /** The keys that have a plan. */
  keys(): string[] {
    return [...this.#entries.keys()];
  }

  #leafOf(beginning: readonly string[]): Branch {
    let at = this.#root;
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

/** Collects the keys of the nodes along a list of segments, and of all nodes below its end. */
function collect(at: Branch, [segment, ...rest]: readonly string[], found: Set<string>): void {
  for (const key of at.keys) found.add(key);
  if (segment === undefined) { for (const next of at.children.values()) collect(next, [], found); }
  else {
    const next = at.children.get(segment);
    if (next !== undefined) collect(next, rest, found);
  }
}

/**
 * The literal segments that a plan's paths begin with: one list for all operations, and one for the path that serves
 * the definition.
 */
function beginningsOf(plan: RoutePlan): string[][] {
  const paths = plan.routes.filter(({ action }) => action.kind === "definition").map(({ path }) => showPath(path));
  return [prefixOf(plan), ...paths].map((path) =>
    path.split("/").slice(1).filter((text) => text !== "").map(percentDecode)
  );
}
