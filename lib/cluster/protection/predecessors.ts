import { isObject, type JsonObject } from "../../schema/node.ts";
import { keyOfObject, type KubernetesObject } from "../object.ts";

/** How long the generations of deleted objects are remembered, in milliseconds. */
const MEMORY = 600_000;

/**
 * The most generations that are remembered for a name. This bounds the writes that create an object: at most one more.
 */
const MAX_GENERATIONS = 8;

/** A name that no object has. */
const NOTHING = "gw-nothing";

/**
 * Removes from `spec` the reference that attaches an object to another one, so that the object has no effect. Only
 * kinds whose status a gateway writes are here: only their objects need another generation than their predecessors.
 */
const DETACH: Readonly<Record<string, (spec: JsonObject) => JsonObject>> = {
  Gateway: (spec) => ({ ...spec, gatewayClassName: NOTHING }),
  HTTPRoute: (spec) => ({ ...spec, parentRefs: [] }),
  BackendTrafficPolicy: withoutTarget,
  ClientTrafficPolicy: withoutTarget,
  SecurityPolicy: withoutTarget,
};

/**
 * Remembers the generations of deleted objects, by name, so that a new object of that name gets another generation.
 *
 * Envoy Gateway (v1.9.0, internal/gatewayapi/runner/runner.go) writes a status only where it differs from the last
 * status for that name. Suppose it sees the deletion of an object and the creation of its successor at the same time,
 * and both have the same generation. Then it never writes the status of the successor.
 */
export class Predecessors {
  readonly #now: () => number;
  /** By {@linkcode keyOfObject}, in the order in which the objects were deleted. */
  readonly #deleted = new Map<string, { generations: Set<number>; until: number }>();

  /** @param now The monotonic time in milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Remembers the generation of an object that is deleted. */
  note(object: KubernetesObject): void {
    const key = keyOfObject(object);
    const generations = this.#generationsOf(key) ?? new Set<number>();
    const { generation = 0 } = object.metadata;
    // A set keeps the order of insertion: the latest generation comes last.
    generations.delete(generation);
    generations.add(generation);
    for (const oldest of generations) {
      if (generations.size <= MAX_GENERATIONS) break;
      generations.delete(oldest);
    }
    this.#deleted.delete(key);
    this.#deleted.set(key, { generations, until: this.#now() + MEMORY });
    for (const [key, { until }] of this.#deleted) {
      if (until > this.#now()) break;
      this.#deleted.delete(key);
    }
  }

  /**
   * The states to write one after the other to create an object. Each write adds one to the generation, so that the
   * last state has a generation that no deleted object of this name had.
   */
  statesOf(object: KubernetesObject): KubernetesObject[] {
    const generations = this.#generationsOf(keyOfObject(object));
    const detached = detach(object);
    if (generations === undefined || detached === undefined) return [object];
    let generation = 1;
    while (generations.has(generation)) generation++;
    // Two forms of the object take turns, so that each write changes `spec` and increments the generation.
    return Array.from({ length: generation }, (_, index) => (generation - index) % 2 === 1 ? object : detached);
  }

  #generationsOf(key: string): Set<number> | undefined {
    const known = this.#deleted.get(key);
    return known !== undefined && known.until > this.#now() ? known.generations : undefined;
  }
}

/** The object attached to no other, so that it has no effect; `undefined` for kinds whose status no gateway writes. */
function detach(object: KubernetesObject): KubernetesObject | undefined {
  const detachSpec = DETACH[object.kind];
  return detachSpec === undefined || !isObject(object.spec) ? undefined : { ...object, spec: detachSpec(object.spec) };
}

function withoutTarget({ targetRefs, targetSelectors, ...spec }: JsonObject): JsonObject {
  const [target] = [targetRefs, targetSelectors].flatMap((list) => Array.isArray(list) ? list : []);
  const { group, kind } = isObject(target) ? target : {};
  return { ...spec, targetRefs: [{ group, kind, name: NOTHING }] };
}
