import assert from "node:assert/strict";
import { KubeError } from "../../../cmd/cluster/client.ts";
import { createKubernetesAccess } from "../../../cmd/cluster/kubernetes_access.ts";
import { ErrorResponse } from "../../../lib/api/error_response.ts";
import { MANAGEMENT_OPERATIONS } from "../../../lib/management/operations.ts";
import { StoreError } from "../../../lib/gateway/store_error.ts";
import { isObject } from "../../../lib/schema/json/node.ts";

const NOTHING = { namespace: "", name: "" };
const TODO = { namespace: "shop", name: "todo" };

Deno.test("a TokenReview tells the user of a token", async () => {
  const { access, asked } = createCluster();
  assert.deepEqual(await access.tokens.find("jane's"), {
    name: "jane",
    groups: ["authors"],
    uid: "1",
    extra: { scope: ["a"] },
  });
  assert.equal(await access.tokens.find("unknown"), undefined);
  assert.equal(await access.tokens.find("x".repeat(100_000)), undefined);
  assert.equal(asked.length, 2);
});

Deno.test("reviews are cached for ten seconds, and shared by requests at the same time", async () => {
  const { access, asked, clock } = createCluster();
  await Promise.all([access.tokens.find("jane's"), access.tokens.find("jane's"), access.tokens.find("unknown")]);
  assert.equal(asked.length, 2);
  clock.now += 9_999;
  await access.authorize(requestOf("GET /apis"), "listApis", NOTHING);
  await access.authorize(requestOf("GET /apis"), "listApis", NOTHING);
  assert.deepEqual(asked.map(({ kind }) => kind), ["TokenReview", "TokenReview", "SubjectAccessReview"]);
  clock.now += 1;
  await access.tokens.find("jane's");
  assert.equal(asked.length, 4);
});

Deno.test("a failed review isn't cached", async () => {
  const { access, asked, failing } = createCluster();
  failing.error = new KubeError(0, "", "connection refused");
  await assert.rejects(async () => await access.tokens.find("jane's"), /refused/);
  await assert.rejects(
    async () => await access.authorize(requestOf("GET /apis"), "listApis", NOTHING),
    (error) => error instanceof StoreError && error.reason === "unavailable",
  );
  failing.error = undefined;
  assert.notEqual(await access.tokens.find("jane's"), undefined);
  assert.equal(asked.length, 3);
});

Deno.test("a malformed query is refused as such, also while the cluster doesn't answer", async () => {
  const { access, asked, failing } = createCluster();
  failing.error = new KubeError(0, "", "connection refused");
  for (const cascade of ["maybe", "1", "TRUE"]) {
    await assert.rejects(
      async () => await access.authorize(requestOf(`DELETE /fleets/shop/todo?cascade=${cascade}`), "deleteFleet", TODO),
      (error) => error instanceof ErrorResponse && error.response.status === 400,
    );
  }
  assert.equal(asked.length, 0);
});

Deno.test("each operation needs the verb on the kind that its path names", async (t) => {
  const table: [line: string, operation: string, object: typeof TODO, needs: string[]][] = [
    ["GET /apis", "listApis", NOTHING, ["list gateway.x-svc.io/apis /"]],
    ["GET /apis?namespace=shop", "listApis", NOTHING, ["list gateway.x-svc.io/apis shop/"]],
    ["POST /apis", "createApi", NOTHING, []],
    ["POST /apis", "createApi", TODO, ["create gateway.x-svc.io/apis shop/todo"]],
    ["GET /apis/shop/todo", "getApi", TODO, ["get gateway.x-svc.io/apis shop/todo"]],
    ["GET /apis/shop/todo/crd", "getApiResource", TODO, ["get gateway.x-svc.io/apis shop/todo"]],
    ["GET /apis/shop/todo/definition", "getApiDefinition", TODO, ["get gateway.x-svc.io/apis shop/todo"]],
    ["PUT /apis/shop/todo", "replaceApi", TODO, ["update gateway.x-svc.io/apis shop/todo"]],
    ["DELETE /apis/shop/todo", "deleteApi", TODO, ["delete gateway.x-svc.io/apis shop/todo"]],
    ["PUT /fleets/shop/todo", "replaceFleet", TODO, ["update gateway.x-svc.io/fleets shop/todo"]],
    ["DELETE /fleets/shop/todo", "deleteFleet", TODO, ["delete gateway.x-svc.io/fleets shop/todo"]],
    ["DELETE /fleets/shop/todo?cascade=true", "deleteFleet", TODO, [
      "delete gateway.x-svc.io/fleets shop/todo",
      "delete gateway.x-svc.io/apis /",
      "delete gateway.x-svc.io/staticroutes /",
    ]],
    ["POST /staticroutes", "createStaticRoute", TODO, ["create gateway.x-svc.io/staticroutes shop/todo"]],
    ["PUT /staticroutes/shop/todo", "replaceStaticRoute", TODO, ["update gateway.x-svc.io/staticroutes shop/todo"]],
    ["GET /services?namespace=shop", "listServices", NOTHING, ["list /services shop/"]],
    ["GET /services/shop/todo", "getService", TODO, ["get /services shop/todo"]],
    ["GET /namespaces", "listNamespaces", NOTHING, ["list /namespaces /"]],
    ["GET /metrics", "getMetrics", NOTHING, ["get /metrics"]],
    ["GET /openapi.json", "getDescriptionAsJson", NOTHING, []],
  ];
  for (const [line, operation, object, needs] of table) {
    await t.step(`${line} as ${operation}`, async () => {
      const { access, asked } = createCluster();
      assert.equal(await access.authorize(requestOf(line), operation, object), undefined);
      assert.deepEqual(asked.filter(({ kind }) => kind === "SubjectAccessReview").map(showNeed), needs);
    });
  }
});

Deno.test("all operations need a SubjectAccessReview, but those that tell nothing of the cluster", async () => {
  const unasked: string[] = [];
  for (const { operationId, method, path } of MANAGEMENT_OPERATIONS.all) {
    const { access, asked } = createCluster();
    await access.authorize(requestOf(`${method} ${path}`), operationId, TODO);
    if (asked.length === 0) unasked.push(operationId);
  }
  assert.deepEqual(unasked, ["getHealth", "getReadiness", "getDescriptionAsJson", "getDescription"]);
});

Deno.test("a refused user is told the missing right, and what to ask for instead", async (t) => {
  const table: [line: string, operation: string, object: typeof TODO, detail: string][] = [
    [
      "GET /apis",
      "listApis",
      NOTHING,
      "eve may not list apis.gateway.x-svc.io in all namespaces. Name one where it may: `?namespace=NAME` (`gw get -n NAME`).",
    ],
    [
      "DELETE /apis/shop/todo",
      "deleteApi",
      TODO,
      "eve may not delete todo of apis.gateway.x-svc.io in the namespace shop.",
    ],
    ["GET /namespaces", "listNamespaces", NOTHING, "eve may not list namespaces."],
    ["GET /metrics", "getMetrics", NOTHING, "eve may not get /metrics."],
  ];
  for (const [line, operation, object, detail] of table) {
    await t.step(line, async () => {
      const { access } = createCluster();
      const response = await access.authorize(requestOf(line, "eve's"), operation, object);
      assert.equal(response?.status, 403);
      assert.deepEqual(await response.json(), { title: "Forbidden", status: 403, detail });
    });
  }
});

/** A TokenReview or SubjectAccessReview that the fake cluster received. */
interface Asked {
  kind: unknown;
  spec: Record<string, unknown>;
}

/** A fake cluster with two users: jane may do everything, eve nothing. */
function createCluster() {
  const asked: Asked[] = [];
  const clock = { now: 0 };
  const failing: { error: Error | undefined } = { error: undefined };
  const users: Readonly<Record<string, object>> = {
    "jane's": { username: "jane", uid: "1", groups: ["authors"], extra: { scope: ["a"] } },
    "eve's": { username: "eve" },
  };
  const access = createKubernetesAccess({
    now: () => clock.now,
    client: {
      request(method, path, body) {
        assert.equal(method, "POST");
        assert.ok(isObject(body) && isObject(body["spec"]));
        const { kind, spec } = body;
        assert.ok(path.endsWith(`/${String(kind).toLowerCase()}s`), path);
        asked.push({ kind, spec });
        if (failing.error !== undefined) return Promise.reject(failing.error);
        const user = users[String(spec["token"])];
        const review = user === undefined ? {} : { authenticated: true, user };
        const status = kind === "TokenReview" ? review : { allowed: spec["user"] === "jane" };
        return Promise.resolve({ ...body, status });
      },
    },
  });
  return { access, asked, clock, failing };
}

function requestOf(line: string, token = "jane's"): Request {
  const [method = "", target = ""] = line.split(" ");
  return new Request(`http://gw${target}`, { method, headers: { authorization: `Bearer ${token}` } });
}

function showNeed({ spec }: Asked): string {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (isObject(path)) return `${path["verb"]} ${path["path"]}`;
  assert.ok(isObject(resource));
  const { verb, group, resource: plural, namespace, name } = resource;
  return `${verb} ${group}/${plural} ${namespace}/${name}`;
}
