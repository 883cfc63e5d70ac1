/**
 * Records the responses of a real API server, with its own definition, which is Swagger 2.0.
 *
 * @module
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startGw } from "../../cmd/process.ts";
import { createMock } from "../../../lib/mock/mock.ts";
import { parseDocument } from "../../../lib/openapi/document.ts";
import { parseOverlay } from "../../../lib/openapi/overlay/parse_overlay.ts";
import { type ApiServer, startApiServer } from "../support/api_server.ts";

/** A request, with the user who sends it. */
interface Asked {
  method: string;
  path: string;
  body?: unknown;
  type?: string;
  accept?: string;
  token?: string;
}

interface Answered {
  status: number;
  type: string | null;
  body: string;
}

Deno.test("gw proxy --record: 1,000 requests to an API server, with 20 secrets, are answered again", async () => {
  await using api = await startApiServer();
  const folder = await Deno.makeTempDir();
  try {
    const definition = join(folder, "kubernetes.json");
    await Deno.writeTextFile(definition, await (await api.fetch("/openapi/v2")).text());
    const path = join(folder, "recorded.yaml");
    const namespace = await api.createNamespace();
    const secrets = await plantSecrets(api, namespace);
    const requests = requestsIn(namespace, secrets, api.tokens.nobody);
    assert.equal(requests.length, 1000);
    const answers: Answered[] = [];
    {
      await using gw = await startGw({
        args: ["proxy", definition, api.url, "--record", path, "--quiet"],
        env: { DENO_CERT: `${api.folder}/pki/ca.crt`, NODE_EXTRA_CA_CERTS: `${api.folder}/pki/ca.crt` },
      });
      for (const asked of requests) answers.push(await ask(fetch, gw.url, asked, api.tokens.admin));
      gw.signal("SIGTERM");
      assert.equal((await gw.ended).code, 0, gw.text());
    }
    const text = await Deno.readTextFile(path);
    const all = [...Object.values(secrets), api.tokens.admin, api.tokens.nobody];
    assert.equal(Object.keys(secrets).length, 20);
    for (const secret of all) {
      assert.ok(!text.includes(secret), `${secret} is in the recording`);
      assert.ok(!text.includes(btoa(secret).replace(/=+$/, "").slice(0, -1)), `${secret} is in it in base64`);
    }

    const overlays = [await parseOverlay(text)];
    const mock = createMock(await parseDocument(await Deno.readTextFile(definition), { overlays }));
    const different: string[] = [];
    for (const [index, asked] of requests.entries()) {
      const again = await ask((request) => Promise.resolve(mock(request)), "http://localhost", asked, "any");
      const before = answers[index];
      const isEqual = before?.status === again.status && before.type === again.type && same(before.body, again.body);
      if (!isEqual) different.push(`${asked.method} ${asked.path}: ${before?.status} ${before?.type}, ${again.status}`);
    }
    assert.ok(different.length <= 50, `${different.length} differ:\n${different.join("\n")}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

async function ask(
  send: (request: Request) => Promise<Response>,
  url: string,
  { method, path, body, type = "application/json", accept = "application/json", token }: Asked,
  admin: string,
): Promise<Answered> {
  const headers = { accept, authorization: `Bearer ${token ?? admin}`, "content-type": type };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await send(new Request(`${url}${path}`, init));
  return { status: response.status, type: response.headers.get("content-type"), body: await response.text() };
}

/** Tells whether two bodies are equal. JSON is compared by value. */
function same(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    assert.deepEqual(JSON.parse(a), JSON.parse(b));
    return true;
  } catch {
    return false;
  }
}

/** Creates objects with secrets in various places. */
async function plantSecrets(api: ApiServer, namespace: string): Promise<Record<string, string>> {
  let count = 0;
  const made = (): string => `s${++count}-${crypto.randomUUID().replaceAll("-", "").slice(0, 18)}`;
  const pem = (edge: string, key: string): string => `-----${edge} PRIVATE ${"KEY"}-----\n${key}`;
  const secrets = {
    ...{ data: made(), dataOther: made(), stringData: made(), tlsKey: made(), sent: made(), sentString: made() },
    ...{ environment: made(), argument: made(), annotation: made(), property: made(), json: made(), userInfo: made() },
    ...{ stripe: `sk_live_${made().replace("-", "")}`, github: `ghp_${made().replace("-", "")}`, echoed: made() },
    ...{ aws: `AKIA${"J4".repeat(8)}`, bearer: `Bearer-${made()}`, cookie: made() },
    ...{ xml: made(), yaml: made() },
  };
  const object = (kind: string, name: string, rest: Record<string, unknown>) => ({
    apiVersion: "v1",
    kind,
    metadata: { namespace, name, annotations: {} },
    ...rest,
  });
  await api.apply(
    object("Secret", "opaque", { data: { password: btoa(secrets.data), note: btoa(secrets.dataOther) } }),
    object("Secret", "strings", { stringData: { anything: secrets.stringData } }),
    object("Secret", "tls", { stringData: { "tls.key": pem("BEGIN", secrets.tlsKey) } }),
    object("ConfigMap", "settings", {
      data: {
        "application.properties": `db.user=ada\ndb.password=${secrets.property}\n`,
        "config.json": JSON.stringify({ smtp: { password: secrets.json } }),
        url: `postgres://ada:${secrets.userInfo}@db/shop`,
        keys: `${secrets.stripe} ${secrets.aws}`,
        "beans.xml": `<beans><password>${secrets.xml}</password></beans>`,
        "values.yaml": `smtp:\n  apiKey: ${secrets.yaml}\n`,
      },
    }),
    {
      ...object("ConfigMap", "annotated", {
        data: { log: `Authorization: ${secrets.bearer}\nCookie: ${secrets.cookie}` },
      }),
      metadata: {
        namespace,
        name: "annotated",
        annotations: { "example.com/api-key": secrets.annotation, "example.com/ci": `with ${secrets.github}` },
      },
    },
    object("ReplicationController", "shop", {
      spec: {
        replicas: 0,
        selector: { app: "shop" },
        template: {
          metadata: { labels: { app: "shop" } },
          spec: {
            containers: [{
              name: "shop",
              image: "shop",
              args: [`--db-password=${secrets.argument}`],
              env: [{ name: "SMTP_PASSWORD", value: secrets.environment }],
            }],
          },
        },
      },
    }),
  );
  return secrets;
}

/** A thousand requests that create, read, list and change objects, ask for missing ones, or are refused. */
function requestsIn(namespace: string, secrets: Record<string, string>, nobody: string): Asked[] {
  const core = `/api/v1/namespaces/${namespace}`;
  const configMap = (index: number, data = {}) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `map-${index}`, labels: { group: `g${index % 10}` } },
    data: { index: String(index), ...data },
  });
  const times = (count: number, make: (index: number) => Asked): Asked[] =>
    Array.from({ length: count }, (_, i) => make(i));
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "sent" } };
  const planted: Asked[] = [
    ...["secrets/opaque", "secrets/strings", "secrets/tls", "configmaps/settings", "configmaps/annotated"],
    "replicationcontrollers/shop",
  ].map((name): Asked => ({ method: "GET", path: `${core}/${name}` }));
  return [
    ...planted,
    {
      method: "POST",
      path: `${core}/secrets`,
      body: { ...secret, data: { any: btoa(secrets["sent"] ?? "") }, stringData: { other: secrets["sentString"] } },
    },
    {
      method: "POST",
      path: `${core}/configmaps`,
      body: {
        ...configMap(1000),
        metadata: { name: "log" },
        data: { log: `got ${secrets["sent"]} and token=${secrets["echoed"]}` },
      },
    },
    { method: "GET", path: `${core}/configmaps/log` },
    ...times(90, (index) => ({ method: "POST", path: `${core}/configmaps`, body: configMap(index) })),
    ...times(360, (index) => ({ method: "GET", path: `${core}/configmaps/map-${index % 90}` })),
    ...times(90, (index) => ({ method: "GET", path: `${core}/configmaps/none-${index}` })),
    ...times(90, (index) => ({ method: "GET", path: `${core}/services/none-${index}` })),
    ...times(40, (index) => ({ method: "GET", path: `${core}/pods?labelSelector=app%3Dx${index}` })),
    ...times(10, (index) => ({ method: "GET", path: `${core}/configmaps?labelSelector=group%3Dg${index}&limit=50` })),
    ...times(60, (index) => ({
      method: "POST",
      path: `${core}/configmaps`,
      body: { ...configMap(index), metadata: { name: `Wrong_${index}` } },
    })),
    ...times(60, (index) => ({ method: "GET", path: `${core}/endpoints/none-${index}`, token: nobody })),
    ...times(30, (index) => ({
      method: "PATCH",
      path: `${core}/configmaps/map-${index}`,
      type: "application/merge-patch+json",
      body: { data: { patched: String(index) } },
    })),
    ...times(60, (index) => ({
      method: "POST",
      path: `${core}/services?dryRun=All`,
      body: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: `dry-${index}` },
        spec: { type: "ExternalName", externalName: `x${index}.example` },
      },
    })),
    ...times(30, (index) => ({ method: "DELETE", path: `${core}/configmaps/map-${60 + index}` })),
    ...times(5, (index) => ({ method: "POST", path: `${core}/configmaps`, body: configMap(index) })),
    ...times(20, () => ({ method: "GET", path: "/version/" })),
    ...times(20, () => ({ method: "GET", path: "/api/v1/" })),
    ...times(26, (index) => ({ method: "GET", path: `/api/v1/nodes/none-${index}`, accept: "application/yaml" })),
  ];
}
