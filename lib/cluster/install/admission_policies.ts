/**
 * Validating admission of custom resources: policies in CEL, which the API server evaluates itself, and the
 * configuration of the webhook of `gw serve`.
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

/**
 * The maximum size of an uncompressed definition in bytes. etcd stores at most 1.5 MiB in a request, which also has the
 * rest of the object.
 */
const MOST_BYTES = 1024 * 1024;
/** The size in bytes above which an uncompressed definition gets a warning, since it takes much of etcd's memory. */
const LARGE_BYTES = 256 * 1024;

/** The `timeoutSeconds` of the webhook: checking a large definition takes some seconds. */
const WEBHOOK_TIMEOUT = 10;

const WRITES = { apiGroups: [GROUP], apiVersions: [VERSION], operations: ["CREATE", "UPDATE"] } as const;

const API_WRITES = { ...WRITES, resources: [CUSTOM_RESOURCES.api.plural] };
const ALL_PLURALS = Object.values(CUSTOM_RESOURCES).map(({ plural }) => plural);

/** A ValidatingAdmissionPolicy, with the actions of its binding. */
interface Policy {
  name: string;
  component: Component;
  /** The writes that the policy applies to. */
  rule: {
    apiGroups: readonly string[];
    apiVersions: readonly string[];
    operations: readonly string[];
    resources: readonly string[];
  };
  /** CEL conditions for a write to be validated at all. */
  matchConditions?: readonly { name: string; expression: string }[];
  variables?: readonly { name: string; expression: string }[];
  validations: readonly { expression: string; message?: string; messageExpression?: string; reason?: string }[];
  /** The actions of the API server when a write breaks a validation. */
  actions: readonly ("Deny" | "Warn" | "Audit")[];
}

const TEXT_BYTES = {
  name: "bytes",
  expression: "has(object.spec.openapi) ? size(bytes(object.spec.openapi)) : 0",
};

/**
 * Policies that limit the size of definitions in bytes. The schema in a CustomResourceDefinition can limit only
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

/** The API group and version of ControllerRevisions. */
const [APPS = "", APPS_VERSION = ""] = CONTROLLER_REVISION.apiVersion.split("/");

/**
 * A CEL expression that tells whether a ControllerRevision is one of gw. The label alone proves nothing, since every
 * user who may edit the revision may set it. All its owners must be APIs or static routes, and it must have the name
 * that gw gives the revision of such an owner.
 */
const IS_GW_REVISION = [
  "has(variables.revision.metadata.labels)",
  `'${LABELS.managedBy}' in variables.revision.metadata.labels`,
  `variables.revision.metadata.labels['${LABELS.managedBy}'] == '${FIELD_MANAGER}'`,
  "has(variables.revision.metadata.ownerReferences)",
  "variables.revision.metadata.ownerReferences.all(owner, " +
  `owner.apiVersion.startsWith('${GROUP}/') && owner.kind in ['${CUSTOM_RESOURCES.api.kind}', ` +
  `'${CUSTOM_RESOURCES.staticroute.kind}'] && ` +
  "variables.revision.metadata.name == 'gw-' + owner.kind.lowerAscii() + '.' + owner.name)",
].join(" && ");

export function sizePolicies(): KubernetesObject[] {
  return SIZE_POLICIES.flatMap(policyObjects);
}

/**
 * Makes the policy by which `gw serve` may change only ControllerRevisions of gw. RBAC can't restrict the right to some
 * of them, and those of StatefulSets and DaemonSets hold the states to which these can be rolled back.
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
      expression: IS_GW_REVISION,
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
        // Every default is written out. Server-side apply treats `matchConstraints` as one field: for a default that
        // the API server adds, another manager would own the whole field.
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
 * Makes the configuration of the webhook for the checks that CEL can't express. If no replica of `gw serve` answers,
 * the API server stores the object all the same: the controller checks each object again, and reports errors in its
 * status.
 */
export function webhookConfiguration({ namespace }: Pick<Installation, "namespace">): KubernetesObject {
  return {
    apiVersion: ADMISSION,
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: INSTALLED.webhookConfiguration, labels: labelsOf("serve") },
    webhooks: [{
      name: `definitions.${GROUP}`,
      admissionReviewVersions: ["v1"],
      // `gw serve` adds the CA certificate of the webhook (`caBundle`) when it starts.
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
      timeoutSeconds: WEBHOOK_TIMEOUT,
      matchConditions: [
        // A change of labels or finalizers leaves `generation` as it is and isn't reviewed, since it doesn't change
        // what is served. An object that is being deleted isn't reviewed either, so that its finalizers can always be
        // removed.
        {
          name: "says-something-new",
          expression: "request.operation != 'UPDATE' || (!has(object.metadata.deletionTimestamp) && " +
            "object.metadata.generation != oldObject.metadata.generation)",
        },
        // Writes of the management API aren't reviewed, because it has run the same checks before.
        {
          name: "not-by-the-management-api",
          expression: `request.userInfo.username != 'system:serviceaccount:${namespace}:${INSTALLED.serve}'`,
        },
      ],
    }],
  };
}
