import { prefixOf } from "./default_rule.ts";
import { shareHost } from "../../gateway/hosts.ts";
import { type RoutePlan, showPath } from "../../gateway/route.ts";
import { percentDecode } from "../../http/url/url.ts";

/**
 * A node of a trie of path segments. Its `keys` are the APIs and static routes with a plan whose paths all begin with
 * the segments from the root to this node.
 */
interface Branch {
  readonly children: Map<string, Branch>;
  readonly keys: Set<string>;
}

/**
 * An index of the plans of a fleet that may overlap: some request might match routes of two plans. For each plan, the
 * index has the literal segments with which all its paths begin. Two plans can't overlap if neither's segments begin
 * with those of the other.
 */
export class NeighbourIndex {
  readonly #root = branch();
  readonly #entries = new Map<string, { plan: RoutePlan; beginnings: readonly (readonly string[])[] }>();

  /** Sets the plan of a key, or removes it with `undefined`. */
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

  /** Returns the keys of the plans that may overlap the plan of a key. Plans that don't overlap may be among them. */
  of(key: string): string[] {
    const entry = this.#entries.get(key);
    if (entry === undefined) return [];
    const found = new Set<string>();
    for (const beginning of entry.beginnings) collect(this.#root, beginning, found);
    found.delete(key);
    return [...found].filter((other) => shareHost(entry.plan.hosts, this.#entries.get(other)?.plan.hosts ?? []));
  }

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

/** Collects the keys of all nodes on the way along the segments, and of all nodes below the last of them. */
function collect(at: Branch, [segment, ...rest]: readonly string[], found: Set<string>): void {
  for (const key of at.keys) found.add(key);
  if (segment === undefined) { for (const next of at.children.values()) collect(next, [], found); }
  else {
    const next = at.children.get(segment);
    if (next !== undefined) collect(next, rest, found);
  }
}

/**
 * Returns the literal segments with which a plan's paths begin: a list for all operations, and a list for the path of
 * the public definition.
 */
function beginningsOf(plan: RoutePlan): string[][] {
  const paths = plan.routes.filter(({ action }) => action.kind === "definition").map(({ path }) => showPath(path));
  return [prefixOf(plan), ...paths].map((path) =>
    path.split("/").slice(1).filter((text) => text !== "").map(percentDecode)
  );
}
