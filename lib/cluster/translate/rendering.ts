import { FIELD_MANAGER, LABELS } from "../names.ts";
import type { KubernetesObject, ObjectId, OwnerReference } from "../object.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";

/** The kinds of objects that a rendering uses: Envoy Gateway's too, or only the standard channel of the Gateway API. */
export type Profile = "envoy-gateway" | "portable";

/** The Service of the mocks. */
export interface Mocks {
  /** Name of their Service. */
  name: string;
  namespace: string;
  /** Port of the answers for the API that the header `x-svc-api` names. */
  port: number;
  /** Port of the request checks (`extAuth`). */
  checkPort: number;
}

/** Whether the cluster has a namespace of a name. */
export type IsNamespace = (name: string) => boolean;

/** Options of a rendering. */
export interface RenderOptions {
  /** The Gateway that the routes attach to. */
  gateway: { name: string; namespace: string };
  profile: Profile;
  /** Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /** The owner reference of the rendered objects. Default: none. */
  owner?: OwnerReference;
  /** The other plans of the fleet: they count for the order of overlapping paths. */
  neighbours?: readonly RoutePlan[];
  /** Whether the cluster has a namespace of a name: a host must not be the name of a Service in it. */
  isNamespace?: IsNamespace;
  /** Whether a group of protected routes leads to its upstreams; a closed group answers 503. Default: all are open. */
  isOpen?: (group: string) => boolean;
}

/** A plan as Kubernetes objects. */
export interface Rendering {
  /** In the order in which to apply them. */
  objects: KubernetesObject[];
  /** The protected routes, and their policies. */
  protections: Protection[];
  /** The parts of the plan that the profile can't express, as errors; `objects` doesn't contain them. */
  refusals: UnlocatedDiagnostic[];
  /** How many operations are mocked, proxied and disabled; the rest is redirected. */
  counts: { mocked: number; proxied: number; disabled: number };
}

/** An HTTPRoute with protected rules. */
export interface Protection {
  /** Stable name, that of the HTTPRoute. */
  group: string;
  route: ObjectId;
  /** The policies that must be accepted before the group opens. */
  policies: ObjectId[];
  /** Hash of the protection: when it changes, the group must be closed first. */
  fingerprint: string;
}

/** The parts of an object that differ between the objects of a plan. */
export interface Draft {
  apiVersion: string;
  kind: string;
  name: string;
  labels?: Record<string, string>;
  spec: unknown;
}

/** Makes objects that belong to a plan: in its namespace, with its labels and owner. */
export type MakeObject = (draft: Draft) => KubernetesObject;

/** Gives the function that makes the objects of a plan. */
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

/** The API or static route that objects are rendered for. */
export interface RuleContext {
  /** Name of the API or static route, and its namespace. */
  readonly name: string;
  readonly namespace: string;
  readonly mocks: Mocks;
  readonly make: MakeObject;
}
