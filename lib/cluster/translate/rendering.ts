/**
 * The input and output of rendering a plan, the context that its steps share, and the metadata of the objects.
 *
 * @module
 */
import { FIELD_MANAGER, LABELS, MOCKS, RENDER_MANAGER } from "../names.ts";
import type { KubernetesObject, ObjectId, OwnerReference } from "../object.ts";
import { shareHost } from "../../gateway/hosts.ts";
import type { RoutePlan } from "../../gateway/route.ts";
import type { UnlocatedDiagnostic } from "../../openapi/diagnostic.ts";

/**
 * The kinds that a rendering may use: those of the standard channel of the Gateway API (`portable`), or also those of
 * Envoy Gateway.
 */
export type Profile = "envoy-gateway" | "portable";

/** The Service of the mocks (`gw mock --cluster`). */
export interface Mocks {
  name: string;
  namespace: string;
  /** The port for mocked requests. Their header `x-svc-api` names the API that answers. */
  port: number;
  /** The port for ext_authz, by which Envoy has requests validated against the definition. */
  checkPort: number;
}

/** Tells whether the cluster has a namespace. */
export type IsNamespace = (name: string) => boolean;

/** Options of {@linkcode renderGatewayApi}. */
export interface RenderOptions {
  /** The Gateway that the routes attach to. */
  gateway: { name: string; namespace: string };
  profile: Profile;
  /** The Service of the mocks. Default: the Service that `gw manifests` makes. */
  mocks?: Mocks;
  /**
   * The API or static route that owns the objects: Kubernetes deletes them with it, and the controller may change and
   * delete them. Default: none. Objects without an owner belong to whoever applies them, such as a tool for GitOps.
   */
  owner?: OwnerReference;
  /** The other plans of the fleet. The precedence of overlapping paths is determined for all plans together. */
  neighbours?: readonly RoutePlan[];
  /**
   * Tells whether the cluster has a namespace. A host is refused if it may be meant for a Service in a namespace. Pass it
   * only for a `spec` that isn't accepted yet: namespaces that are created later don't affect what is in force. Default:
   * no namespace is known.
   */
  isNamespace?: IsNamespace;
  /**
   * Tells whether a group (a guarded HTTPRoute and its policies) may be open. The routes of a closed group answer 503.
   * Default: all groups are open.
   */
  isOpen?: (group: string) => boolean;
}

/** The Kubernetes objects of a plan. */
export interface Rendering {
  /** The objects in the order in which they are applied. */
  objects: KubernetesObject[];
  /** The protected HTTPRoutes, with their policies. */
  protections: Protection[];
  /** The errors: settings that the profile can't express. `objects` has no rules for routes with errors. */
  diagnostics: UnlocatedDiagnostic[];
  /** The number of operations by action. Redirects aren't counted. */
  counts: { mocked: number; proxied: number; disabled: number };
}

/**
 * A protected HTTPRoute (only requests with credentials pass), and its policies. The route answers 503 until the
 * policies are in force.
 */
export interface Protection {
  /** The name of the group, which is that of the HTTPRoute. */
  group: string;
  route: ObjectId;
  /** The policies that guard the route. The gateway must accept them before the group opens. */
  policies: ObjectId[];
  /** A hash of the policies. If it changes, the group is closed before the policies are replaced. */
  fingerprint: string;
}

/** The plan to render, with the options and their defaults. */
export interface RenderContext {
  readonly plan: RoutePlan;
  readonly gateway: { readonly name: string; readonly namespace: string };
  readonly profile: Profile;
  readonly mocks: Mocks;
  readonly owner: OwnerReference | undefined;
  /** The plans that may match the same requests, and affect the precedence of this plan's paths. */
  readonly neighbours: readonly RoutePlan[];
  readonly isNamespace: IsNamespace;
  readonly isOpen: (group: string) => boolean;
}

export function createContext(plan: RoutePlan, options: RenderOptions): RenderContext {
  const { gateway, profile, mocks = MOCKS, owner } = options;
  const { isNamespace = () => false, isOpen = () => true } = options;
  const neighbours = (options.neighbours ?? []).filter((other) => isNeighbour(plan, other));
  return { plan, gateway, profile, mocks, owner, neighbours, isNamespace, isOpen };
}

/**
 * Tells whether another plan is a neighbour: it has hosts in common with the plan, and its paths affect the precedence
 * of the plan's paths. The only path of a static route is a prefix, which templates of an API always precede. So an API
 * is no neighbour of a static route.
 */
function isNeighbour(plan: RoutePlan, other: RoutePlan): boolean {
  const isSame = plan.kind === other.kind && plan.namespace === other.namespace && plan.name === other.name;
  return !isSame && (plan.kind === "api" || other.kind === plan.kind) && shareHost(plan.hosts, other.hosts);
}

/** An object without the metadata that all objects of a plan share. */
export interface RenderingDraft {
  apiVersion: string;
  kind: string;
  name: string;
  labels?: Record<string, string>;
  spec: unknown;
}

/** Makes an object in the namespace of its plan, with the labels and the owner of the plan's objects. */
export function makeObject(
  { plan, owner }: Pick<RenderContext, "plan" | "owner">,
  { apiVersion, kind, name, labels, spec }: RenderingDraft,
): KubernetesObject {
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace: plan.namespace,
      labels: {
        // Objects without an owner in the cluster belong to whoever applies them.
        [LABELS.managedBy]: owner === undefined ? RENDER_MANAGER : FIELD_MANAGER,
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
