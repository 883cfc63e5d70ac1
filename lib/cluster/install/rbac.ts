/**
 * The service accounts of gw, with no more rights than they use, and ClusterRoles for people.
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
  /** The names of the only objects that the rule is about. Default: all objects. */
  resourceNames?: readonly string[];
}

const RBAC = "rbac.authorization.k8s.io";
const FOLLOW = ["list", "watch"] as const;
/** The verbs to create, replace and delete objects, and to remove their finalizers. */
const MAKE = ["get", "create", "update", "patch", "delete"] as const;
const KINDS = ["apis", "fleets", "staticroutes"] as const;

/** Rights of `gw serve` in all namespaces. */
const SERVE_RULES: readonly PolicyRule[] = [
  // For changes by the management API, which has checked the rights of its user, and for the finalizers of the
  // controller.
  { apiGroups: [GROUP], resources: KINDS, verbs: [...FOLLOW, ...MAKE] },
  { apiGroups: [GROUP], resources: KINDS.map((kind) => `${kind}/status`), verbs: ["patch"] },
  // For the objects that plans (routes of APIs with their settings) are translated to.
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["gateways", "httproutes"], verbs: [...FOLLOW, ...MAKE] },
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["referencegrants"], verbs: FOLLOW },
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
    verbs: [...FOLLOW, ...MAKE],
  },
  // To check that upstreams exist and have endpoints.
  { apiGroups: [""], resources: ["namespaces", "services"], verbs: FOLLOW },
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: FOLLOW },
  // For the last accepted spec while an edit is refused. `list` isn't granted: it would also show the revisions of
  // other owners, which contain their pod templates.
  { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs: ["get", "create", "delete"] },
  { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: ["create"] },
  // To authenticate and authorize the users of the management API.
  { apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"], verbs: ["create"] },
  { apiGroups: ["authorization.k8s.io"], resources: ["subjectaccessreviews"], verbs: ["create"] },
  // To write the webhook's CA certificate, which the API server is to trust.
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["validatingwebhookconfigurations"],
    resourceNames: [INSTALLED.webhookConfiguration],
    verbs: ["get", "patch"],
  },
];

/** Rights of `gw serve` in its own namespace. */
const SERVE_OWN_RULES: readonly PolicyRule[] = [
  // For the ReferenceGrants by which routes of other namespaces may use the Service of the mocks. For Services in other
  // namespaces, their owners make the ReferenceGrants.
  { apiGroups: ["gateway.networking.k8s.io"], resources: ["referencegrants"], verbs: MAKE },
  // For leader election. RBAC can't restrict the right to create to a name.
  { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    resourceNames: [INSTALLED.lease],
    verbs: ["get", "update"],
  },
  // For the certificate that all replicas share. The manifests create the Secret empty.
  {
    apiGroups: [""],
    resources: ["secrets"],
    resourceNames: [INSTALLED.webhookSecret],
    verbs: ["get", "update"],
  },
];

/** Rights of `gw mock --cluster` in all namespaces. */
const MOCK_RULES: readonly PolicyRule[] = [
  { apiGroups: [GROUP], resources: ["apis", "fleets"], verbs: FOLLOW },
  { apiGroups: ["apps"], resources: ["controllerrevisions"], verbs: ["get"] },
];

/** The right to read the metrics of the management API; those of the mocks are open to the whole cluster. */
const METRICS_RULES = [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] as const;

/** ClusterRoles for people: their rights become part of the roles `view`, `edit` and `admin` (aggregation). */
const PEOPLE: readonly { name: string; aggregatesTo: readonly string[]; rules: readonly PolicyRule[] }[] = [
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

/** Makes the service accounts of gw, their rights, and roles for people. */
export function rbac(namespace: string): KubernetesObject[] {
  const { serve, mock } = INSTALLED;
  return [
    serviceAccount(serve, namespace),
    serviceAccount(mock, namespace),
    clusterRole(serve, SERVE_RULES),
    clusterRole(mock, MOCK_RULES),
    clusterRole("gw-metrics", METRICS_RULES),
    ...PEOPLE.map(({ name, aggregatesTo, rules }) =>
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
  // The pods of gw mount a token by their own `spec`; no other pod with this account gets one by default.
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
