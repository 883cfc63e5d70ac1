import type { RoutePlan } from "../../gateway/route.ts";
import { FIELD_MANAGER, LABELS } from "../names.ts";
import type { KubernetesObject, OwnerReference } from "../object.ts";

/** What an object is made from. */
export interface Draft {
  apiVersion: string;
  kind: string;
  name: string;
  labels?: Record<string, string>;
  spec: unknown;
}

/** Makes objects that belong to a plan: in its namespace, with its labels and owner. */
export type MakeObject = (draft: Draft) => KubernetesObject;

/** Makes what makes the objects of a plan. */
export function createMakeObject({ kind, namespace, name, fleet }: RoutePlan, owner?: OwnerReference): MakeObject {
  const labels = {
    [LABELS.managedBy]: FIELD_MANAGER,
    [kind === "api" ? LABELS.api : LABELS.staticRoute]: name,
    [LABELS.fleet]: fleet.name,
    [LABELS.fleetNamespace]: fleet.namespace,
  };
  return ({ apiVersion, kind, name, labels: more, spec }) => ({
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { ...labels, ...more },
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec,
  });
}
