import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { GATEWAY_CLASS } from "../../../tests/cluster/support/stack.ts";

/** A Gateway named `edge` with one listener. */
export function gatewayObject(namespace: string, port: number): KubernetesObject & { metadata: { namespace: string } } {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { namespace, name: "edge" },
    spec: { gatewayClassName: GATEWAY_CLASS, listeners: [{ name: "http", port, protocol: "HTTP" }] },
  };
}

/** An HTTPRoute from a host name to the Service with that name, which adds a header to the response. */
export function routeObject(
  namespace: string,
  name: string,
  host: string,
  header: { name: string; value: string },
): KubernetesObject {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: { namespace, name },
    spec: {
      parentRefs: [{ name: "edge" }],
      hostnames: [host],
      rules: [{
        matches: [{ path: { type: "PathPrefix", value: "/" } }],
        filters: [{ type: "RequestHeaderModifier", requestHeaderModifier: { set: [header] } }],
        backendRefs: [{ name, port: 80 }],
      }],
    },
  };
}
