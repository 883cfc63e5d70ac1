/**
 * What was accepted last of an API or a static route, written down while its present `spec` is refused: who starts in the
 * meantime knows from it what is in force. It is a ControllerRevision, which can't be changed, only made and deleted, and
 * which belongs to the object that it is of.
 *
 * @see {@link https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/controller-revision-v1/}
 * @module
 */
import { FIELD_MANAGER, LABELS } from "./names.ts";
import type { KubernetesObject } from "./object.ts";
import type { RoutePlan } from "../gateway/route.ts";
import { isEqual } from "../schema/equal.ts";
import { isObject } from "../schema/node.ts";
import { toCustomResource } from "./convert.ts";
import type { ApiObject, StaticRouteObject } from "./custom_resource.ts";

/** How the kind is addressed. */
export const CONTROLLER_REVISION = {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  plural: "controllerrevisions",
} as const;

/** A plan that was accepted, and the generation of its object then. */
export interface AcceptedPlan {
  readonly plan: RoutePlan;
  readonly generation: number;
}

/** The name of the revision of an object, in its namespace: `gw-api.todo` */
export function revisionNameOf({ kind, metadata: { name } }: KubernetesObject): string {
  return `gw-${kind.toLowerCase()}.${name}`;
}

/**
 * Writes down what was accepted of an object; large definitions are compressed.
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

/** Whether a revision is of an object: of this one, not of one of its name that is gone. */
export function isRevisionOf(revision: KubernetesObject, { metadata: { uid } }: KubernetesObject): boolean {
  return uid !== undefined && revision.metadata.ownerReferences?.some((owner) => owner.uid === uid) === true;
}

/** Whether two revisions say the same. */
export function isSameRevision(revision: KubernetesObject, other: KubernetesObject): boolean {
  return revision["revision"] === other["revision"] && isEqual(revision["data"], other["data"]);
}

/**
 * The object as it was accepted.
 *
 * @returns `undefined` for a revision of another object, or one that is older than what has been accepted since.
 */
export function acceptedState(
  revision: KubernetesObject,
  object: ApiObject | StaticRouteObject,
): ApiObject | StaticRouteObject | undefined {
  const { data, revision: generation } = revision;
  if (!isRevisionOf(revision, object) || typeof generation !== "number") return undefined;
  const spec = isObject(data) ? data["spec"] : undefined;
  const said = object.status?.conditions?.find(({ type }) => type === "Accepted");
  const isOutdated = said?.status === "True" && said.observedGeneration !== generation;
  if (!isObject(spec) || isOutdated) return undefined;
  const { status: _status, ...rest } = object;
  return { ...rest, metadata: { ...object.metadata, generation }, spec };
}
