/**
 * Persists the last accepted `spec` of an API or static route while a later edit is refused. A replica of gw that
 * starts in the meantime reads it, and serves the accepted `spec`.
 *
 * It is stored in a ControllerRevision. The API server lets nobody change the content of a revision, which can only be
 * created and deleted. The owner reference of the revision names the API or static route.
 *
 * @see {@link https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/}
 * @module
 */
import { FIELD_MANAGER, LABELS } from "./names.ts";
import type { KubernetesObject } from "./object.ts";
import type { RoutePlan } from "../gateway/route.ts";
import { isObject } from "../schema/json/node.ts";
import { toCustomResource } from "./convert.ts";
import type { ApiObject, StaticRouteObject } from "./custom_resource.ts";
import { acceptedConditionOf } from "./status/route_status.ts";

/** `apiVersion`, kind and plural of ControllerRevisions, for requests to the API server. */
export const CONTROLLER_REVISION = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
} as const;

/** An accepted plan, with the `metadata.generation` of its API or static route at that time. */
export interface AcceptedPlan {
  readonly plan: RoutePlan;
  readonly generation: number;
}

/**
 * Returns the name of the ControllerRevision for an API or static route, such as `gw-api.todo`. Both are in one
 * namespace.
 */
export function revisionNameOf({ kind, metadata: { name } }: KubernetesObject): string {
  return `gw-${kind.toLowerCase()}.${name}`;
}

/**
 * Makes the ControllerRevision for an accepted plan of an API or static route. A large definition is compressed.
 *
 * @throws {StoreError} With the reason `full`, when the definition is too large for an object of a cluster.
 */
export async function revisionOf(
  object: ApiObject | StaticRouteObject,
  { plan, generation }: AcceptedPlan,
): Promise<KubernetesObject> {
  const { apiVersion, kind, metadata: { namespace = "", name, uid = "" } } = object;
  const isApi = plan.kind === "api";
  const resource = { namespace, name, spec: { fleet: plan.fleet, openapi: plan.document.written.source.text() } };
  const { spec } = await toCustomResource(
    isApi ? { kind: "api", ...resource } : { kind: "staticroute", ...resource },
  );
  return {
    apiVersion: CONTROLLER_REVISION.apiVersion,
    kind: CONTROLLER_REVISION.kind,
    metadata: {
      namespace,
      name: revisionNameOf(object),
      labels: { [LABELS.managedBy]: FIELD_MANAGER, [isApi ? LABELS.api : LABELS.staticRoute]: name },
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: false }],
    },
    data: { spec },
    revision: generation,
  };
}

/**
 * Tells whether a ControllerRevision belongs to an API or static route, and not to a deleted one of the same name.
 *
 * @param generation The object's generation that the revision must have. Default: any.
 */
export function isRevisionOf(
  revision: KubernetesObject,
  { metadata: { uid } }: KubernetesObject,
  generation: unknown = revision["revision"],
): boolean {
  return uid !== undefined && revision["revision"] === generation &&
    revision.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
}

/**
 * Returns the API or static route with its last accepted `spec` from a ControllerRevision.
 *
 * @returns `undefined` if the revision belongs to another object, or if a later `spec` has been accepted since.
 */
export function acceptedState(
  revision: KubernetesObject,
  object: ApiObject | StaticRouteObject,
): ApiObject | StaticRouteObject | undefined {
  const { data, revision: generation } = revision;
  if (!isRevisionOf(revision, object) || typeof generation !== "number") return undefined;
  const spec = isObject(data) ? data["spec"] : undefined;
  const accepted = acceptedConditionOf(object);
  const isOutdated = accepted?.status === "True" && accepted.observedGeneration !== generation;
  if (!isObject(spec) || isOutdated) return undefined;
  const { status: _status, ...rest } = object;
  return { ...rest, metadata: { ...object.metadata, generation }, spec };
}
