import { isObject, type JsonObject } from "../../schema/json/node.ts";
import { keyOfObject, type KubernetesObject } from "../object.ts";

/** The time for which the generations of deleted objects are remembered, in milliseconds. */
const RETENTION = 600_000;

/**
 * The most generations that are remembered for the name of an object. Creating an object takes at most one write more.
 */
const MAX_GENERATIONS = 8;

/** The name of an object that doesn't exist. */
const NO_OBJECT = "gw-nothing";

/**
 * Changes of `spec` by which an object refers to nothing, and so has no effect. Only the kinds are listed whose status
 * Envoy Gateway writes, since only these objects need another generation than their predecessors.
 */
const DETACH: Readonly<Record<string, (spec: JsonObject) => JsonObject>> = {
  Gateway: (spec) => ({ ...spec, gatewayClassName: NO_OBJECT }),
  HTTPRoute: (spec) => ({ ...spec, parentRefs: [] }),
  BackendTrafficPolicy: withoutTarget,
  ClientTrafficPolicy: withoutTarget,
  SecurityPolicy: withoutTarget,
};

/**
 * Remembers the generations of deleted objects, so that a new object with the same name gets another generation.
 *
 * Otherwise the status of the new object might never be written. Envoy Gateway (v1.9.0,
 * internal/gatewayapi/runner/runner.go) writes a status only if it differs from the last status for that name. If Envoy
 * Gateway sees a deletion and the creation after it at once, and both objects have the same generation, the status
 * seems unchanged.
 */
export class Predecessors {
  readonly #now: () => number;
  /** The remembered generations by {@linkcode keyOfObject}, in the order of the deletions. */
  readonly #deleted = new Map<string, { generations: Set<number>; until: number }>();

  /** @param now Returns the time of a monotonic clock, in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers the generation of an object that is being deleted. */
  note(object: KubernetesObject): void {
    const key = keyOfObject(object);
    const generations = this.#generationsOf(key) ?? new Set<number>();
    const { generation = 0 } = object.metadata;
    // A `Set` iterates in the order of insertion. The generation is inserted again, so that it comes last.
    generations.delete(generation);
    generations.add(generation);
    for (const oldest of generations) {
      if (generations.size <= MAX_GENERATIONS) break;
      generations.delete(oldest);
    }
    this.#deleted.delete(key);
    this.#deleted.set(key, { generations, until: this.#now() + RETENTION });
    for (const [key, { until }] of this.#deleted) {
      if (until > this.#now()) break;
      this.#deleted.delete(key);
    }
  }

  /**
   * Returns the states of an object to write one after the other when the object is created. Each write increments the
   * generation, until it is one that no deleted object of this name had.
   */
  statesOf(object: KubernetesObject): KubernetesObject[] {
    const generations = this.#generationsOf(keyOfObject(object));
    const detached = detach(object);
    if (generations === undefined || detached === undefined) return [object];
    let generation = 1;
    while (generations.has(generation)) generation++;
    // The desired object and its detached form alternate, so that each write changes `spec` and increments the
    // generation. The desired object comes last.
    return Array.from({ length: generation }, (_, index) => (generation - index) % 2 === 1 ? object : detached);
  }

  #generationsOf(key: string): Set<number> | undefined {
    const known = this.#deleted.get(key);
    return known !== undefined && known.until > this.#now() ? known.generations : undefined;
  }
}

/**
 * Returns an object without effect, because it refers to nothing; `undefined` for kinds whose status Envoy Gateway
 * doesn't write.
 */
function detach(object: KubernetesObject): KubernetesObject | undefined {
  const detachSpec = DETACH[object.kind];
  return detachSpec === undefined || !isObject(object.spec) ? undefined : { ...object, spec: detachSpec(object.spec) };
}

function withoutTarget({ targetRefs, targetSelectors, ...spec }: JsonObject): JsonObject {
  const [target] = [targetRefs, targetSelectors].flatMap((list) => Array.isArray(list) ? list : []);
  const { group, kind } = isObject(target) ? target : {};
  return { ...spec, targetRefs: [{ group, kind, name: NO_OBJECT }] };
}
