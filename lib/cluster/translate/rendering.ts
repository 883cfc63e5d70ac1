import { FIELD_MANAGER, LABELS } from "../names.ts";
import type { KubernetesObject, ObjectId, OwnerReference } from "../object.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";

/** Which kinds of objects may be used: those of Envoy Gateway too, or only the standard channel of the Gateway API. */
export type Profile = "envoy-gateway" | "portable";

/** Where the mocks are. */
export interface Mocks {
  /** Name of their Service. */
  name: string;
  namespace: string;
  /** Answers for the API that the header `x-svc-api` names. */
  port: number;
  /** Answers whether a request is as its definition wants it. */
  checkPort: number;
}

/** Whether the cluster has a namespace of a name. */
export type IsNamespace = (name: string) => boolean;

/** What plans are rendered for. */
export interface RenderOptions {
  /** The Gateway that the routes attach to. */
  gateway: { name: string; namespace: string };
  profile: Profile;
  /** Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /** The object that what is rendered in its namespace lives and dies with. Default: none. */
  owner?: OwnerReference;
  /** The other plans of the fleet: where their paths overlap those of the plan, the order of both is settled. */
  neighbours?: readonly RoutePlan[];
  /** Whether the cluster has a namespace of a name; hosts may not be named so that they are Services of it. */
  isNamespace?: IsNamespace;
  /** Whether the group of protected routes may lead to its upstreams; until then gw answers 503. Default: all may. */
  isOpen?: (group: string) => boolean;
}

/** A plan as Kubernetes objects. */
export interface Rendering {
  /** In the order in which they are to be applied. */
  objects: KubernetesObject[];
  /** The routes that only some clients may use, and what keeps the others out. */
  protections: Protection[];
  /** What the profile can't express, as errors. What they are about is not in `objects`. */
  refusals: UnlocatedDiagnostic[];
  /** Operations by what becomes of them; the rest is redirected. */
  counts: { mocked: number; proxied: number; disabled: number };
}

/** An HTTPRoute with protected rules. */
export interface Protection {
  /** Stable name, that of the HTTPRoute. */
  group: string;
  route: ObjectId;
  /** What keeps clients out: to be accepted before the group opens. */
  policies: ObjectId[];
  /** Hash of what protects the group: when it changes, the group is to be closed first again. */
  fingerprint: string;
}

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

/** The API or static route that objects are rendered for. */
export interface RuleContext {
  /** Name of the API or static route, and its namespace. */
  readonly name: string;
  readonly namespace: string;
  readonly mocks: Mocks;
  readonly make: MakeObject;
}
