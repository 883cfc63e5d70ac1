/**
 * What the API server asks before it takes a custom resource: policies that it checks by itself, and the webhook of
 * `gw serve`.
 *
 * @module
 */
import { GROUP, VERSION } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { CUSTOM_RESOURCES } from "../custom_resource.ts";
import { type Installation, INSTALLED, labelsOf, PORTS } from "./installation.ts";

const ADMISSION = "admissionregistration.k8s.io/v1";

/** Most bytes of a definition as text: with the rest of the object it has to fit into etcd's 1.5 MB. */
const MOST_BYTES = 1024 * 1024;
/** From here on compressed definitions are kinder to etcd. */
const LARGE_BYTES = 256 * 1024;

/** Seconds that the API server waits for the webhook: large definitions take a while to check. */
const PATIENCE = 10;

const WRITES = { apiGroups: [GROUP], apiVersions: [VERSION], operations: ["CREATE", "UPDATE"] } as const;

const API_PLURAL = CUSTOM_RESOURCES.api.plural;
const ALL_PLURALS = Object.values(CUSTOM_RESOURCES).map(({ plural }) => plural);

/** A policy, and what becomes of what doesn't keep to it. */
interface Policy {
  name: string;
  resources: readonly string[];
  actions: readonly ("Deny" | "Warn" | "Audit")[];
  variables?: readonly { name: string; expression: string }[];
  validations: readonly { expression: string; message?: string; messageExpression?: string; reason?: string }[];
}

const TEXT_BYTES = {
  name: "bytes",
  expression: "has(object.spec.openapi) ? size(bytes(object.spec.openapi)) : 0",
};

const POLICIES: readonly Policy[] = [
  {
    // The schema counts characters.
    name: "gw-limits",
    resources: [API_PLURAL],
    actions: ["Deny"],
    variables: [TEXT_BYTES],
    validations: [{
      expression: `variables.bytes <= ${MOST_BYTES}`,
      messageExpression: `"spec.openapi has " + string(variables.bytes) + " bytes, more than ${MOST_BYTES}; ` +
        'give it as spec.openapiGzip, or deploy it through the management API, which does so"',
      reason: "RequestEntityTooLarge",
    }],
  },
  {
    name: "gw-advice",
    resources: [API_PLURAL],
    actions: ["Warn"],
    variables: [TEXT_BYTES],
    validations: [
      {
        expression: `variables.bytes <= ${LARGE_BYTES}`,
        messageExpression: `"spec.openapi has " + string(variables.bytes) + " bytes; ` +
          'as spec.openapiGzip it would be kinder to etcd"',
      },
    ],
  },
];

/** The policies that the API server checks by itself. */
export function admissionPolicies(): KubernetesObject[] {
  return POLICIES.flatMap(({ name, resources, actions, variables = [], validations }) => [
    {
      apiVersion: ADMISSION,
      kind: "ValidatingAdmissionPolicy",
      metadata: { name, labels: labelsOf("serve") },
      spec: {
        failurePolicy: "Fail",
        // Whole, with what is the default: the API server has it as one field, and another value would be another's.
        matchConstraints: {
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{ ...WRITES, resources, scope: "Namespaced" }],
        },
        ...(variables.length === 0 ? {} : { variables }),
        validations,
      },
    },
    {
      apiVersion: ADMISSION,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata: { name, labels: labelsOf("serve") },
      spec: { policyName: name, validationActions: actions },
    },
  ]);
}

/**
 * The webhook that checks what only gw can. Where nobody answers, the object is taken: the controller checks it again, and
 * says in its status what is wrong.
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
        // Labels, finalizers and such change nothing of what is served, and what ends must be able to.
        {
          name: "says-something-new",
          expression: "request.operation != 'UPDATE' || (!has(object.metadata.deletionTimestamp) && " +
            "object.metadata.generation != oldObject.metadata.generation)",
        },
        // The management API has checked already what it writes.
        {
          name: "not-by-the-management-api",
          expression: `request.userInfo.username != 'system:serviceaccount:${namespace}:${INSTALLED.serve}'`,
        },
      ],
    }],
  };
}
