/**
 * The exact rights of gw's service accounts, as a real API server reports them.
 *
 * @module
 */
import assert from "node:assert/strict";
import type { ResourceType } from "../../../cmd/cluster/client.ts";
import { LEASE, OWNED_TYPES } from "../../../cmd/cluster/controller/kinds.ts";
import { CONTROLLER_REVISION } from "../../../lib/cluster/accepted_revision.ts";
import { INSTALLED } from "../../../lib/cluster/install/installation.ts";
import { installManifests } from "../../../lib/cluster/install/manifests.ts";
import { API_VERSION } from "../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../lib/cluster/object.ts";
import { CUSTOM_RESOURCES } from "../../../lib/cluster/custom_resource.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";
import { until } from "../support/until.ts";

const NAMESPACE = "gw-system";

const FOLLOW = "list watch";
const MAKE = "create delete get list patch watch update";

/** A verb on a resource, whose permission is tested. */
interface Wish extends Pick<ResourceType, "apiVersion" | "plural"> {
  verb: string;
  name: string;
}

/** The rights of `gw serve` in all namespaces. */
const SERVE = [
  `${MAKE} gateway.x-svc.io/apis`,
  `${MAKE} gateway.x-svc.io/fleets`,
  `${MAKE} gateway.x-svc.io/staticroutes`,
  "patch gateway.x-svc.io/apis/status",
  "patch gateway.x-svc.io/fleets/status",
  "patch gateway.x-svc.io/staticroutes/status",
  `${MAKE} gateway.networking.k8s.io/gateways`,
  `${MAKE} gateway.networking.k8s.io/httproutes`,
  `${FOLLOW} gateway.networking.k8s.io/referencegrants`,
  "get gateway.networking.k8s.io/gatewayclasses",
  `${MAKE} gateway.envoyproxy.io/backends`,
  `${MAKE} gateway.envoyproxy.io/backendtrafficpolicies`,
  `${MAKE} gateway.envoyproxy.io/clienttrafficpolicies`,
  `${MAKE} gateway.envoyproxy.io/envoyproxies`,
  `${MAKE} gateway.envoyproxy.io/httproutefilters`,
  `${MAKE} gateway.envoyproxy.io/securitypolicies`,
  `${FOLLOW} /namespaces`,
  `${FOLLOW} /services`,
  `${FOLLOW} discovery.k8s.io/endpointslices`,
  "create delete get apps/controllerrevisions",
  "create events.k8s.io/events",
  "create authentication.k8s.io/tokenreviews",
  "create authorization.k8s.io/subjectaccessreviews",
  "get patch admissionregistration.k8s.io/validatingwebhookconfigurations gw",
];

/** The additional rights of `gw serve` in its own namespace. */
const SERVE_AT_HOME = [
  "create delete get patch update gateway.networking.k8s.io/referencegrants",
  "create coordination.k8s.io/leases",
  "get update coordination.k8s.io/leases gw-controller",
  "get update /secrets gw-webhook",
];

const MOCK = [
  "get apps/controllerrevisions",
  `${FOLLOW} gateway.x-svc.io/apis`,
  `${FOLLOW} gateway.x-svc.io/fleets`,
];

Deno.test("the service accounts may do what is written here, and no more", async (test) => {
  await using api = await startWithAccounts();
  const elsewhere = await api.createNamespace();
  const everybody = await rightsOf(api, await api.createToken(elsewhere, "nobody"), elsewhere);
  const cases = [
    { account: INSTALLED.serve, namespace: NAMESPACE, want: [...SERVE, ...SERVE_AT_HOME] },
    { account: INSTALLED.serve, namespace: elsewhere, want: SERVE },
    { account: INSTALLED.mock, namespace: NAMESPACE, want: MOCK },
    { account: INSTALLED.mock, namespace: elsewhere, want: MOCK },
  ];
  for (const { account, namespace, want } of cases) {
    await test.step(`${account} in ${namespace === NAMESPACE ? "its own namespace" : "another namespace"}`, async () => {
      const rights = await rightsOf(api, await api.createToken(NAMESPACE, account), namespace);
      assert.deepEqual(rights.filter((right) => !everybody.includes(right)), want.map(sortedVerbs).toSorted());
    });
  }
});

Deno.test("the service accounts may not escalate their rights", async (test) => {
  await using api = await startWithAccounts();
  const cases = [
    { verb: "get", resource: "secrets", namespace: "default" },
    { verb: "list", resource: "secrets", namespace: NAMESPACE },
    { verb: "get", resource: "secrets", name: "another", namespace: NAMESPACE },
    { verb: "create", resource: "pods", namespace: NAMESPACE },
    { verb: "list", group: "apps", resource: "controllerrevisions" },
    { verb: "patch", group: "apps", resource: "controllerrevisions", namespace: NAMESPACE },
    { verb: "create", resource: "serviceaccounts", subresource: "token", namespace: NAMESPACE },
    { verb: "impersonate", resource: "users" },
    { verb: "update", group: "apps", resource: "deployments", namespace: NAMESPACE },
    { verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterrolebindings" },
    { verb: "escalate", group: "rbac.authorization.k8s.io", resource: "clusterroles" },
    { verb: "patch", group: "apiextensions.k8s.io", resource: "customresourcedefinitions" },
    {
      verb: "patch",
      group: "admissionregistration.k8s.io",
      resource: "validatingwebhookconfigurations",
      name: "other",
    },
    { verb: "create", group: "admissionregistration.k8s.io", resource: "validatingwebhookconfigurations" },
  ];
  for (const account of [INSTALLED.serve, INSTALLED.mock]) {
    for (const attributes of cases) {
      await test.step(`${account} ${Object.values(attributes).join(" ")}`, async () => {
        assert.equal(await isAllowed(api, account, attributes), false);
      });
    }
  }
});

/** The verbs that the controller uses on the objects that it makes. */
const OWN = ["create", "update", "patch", "delete", "get"] as const;

Deno.test("gw serve may do all that its controller does", async (test) => {
  await using api = await startWithAccounts();
  const elsewhere = await api.createNamespace();
  const isGrant = ({ kind }: ResourceType): boolean => kind === "ReferenceGrant";
  const types = [...Object.values(CUSTOM_RESOURCES), ...OWNED_TYPES];
  const wanted = wants(types.filter((type) => !isGrant(type)), ["list", "watch", ...OWN]);
  const grants = types.filter(isGrant);
  const revisions = ["get", "create", "delete"].map((verb) => ({ ...CONTROLLER_REVISION, verb, name: "x" }));
  const lease = ["get", "create", "update"].map((verb) => ({ ...LEASE, verb, name: INSTALLED.lease }));
  await test.step("its own and the Gateway API's kinds anywhere", () => check(wanted, elsewhere));
  await test.step("what stays in force while an edit is refused", () => check(revisions, elsewhere));
  await test.step("its Lease at home", () => check(lease, NAMESPACE));
  await test.step("grants at home, which it sees anywhere", async () => {
    await check(wants(grants, ["list", "watch"]), elsewhere);
    await check(wants(grants, OWN), NAMESPACE);
  });

  function wants(types: readonly ResourceType[], verbs: readonly string[]): Wish[] {
    return types.flatMap(({ apiVersion, plural }) => verbs.map((verb) => ({ apiVersion, plural, verb, name: "x" })));
  }

  async function check(wanted: readonly Wish[], namespace: string): Promise<void> {
    for (const { apiVersion, plural: resource, verb, name } of wanted) {
      const [group] = apiVersion.split("/");
      const named = verb === "list" || verb === "create" ? {} : { name };
      const isIt = await isAllowed(api, INSTALLED.serve, { group, resource, verb, namespace, ...named });
      assert.ok(isIt, `${verb} ${apiVersion} ${resource}`);
    }
  }
});

Deno.test("gw serve may make and delete the ControllerRevisions of gw's objects, and no others", async (test) => {
  await using api = await startWithAccounts();
  const namespace = await api.createNamespace();
  const token = await api.createToken(NAMESPACE, INSTALLED.serve);
  const client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(`${api.folder}/pki/ca.crt`)] });
  const labels = { "app.kubernetes.io/managed-by": "gw" };
  const ofApi = [{ apiVersion: API_VERSION, kind: "API", name: "todo", uid: "a" }];
  const ofFleet = [{ apiVersion: API_VERSION, kind: "Fleet", name: "edge", uid: "c" }];
  const ofSet = [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid: "b" }];
  const cases: {
    name: string;
    metadata: Pick<KubernetesObject["metadata"], "labels" | "ownerReferences">;
    may: boolean;
  }[] = [
    { name: "gw-api.todo", metadata: { labels, ownerReferences: ofApi }, may: true },
    { name: "db-6c5b", metadata: { ownerReferences: ofSet }, may: false },
    { name: "gw-staticroute.todo", metadata: { labels, ownerReferences: ofApi }, may: false },
    { name: "gw-api.other", metadata: { labels, ownerReferences: ofApi }, may: false },
    { name: "gw-fleet.edge", metadata: { labels, ownerReferences: ofFleet }, may: false },
    { name: "with-our-label", metadata: { labels, ownerReferences: ofSet }, may: false },
    { name: "without-owner", metadata: { labels }, may: false },
    { name: "without-label", metadata: { ownerReferences: ofApi }, may: false },
  ];
  try {
    for (const { name, metadata, may } of cases) {
      const revision = {
        apiVersion: "apps/v1",
        kind: "ControllerRevision",
        metadata: { namespace, name, ...metadata },
      };
      await test.step(`${name}: ${may}`, async () => {
        // An admission policy is in force only a while after it was made, so try again.
        const created = await until(async () => {
          const response = await ask("POST", { ...revision, revision: 1, data: {} });
          return (response.status === 201) === may && response;
        }, { what: `the policy for ${name}` });
        if (!may) assert.match((await created.json()).message, /only ControllerRevisions that gw has made/);
        await api.apply({ ...revision, revision: 1, data: {} });
        const deleted = await ask("DELETE", undefined, `/${name}`);
        assert.equal(deleted.status, may ? 200 : 403);
        await api.delete(revision);
        await api.delete(revision);
      });
    }
  } finally {
    client.close();
  }

  async function ask(method: string, body?: object, name = ""): Promise<Response> {
    const response = await fetch(`${api.url}/apis/apps/v1/namespaces/${namespace}/controllerrevisions${name}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      client,
    });
    const text = await response.text();
    if (method === "POST" && response.ok) await api.delete(Object(body));
    return new Response(text, response);
  }
});

async function startWithAccounts(): Promise<ApiServer> {
  const api = await startApiServer();
  await api.apply(...installManifests({ namespace: NAMESPACE, image: "gw", replicas: 2, only: "rbac" }));
  return api;
}

/** The rights of a token in a namespace, one text for each resource: verbs, group and resource, object names. */
async function rightsOf(api: ApiServer, token: string, namespace: string): Promise<string[]> {
  using client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(`${api.folder}/pki/ca.crt`)] });
  const response = await fetch(`${api.url}/apis/authorization.k8s.io/v1/selfsubjectrulesreviews`, {
    client,
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SelfSubjectRulesReview",
      spec: { namespace },
    }),
  });
  const { status } = await response.json();
  assert.equal(status.incomplete, false);
  const rights: string[] = [];
  for (const { verbs, apiGroups, resources, resourceNames = [] } of status.resourceRules) {
    for (const group of apiGroups) {
      for (const resource of resources) {
        rights.push(sortedVerbs([...verbs, `${group}/${resource}`, ...resourceNames].join(" ")));
      }
    }
  }
  return [...new Set(rights)].sort();
}

/** A right with its verbs sorted, for comparison. */
function sortedVerbs(right: string): string {
  const words = right.split(" ");
  const resource = words.findIndex((word) => word.includes("/"));
  return [...words.slice(0, resource).sort(), ...words.slice(resource)].join(" ");
}

async function isAllowed(api: ApiServer, account: string, resourceAttributes: object): Promise<boolean> {
  const { status } = await api.request("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: {
      user: `system:serviceaccount:${NAMESPACE}:${account}`,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${NAMESPACE}`, "system:authenticated"],
      resourceAttributes,
    },
  });
  return Object(status).allowed;
}
