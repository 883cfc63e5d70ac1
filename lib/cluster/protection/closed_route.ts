import { isObject } from "../../schema/node.ts";
import { HEADERS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import type { Mocks } from "../translate/rendering.ts";

/**
 * The closed form of an HTTPRoute as it is in the cluster: it takes the same requests, and all of them are answered 503
 * by the mocks. For a route whose definition is gone; else it is rendered closed.
 */
export function closedRoute(route: KubernetesObject, mocks: Mocks): KubernetesObject {
  const { apiVersion, kind, metadata: { name, namespace, labels, annotations, ownerReferences } } = route;
  const spec = isObject(route.spec) ? route.spec : {};
  const rules = Array.isArray(spec["rules"]) ? spec["rules"].filter(isObject) : [];
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
      ...(ownerReferences === undefined ? {} : { ownerReferences }),
    },
    spec: {
      ...("parentRefs" in spec ? { parentRefs: spec["parentRefs"] } : {}),
      ...("hostnames" in spec ? { hostnames: spec["hostnames"] } : {}),
      rules: rules.map((rule) => ({
        ...("name" in rule ? { name: rule["name"] } : {}),
        ...("matches" in rule ? { matches: rule["matches"] } : {}),
        filters: [{
          type: "RequestHeaderModifier",
          requestHeaderModifier: { set: [{ name: HEADERS.closed, value: name }] },
        }],
        backendRefs: [{ name: mocks.name, namespace: mocks.namespace, port: mocks.port }],
      })),
    },
  };
}
