/**
 * Admission of custom resources: policies that the API server evaluates itself (CEL), and the webhook of `gw serve`.
 *
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/}
 * @module
 */
import { CONTROLLER_REVISION } from "../accepted_revision.ts";
import { CUSTOM_RESOURCES } from "../custom_resource.ts";
import { FIELD_MANAGER, GROUP, LABELS, VERSION } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { type Component, type Installation, INSTALLED, labelsOf, PORTS } from "./installation.ts";

const ADMISSION = "admissionregistration.k8s.io/v1";

/** The maximum size of a definition as text in bytes: with the rest of the object it has to fit into etcd's 1.5 MB. */
const MOST_BYTES = 1024 * 1024;
/** Above this size in bytes, a definition as text gets a warning: compressed, it would take less of etcd's memory. */
const LARGE_BYTES = 256 * 1024;

/** How long the API server waits for the webhook, in seconds: checks of large definitions take a while. */
const PATIENCE = 10;

const WRITES = { apiGroups: [GROUP], apiVersions: [VERSION], operations: ["CREATE", "UPDATE"] } as const;

const API_WRITES = { ...WRITES, resources: [CUSTOM_RESOURCES.api.plural] };
const ALL_PLURALS = Object.values(CUSTOM_RESOURCES).map(({ plural }) => plural);

/** A ValidatingAdmissionPolicy, with its binding. */
interface Policy {
  name: string;
  component: Component;
  /** The writes that the policy checks. */
  rule: {
    apiGroups: readonly string[];
    apiVersions: readonly string[];
    operations: readonly string[];
    resources: readonly string[];
  };
  /** Conditions that a write must also meet to be checked. */
  matchConditions?: readonly { name: string; expression: string }[];
  variables?: readonly { name: string; expression: string }[];
  validations: readonly { expression: string; message?: string; messageExpression?: string; reason?: string }[];
  /** The actions on an object that breaks a validation. */
  actions: readonly ("Deny" | "Warn" | "Audit")[];
}

const TEXT_BYTES = {
  name: "bytes",
  expression: "has(object.spec.openapi) ? size(bytes(object.spec.openapi)) : 0",
};

/**
 * Policies that limit the size of definitions in bytes. The schema in a CustomResourceDefinition can count only
 * characters.
 */
const SIZE_POLICIES: readonly Policy[] = [
  {
    name: "gw-limits",
    component: "serve",
    rule: API_WRITES,
    variables: [TEXT_BYTES],
    validations: [{
      expression: `variables.bytes <= ${MOST_BYTES}`,
      messageExpression: `"spec.openapi has " + string(variables.bytes) + " bytes, more than ${MOST_BYTES}; ` +
        'give it as spec.openapiGzip, or deploy it through the management API, which does so"',
      reason: "RequestEntityTooLarge",
    }],
    actions: ["Deny"],
  },
  {
    name: "gw-advice",
    component: "serve",
    rule: API_WRITES,
    variables: [TEXT_BYTES],
    validations: [
      {
        expression: `variables.bytes <= ${LARGE_BYTES}`,
        messageExpression: `"spec.openapi has " + string(variables.bytes) + " bytes; ` +
          'as spec.openapiGzip it would be kinder to etcd"',
      },
    ],
    actions: ["Warn"],
  },
];

/** The group of ControllerRevisions. */
const [APPS = "", APPS_VERSION = ""] = CONTROLLER_REVISION.apiVersion.split("/");

/**
 * A CEL expression: whether a ControllerRevision is gw's. The label alone proves nothing, since every user who may edit
 * the object may set it. The only owner must be an API or a static route, and the revision must have the name that gw
 * gives to the revision of that owner.
 */
const IS_OF_GW = [
  "has(variables.revision.metadata.labels)",
  `'${LABELS.managedBy}' in variables.revision.metadata.labels`,
  `variables.revision.metadata.labels['${LABELS.managedBy}'] == '${FIELD_MANAGER}'`,
  "has(variables.revision.metadata.ownerReferences)",
  "variables.revision.metadata.ownerReferences.all(owner, " +
  `owner.apiVersion.startsWith('${GROUP}/') && owner.kind in ['${CUSTOM_RESOURCES.api.kind}', ` +
  `'${CUSTOM_RESOURCES.staticroute.kind}'] && ` +
  "variables.revision.metadata.name == 'gw-' + owner.kind.lowerAscii() + '.' + owner.name)",
].join(" && ");

/** The policies that limit the size of definitions. */
export function sizePolicies(): KubernetesObject[] {
  return SIZE_POLICIES.flatMap(policyObjects);
}

/**
 * Allows `gw serve` to change only gw's own ControllerRevisions. RBAC can't restrict that, and the ControllerRevisions
 * of others contain the states that StatefulSets and DaemonSets can be rolled back to.
 */
export function revisionPolicy(namespace: string): KubernetesObject[] {
  return policyObjects({
    name: "gw-revisions",
    component: "rbac",
    rule: {
      apiGroups: [APPS],
      apiVersions: [APPS_VERSION],
      operations: ["CREATE", "UPDATE", "DELETE"],
      resources: [CONTROLLER_REVISION.plural],
    },
    matchConditions: [{
      name: "by-gw-serve",
      expression: `request.userInfo.username == 'system:serviceaccount:${namespace}:${INSTALLED.serve}'`,
    }],
    variables: [{ name: "revision", expression: "request.operation == 'CREATE' ? object : oldObject" }],
    validations: [{
      expression: IS_OF_GW,
      message: `gw serve may touch only ControllerRevisions that gw has made for objects of ${GROUP}`,
      reason: "Forbidden",
    }],
    actions: ["Deny"],
  });
}

function policyObjects(
  { name, component, rule, matchConditions, variables, validations, actions }: Policy,
): KubernetesObject[] {
  const metadata = { name, labels: labelsOf(component) };
  return [
    {
      apiVersion: ADMISSION,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        // All defaults are written out. Server-side apply treats `matchConstraints` as one field: if the API server
        // added a default, another manager would own the field.
        matchConstraints: {
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ ...rule, scope: "Namespaced" }],
        },
        ...(matchConditions === undefined ? {} : { matchConditions }),
        ...(variables === undefined ? {} : { variables }),
        validations,
      },
    },
    {
      apiVersion: ADMISSION,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: name, validationActions: actions },
    },
  ];
}

/**
 * The webhook for checks that only gw can do. If no replica answers, the API server stores the object. The controller
 * checks each object again, and reports errors in its status.
 */
export function webhookConfiguration({ namespace }: Pick<Installation, "namespace">): KubernetesObject {
  return {
    apiVersion: ADMISSION,
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: INSTALLED.webhookConfiguration, labels: labelsOf("serve") },
    webhooks: [{
      name: `definitions.${GROUP}`,
      admissionReviewVersions: ["v1"],
      // gw serve adds the certificate, caBundle.
      clientConfig: {
        service: {
          name: INSTALLED.service,
          namespace,
          path: INSTALLED.webhookPath,
          port: PORTS.webhook,
        },
      },
      rules: [{ ...WRITES, resources: ALL_PLURALS, scope: "Namespaced" }],
      failurePolicy: "Ignore",
      matchPolicy: "Equivalent",
      sideEffects: "None",
      timeoutSeconds: PATIENCE,
      matchConditions: [
        // Changes of labels and finalizers aren't reviewed, because they don't change what is served. Changes of an
        // object that is being deleted aren't either, so that its finalizers can be removed.
        {
          name: "says-something-new",
          expression: "request.operation != 'UPDATE' || (!has(object.metadata.deletionTimestamp) && " +
            "object.metadata.generation != oldObject.metadata.generation)",
        },
        // Writes of the management API aren't reviewed: it has checked them before.
        {
          name: "not-by-the-management-api",
          expression: `request.userInfo.username != 'system:serviceaccount:${namespace}:${INSTALLED.serve}'`,
        },
      ],
    }],
  };
}
