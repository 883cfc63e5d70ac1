/**
 * RBAC: the service accounts of gw, with no rights that they don't use, and ClusterRoles for the users of a cluster.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/rbac/}
 * @module
 */
import { GROUP } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { INSTALLED, labelsOf } from "./installation.ts";

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  apiGroups: readonly string[];
  resources: readonly string[];
  verbs: readonly string[];
  /** The names of the objects that the rule is limited to. Default: all objects. */
  resourceNames?: readonly string[];
}

const RBAC = "rbac.authorization.k8s.io";
const WATCH_VERBS = ["list", "watch"] as const;
/** The verbs to create, change and delete objects. */
const WRITE_VERBS = ["get", "create", "update", "patch", "delete"] as const;
const KINDS = ["apis", "fleets", "staticroutes"] as const;

/** The rights of `gw serve` in all namespaces. */
const SERVE_RULES: readonly PolicyRule[] = [
  // The management API writes these kinds for its users, whose rights it checks first. The controller writes their
  // finalizers.
  { apiGroups: [GROUP], resources: KINDS, verbs: [...WATCH_VERBS, ...WRITE_VERBS] },
  { apiGroups: [GROUP], resources: KINDS.map((kind) => `${kind}/status`), verbs: ["patch"] },
  // Plans are translated to objects of these kinds.
  {
    apiGroups: ["gateway.networking.k8s.io"],
    resources: ["gateways", "httproutes"],
    verbs: [...WATCH_VERBS, ...WRITE_VERBS],
  },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["referencegrants"], verbs: WATCH_VERBS },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["gatewayclasses"], verbs: ["get"] },
  {
    apiGroups: ["gateway.envoyproxy.io"],
    resources: [
      "backends",
      "backendtrafficpolicies",
      "clienttrafficpolicies",
      "envoyproxies",
      "httproutefilters",
      "securitypolicies",
    ],
    verbs: [...WATCH_VERBS, ...WRITE_VERBS],
  },
  // The controller checks that upstreams exist and have endpoints.
  { apiGroups: [""], resources: ["namespaces", "services"], verbs: WATCH_VERBS },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: WATCH_VERBS },
  // ControllerRevisions store the last accepted specs. `list` isn't granted, because it would also show the revisions
  // of StatefulSets and DaemonSets, which contain pod templates.
  { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs: ["get", "create", "delete"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
  // The management API authenticates and authorizes its users by these kinds.
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  // `gw serve` writes the CA certificate of the webhook (`caBundle`), which the API server trusts.
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["validatingwebhookconfigurations"],
    resourceNames: [INSTALLED.webhookConfiguration],
    verbs: ["get", "patch"],
  },
];

/** The rights of `gw serve` in the namespace of gw. */
const SERVE_OWN_RULES: readonly PolicyRule[] = [
  // These ReferenceGrants let routes of other namespaces use the Service of the mocks. ReferenceGrants for other
  // Services are made by the owners of those.
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["referencegrants"], verbs: WRITE_VERBS },
  // Leader election needs a Lease. RBAC can't restrict the right to create an object to a name.
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [INSTALLED.lease],
    verbs: ["get", "update"],
  },
  // The Secret has the certificate of the webhook, which all replicas share. The manifests contain it without data, so
  // `create` isn't needed.
  {
    apiGroups: [""],
    resources: ["secrets"],
    resourceNames: [INSTALLED.webhookSecret],
    verbs: ["get", "update"],
  },
];

/** The rights of `gw mock --cluster` in all namespaces. */
const MOCK_RULES: readonly PolicyRule[] = [
  { apiGroups: [GROUP], resources: ["apis", "fleets"], verbs: WATCH_VERBS },
  { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs: ["get"] },
];

/** The right to read the metrics of the management API. The metrics of the mocks need no right. */
const METRICS_RULES = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] as const;

/**
 * ClusterRoles for users of the cluster. By aggregation, their rules become part of the roles `view`, `edit` and
 * `admin`.
 */
const USER_ROLES: readonly { name: string; aggregatesTo: readonly string[]; rules: readonly PolicyRule[] }[] = [
  {
    name: "gw-view",
    aggregatesTo: ["view"],
    rules: [{ apiGroups: [GROUP], resources: KINDS, verbs: ["get", "list", "watch"] }],
  },
  {
    name: "gw-edit",
    aggregatesTo: ["edit"],
    rules: [{
      apiGroups: [GROUP],
      resources: ["apis", "staticroutes"],
      verbs: ["create", "update", "patch", "delete", "deletecollection"],
    }],
  },
  {
    name: "gw-admin",
    aggregatesTo: ["admin"],
    rules: [{
      apiGroups: [GROUP],
      resources: ["fleets"],
      verbs: ["create", "update", "patch", "delete", "deletecollection"],
    }],
  },
];

/** Makes the service accounts of gw with their rights, and the ClusterRoles for users. */
export function rbac(namespace: string): KubernetesObject[] {
  const { serve, mock } = INSTALLED;
  return [
    serviceAccount(serve, namespace),
    serviceAccount(mock, namespace),
    clusterRole(serve, SERVE_RULES),
    clusterRole(mock, MOCK_RULES),
    clusterRole("gw-metrics", METRICS_RULES),
    ...USER_ROLES.map(({ name, aggregatesTo, rules }) =>
      clusterRole(name, rules, aggregatesTo.map((role) => [`${RBAC}/aggregate-to-${role}`, "true"]))
    ),
    clusterRoleBinding(serve, namespace),
    clusterRoleBinding(mock, namespace),
    {
      apiVersion: `${RBAC}/v1`,
      kind: "Role",
      metadata: { name: serve, namespace, labels: labelsOf("serve") },
      rules: SERVE_OWN_RULES,
    },
    {
      apiVersion: `${RBAC}/v1`,
      kind: "RoleBinding",
      metadata: { name: serve, namespace, labels: labelsOf("serve") },
      roleRef: { apiGroup: RBAC, kind: "Role", name: serve },
      subjects: [{ kind: "ServiceAccount", name: serve, namespace }],
    },
  ];
}

function serviceAccount(name: string, namespace: string): KubernetesObject {
  // The token isn't mounted by default. The pods of gw mount it by a field of their own `spec`; other pods with this
  // account get none.
  return {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name, namespace, labels: labelsOf("rbac") },
    automountServiceAccountToken: false,
  };
}

function clusterRole(
  name: string,
  rules: readonly (PolicyRule | (typeof METRICS_RULES)[number])[],
  labels: readonly (readonly [string, string])[] = [],
): KubernetesObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRole",
    metadata: { name, labels: { ...labelsOf("rbac"), ...Object.fromEntries(labels) } },
    rules,
  };
}

function clusterRoleBinding(name: string, namespace: string): KubernetesObject {
  return {
    apiVersion: `${RBAC}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name, labels: labelsOf("rbac") },
    roleRef: { apiGroup: RBAC, kind: "ClusterRole", name },
    subjects: [{ kind: "ServiceAccount", name, namespace }],
  };
}
