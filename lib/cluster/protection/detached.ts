import { isObject, type JsonObject } from "../../schema/node.ts";
import type { KubernetesObject } from "../object.ts";

/** A name that nothing has. */
const NOTHING = "gw-nothing";

/** How the kinds that a gateway says something of are attached to others, and how they aren't. */
const DETACH: Readonly<Record<string, (spec: JsonObject) => JsonObject>> = {
  Gateway: (spec) => ({ ...spec, gatewayClassName: NOTHING }),
  HTTPRoute: (spec) => ({ ...spec, parentRefs: [] }),
  BackendTrafficPolicy: withoutTarget,
  ClientTrafficPolicy: withoutTarget,
  SecurityPolicy: withoutTarget,
};

/** The same object without any effect; `undefined` where a gateway says nothing of its kind. */
export function detached(object: KubernetesObject): KubernetesObject | undefined {
  const detach = DETACH[object.kind];
  return detach === undefined || !isObject(object.spec) ? undefined : { ...object, spec: detach(object.spec) };
}

function withoutTarget({ targetRefs, targetSelectors, ...spec }: JsonObject): JsonObject {
  const [target] = [targetRefs, targetSelectors].flatMap((list) => Array.isArray(list) ? list : []);
  const { group, kind } = isObject(target) ? target : {};
  return { ...spec, targetRefs: [{ group, kind, name: NOTHING }] };
}
