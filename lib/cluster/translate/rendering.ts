/**
 * Input and output of a rendering, the context that its steps share, and the metadata of its objects.
 *
 * @module
 */
import { FIELD_MANAGER, LABELS, MOCKS } from "../names.ts";
import type { KubernetesObject, ObjectId, OwnerReference } from "../object.ts";
import { shareHost } from "../../gateway/hosts.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";

/** The kinds that a rendering may use: those of Envoy Gateway too, or the standard channel of the Gateway API only. */
export type Profile = "envoy-gateway" | "portable";

/** The Service of the mocks. */
export interface Mocks {
  name: string;
  namespace: string;
  /** Port for requests: the header `x-svc-api` names the API that answers. */
  port: number;
  /** Port of the ext_authz service, which validates requests against their definition. */
  checkPort: number;
}

/** Tells whether the cluster has a namespace. */
export type IsNamespace = (name: string) => boolean;

/** Options of a rendering. */
export interface RenderOptions {
  /** The Gateway that the routes attach to. */
  gateway: { name: string; namespace: string };
  profile: Profile;
  /** The Service of the mocks. Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /** Owner of the objects in the plan's namespace: Kubernetes deletes them with it. Default: none. */
  owner?: OwnerReference;
  /**
   * The other plans (routes with settings) of the fleet. Their paths may overlap those of the plan, so the precedence
   * of all paths is decided together.
   */
  neighbours?: readonly RoutePlan[];
  /**
   * Tells whether the cluster has a namespace. A host that DNS resolvers may take for a Service in a namespace is
   * refused.
   */
  isNamespace?: IsNamespace;
  /** Tells whether a group of protected routes may lead to its upstreams; until then gw answers 503. Default: all may. */
  isOpen?: (group: string) => boolean;
}

/** A plan as Kubernetes objects. */
export interface Rendering {
  /** In the order in which to apply them. */
  objects: KubernetesObject[];
  /** The protected HTTPRoutes with their policies. */
  protections: Protection[];
  /** Errors: settings that the profile can't express. Routes with such settings are left out of `objects`. */
  diagnostics: UnlocatedDiagnostic[];
  /** Number of operations by action, apart from redirects. */
  counts: { mocked: number; proxied: number; disabled: number };
}

/**
 * A protected HTTPRoute (one for clients with credentials), and its policies. Its routes are a group, which is closed
 * until the policies are in force: gw answers 503.
 */
export interface Protection {
  /** The name of the group: that of the HTTPRoute. */
  group: string;
  route: ObjectId;
  /** The policies that guard the route: they must be accepted before the group opens. */
  policies: ObjectId[];
  /** Hash of the policies. When it changes, the group is closed before the policies are replaced. */
  fingerprint: string;
}

/** The plan and the options of one rendering, with their defaults. */
export interface RenderContext {
  readonly plan: RoutePlan;
  readonly gateway: { readonly name: string; readonly namespace: string };
  readonly profile: Profile;
  readonly mocks: Mocks;
  readonly owner: OwnerReference | undefined;
  /** The plans that can take requests of the plan, or lose requests to it. */
  readonly neighbours: readonly RoutePlan[];
  readonly isNamespace: IsNamespace;
  readonly isOpen: (group: string) => boolean;
}

/** Makes the context of a rendering. */
export function createContext(plan: RoutePlan, options: RenderOptions): RenderContext {
  const { gateway, profile, mocks = MOCKS, owner, isNamespace = () => false, isOpen = () => true } = options;
  const neighbours = (options.neighbours ?? []).filter((other) => isNeighbour(plan, other));
  return { plan, gateway, profile, mocks, owner, neighbours, isNamespace, isOpen };
}

/**
 * Tells whether another plan is a neighbour: the plans share a host, and the paths of the other plan affect the
 * precedence of this plan's paths. An API is no neighbour of a static route: the only path of a static route is a
 * prefix, and path templates always precede prefixes.
 */
function isNeighbour(plan: RoutePlan, other: RoutePlan): boolean {
  const isSame = plan.kind === other.kind && plan.namespace === other.namespace && plan.name === other.name;
  return !isSame && (plan.kind === "api" || other.kind === plan.kind) && shareHost(plan.hosts, other.hosts);
}

/** An object before it gets the metadata of its plan. */
export interface Draft {
  apiVersion: string;
  kind: string;
  name: string;
  labels?: Record<string, string>;
  spec: unknown;
}

/** Makes an object of the plan: in its namespace, with its labels and owner. */
export function makeObject(
  { plan, owner }: Pick<RenderContext, "plan" | "owner">,
  { apiVersion, kind, name, labels, spec }: Draft,
): KubernetesObject {
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: plan.namespace,
      labels: {
        [LABELS.managedBy]: FIELD_MANAGER,
        [plan.kind === "api" ? LABELS.api : LABELS.staticRoute]: plan.name,
        [LABELS.fleet]: plan.fleet.name,
        [LABELS.fleetNamespace]: plan.fleet.namespace,
        ...labels,
      },
      ...(owner === undefined ? {} : { ownerReferences: [owner] }),
    },
    spec,
  };
}
