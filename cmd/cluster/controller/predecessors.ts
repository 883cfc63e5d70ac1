import { detached } from "../../../lib/cluster/protection/detached.ts";
import { keyOfObject, type KubernetesObject } from "../../../lib/cluster/object.ts";

/**
 * Objects that are gone, by the generations they had. Envoy Gateway writes a status only where it differs from the last
 * one for that name. When it learns of the end of an object and of its successor's beginning at the same time, and both
 * have the same generation, it never writes the status of the successor (v1.9.0,
 * internal/gatewayapi/runner/runner.go: the statuses are in maps by name that tell of differences alone).
 */
export interface Predecessors {
  /** Takes note of an object that goes. */
  note(object: KubernetesObject): void;
  /** What is to be written one after the other to create an object: its last state has a generation of its own. */
  statesOf(object: KubernetesObject): KubernetesObject[];
}

/** How long those that are gone are remembered, in milliseconds. */
const MEMORY = 600_000;

/** How many generations of a name are remembered: so many writes at the most, and one more, make an object. */
const MOST = 8;

/** Makes what remembers them. */
export function createPredecessors(now: () => number = () => performance.now()): Predecessors {
  /** The latest is the last. */
  const gone = new Map<string, { generations: Set<number>; until: number }>();

  return {
    note(object) {
      const key = keyOfObject(object);
      const { generations } = recent(key) ?? { generations: new Set<number>() };
      const { generation = 0 } = object.metadata;
      // The latest is the last here, too.
      generations.delete(generation);
      generations.add(generation);
      for (const oldest of generations) {
        if (generations.size <= MOST) break;
        generations.delete(oldest);
      }
      gone.delete(key);
      gone.set(key, { generations, until: now() + MEMORY });
      for (const [key, { until }] of gone) {
        if (until > now()) break;
        gone.delete(key);
      }
    },
    statesOf(object) {
      const generations = recent(keyOfObject(object))?.generations;
      const without = detached(object);
      if (generations === undefined || without === undefined) return [object];
      let generation = 1;
      while (generations.has(generation)) generation++;
      // Each differs from the one before it.
      return Array.from({ length: generation }, (_, index) => (generation - index) % 2 === 1 ? object : without);
    },
  };

  function recent(key: string): { generations: Set<number> } | undefined {
    const known = gone.get(key);
    return known !== undefined && known.until > now() ? known : undefined;
  }
}
