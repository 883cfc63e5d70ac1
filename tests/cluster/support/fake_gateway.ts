/**
 * Simulates a gateway for tests with an API server only: it accepts routes, policies and Gateways by writing their
 * statuses, but serves no requests.
 *
 * @module
 */
import { GATEWAY, HTTP_ROUTE, SECURITY_POLICY } from "../../../cmd/cluster/controller/kinds.ts";
import type { KubeClient, ResourceType } from "../../../cmd/cluster/client.ts";
import { createInformer } from "../../../cmd/cluster/informer.ts";
import type { KubernetesObject, StatusCondition } from "../../../lib/cluster/object.ts";
import { isObject } from "../../../lib/schema/json/node.ts";

export interface FakeGateway extends Disposable {
  /** Stops writing statuses, or resumes. */
  setSilent(isSilent: boolean): void;
}

const CONTROLLER = "test.x-svc.io/gateway";

/**
 * Accepts each generation of all routes, policies and Gateways in a client's namespaces.
 *
 * @param isSilentAbout Returns whether an object gets no status for now. Default: every object gets one.
 */
export function startFakeGateway(
  client: KubeClient,
  isSilentAbout: (object: KubernetesObject) => boolean = () => false,
): FakeGateway {
  let isSilent = false;
  const informers = [
    follow(HTTP_ROUTE, (route) => {
      const spec = isObject(route.spec) ? route.spec : {};
      const parents = Array.isArray(spec["parentRefs"]) ? spec["parentRefs"] : [];
      // A gateway ignores a route that is attached to no Gateway.
      if (parents.length === 0) return undefined;
      const conditions = ["Accepted", "ResolvedRefs"].map((type) => condition(type, route));
      return { parents: parents.map((parentRef: unknown) => ({ parentRef, controllerName: CONTROLLER, conditions })) };
    }),
    follow(SECURITY_POLICY, (policy) => ({
      ancestors: [{
        ancestorRef: { group: "gateway.networking.k8s.io", kind: "Gateway", name: "edge" },
        controllerName: CONTROLLER,
        conditions: [condition("Accepted", policy)],
      }],
    })),
    follow(GATEWAY, (gateway) => ({
      addresses: [{ type: "IPAddress", value: "192.0.2.1" }],
      conditions: ["Accepted", "Programmed"].map((type) => condition(type, gateway)),
    })),
  ];
  return {
    setSilent(silent) {
      isSilent = silent;
      if (!silent) { for (const { look } of informers) look(); }
    },
    [Symbol.dispose]() {
      for (const { stop } of informers) stop();
    },
  };

  function follow(
    type: ResourceType,
    statusOf: (object: KubernetesObject) => unknown,
  ): { look: () => void; stop: () => void } {
    const informer = createInformer(client, type);
    const look = (): void => {
      for (const object of informer.list()) accept(object);
    };
    const accept = (object: KubernetesObject): void => {
      if (
        isSilent || isSilentAbout(object) ||
        JSON.stringify(object.status ?? {}).includes(`"observedGeneration":${object.metadata.generation}`)
      ) {
        return;
      }
      const status = statusOf(object);
      if (status === undefined) return;
      const { apiVersion, kind, metadata: { name, namespace = "" } } = object;
      // Ignore errors: the object may have been deleted meanwhile.
      client.applyStatus(type, { apiVersion, kind, metadata: { name, namespace }, status }, {
        fieldManager: "fake-gateway",
      }).catch(() => {});
    };
    void informer.synced.then(look);
    informer.onChange((object, change) => {
      if (change === "set") accept(object);
    });
    return { look, stop: () => informer.stop() };
  }
}

function condition(type: string, { metadata: { generation = 0 } }: KubernetesObject): StatusCondition {
  return {
    type,
    status: "True",
    reason: type,
    message: "It is.",
    observedGeneration: generation,
    lastTransitionTime: new Date().toISOString(),
  };
}
