import { FIELD_MANAGER, GROUP, LABELS } from "../names.ts";
import type { KubernetesObject } from "../object.ts";
import { CONTROLLER_REVISION } from "../accepted_revision.ts";
import { INSTALLED, labelsOf } from "./installation.ts";

const ADMISSION = "admissionregistration.k8s.io/v1";
const NAME = "gw-revisions";

/** The group of ControllerRevisions. */
const [APPS = "", VERSION = ""] = CONTROLLER_REVISION.apiVersion.split("/");

/** A label of gw alone would do for nobody: whoever may edit an object may set it. The owner's kind has to be gw's too. */
const IS_OF_GW =
  `has(variables.revision.metadata.labels) && '${LABELS.managedBy}' in variables.revision.metadata.labels ` +
  `&& variables.revision.metadata.labels['${LABELS.managedBy}'] == '${FIELD_MANAGER}' ` +
  "&& has(variables.revision.metadata.ownerReferences) && variables.revision.metadata.ownerReferences.all(owner, " +
  `owner.apiVersion.startsWith('${GROUP}/'))`;

/**
 * Narrows the rights of `gw serve` on ControllerRevisions, which RBAC can't: to those of gw's own objects. StatefulSets
 * and DaemonSets roll back to theirs.
 */
export function revisionPolicy(namespace: string): KubernetesObject[] {
  const metadata = { name: NAME, labels: labelsOf("rbac") };
  return [
    {
      apiVersion: ADMISSION,
      kind: "ValidatingAdmissionPolicy",
      metadata,
      spec: {
        failurePolicy: "Fail",
        // Whole, with the defaults: the API server has it as one field, and another value would be another manager's.
        matchConstraints: {
          matchPolicy: "Equivalent",
          namespaceSelector: {},
          objectSelector: {},
          resourceRules: [{
            apiGroups: [APPS],
            apiVersions: [VERSION],
            operations: ["CREATE", "UPDATE", "DELETE"],
            resources: [CONTROLLER_REVISION.plural],
            scope: "Namespaced",
          }],
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
      },
    },
    {
      apiVersion: ADMISSION,
      kind: "ValidatingAdmissionPolicyBinding",
      metadata,
      spec: { policyName: NAME, validationActions: ["Deny"] },
    },
  ];
}
