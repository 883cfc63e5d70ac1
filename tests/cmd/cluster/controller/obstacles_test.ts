/**
 * An object that can't be written, in one namespace, delays only what needs it there.
 *
 * @module
 */
import assert from "node:assert/strict";
import { KubeError } from "../../../../cmd/cluster/client.ts";
import { HTTP_ROUTE, RESOURCE_TYPES } from "../../../../cmd/cluster/controller/kinds.ts";
import { LABELS } from "../../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { apiOf, conditionOf, messageOf } from "../../../cluster/support/controller.ts";
import { until } from "../../../cluster/support/until.ts";
import { createSetup, definition, type Setup, start } from "./setup.ts";

const CHECKED = "{validation: {request: {enabled: true}}}";

/** Longer than any delay before an object is tried again, in virtual milliseconds. */
const LONG = 600_000;

/** Deploys an API in a namespace, with a host of its own. */
async function deploy({ client }: Setup, namespace: string, settings = "{}", path = "/secret"): Promise<void> {
  const text = definition(settings, path).replace("secrets.example", `${namespace}.example`);
  await client.apply(RESOURCE_TYPES.api, apiOf(namespace, text, namespace));
}

/** Waits until a condition of the API of a namespace says this. */
async function says({ cluster }: Setup, namespace: string, type: string, what: string): Promise<void> {
  await until(() => conditionOf(cluster.find("API", namespace), type) === what, { within: LONG });
}

/** Makes the API server refuse to create some objects, until the returned function is called. */
function refuse({ client }: Setup, isRefused: (object: KubernetesObject) => boolean, error: KubeError): () => void {
  const { create } = client;
  client.create = (type, object, options) => isRefused(object) ? Promise.reject(error) : create(type, object, options);
  return () => void (client.create = create);
}

/** An HTTPRoute that somebody else has made where gw makes the keeper of a shared policy. */
function foreignKeeper(namespace: string): KubernetesObject {
  const metadata = { namespace, name: "gw-check.edge.edge" };
  return { apiVersion: HTTP_ROUTE.apiVersion, kind: "HTTPRoute", metadata, spec: { parentRefs: [], rules: [] } };
}

interface Case {
  name: string;
  /** Puts an obstacle in the way in the namespace `team-a`. Returns a function that removes it. */
  block(setup: Setup): Promise<() => unknown>;
  /** The settings of the API that waits. */
  settings: string;
  /** A part of its status. */
  want: RegExp;
}

const cases: readonly Case[] = [
  {
    name: "a foreign HTTPRoute of a name that gw wants",
    async block({ client }) {
      await client.create(HTTP_ROUTE, foreignKeeper("team-a"));
      return () => client.delete(HTTP_ROUTE, "team-a", "gw-check.edge.edge");
    },
    settings: CHECKED,
    want: /HTTPRoute team-a\/gw-check\.edge\.edge, which gw has not made/,
  },
  {
    name: "a quota for ReferenceGrants",
    block: (setup) =>
      Promise.resolve(refuse(
        setup,
        ({ kind, metadata: { name } }) => kind === "ReferenceGrant" && name.endsWith(".team-a"),
        new KubeError(403, "Forbidden", "exceeded quota: grants"),
      )),
    settings: "{}",
    want: /exceeded quota: grants/,
  },
  {
    name: "a namespace that is being deleted",
    block: (setup) =>
      Promise.resolve(refuse(
        setup,
        ({ kind, metadata: { namespace } }) => namespace === "team-a" && kind !== "Event",
        new KubeError(403, "Forbidden", "unable to create new content in namespace team-a: it is being terminated"),
      )),
    settings: CHECKED,
    want: /it is being terminated/,
  },
  {
    name: "a webhook that fails for a namespace",
    block: (setup) =>
      Promise.resolve(refuse(
        setup,
        ({ kind, metadata: { namespace } }) => kind === "SecurityPolicy" && namespace === "team-a",
        new KubeError(500, "InternalError", "failed calling webhook: deadline exceeded"),
      )),
    settings: CHECKED,
    want: /deadline exceeded/,
  },
];

for (const { name, block, settings, want } of cases) {
  Deno.test(`Only the API that needs it waits for ${name}, and says so`, async () => {
    using setup = await createSetup();
    const { cluster } = setup;
    await using running = start(setup);
    const unblock = await block(setup);
    await deploy(setup, "team-a", settings);
    await says(setup, "team-a", "Programmed", "False NotWritten");
    assert.match(messageOf(cluster.find("API", "team-a"), "Programmed"), want);
    const events = cluster.list("Event").filter((event) => Object(event["regarding"]).name === "team-a");
    assert.ok(events.some(({ note, type }) => want.test(String(note)) && type === "Warning"), JSON.stringify(events));
    assert.match(messageOf(cluster.find("Fleet", "edge"), "Programmed"), want);

    await deploy(setup, "team-b", settings);
    await says(setup, "team-b", "Programmed", "True Programmed");

    await unblock();
    await says(setup, "team-a", "Programmed", "True Programmed");
    await until(() => conditionOf(cluster.find("Fleet", "edge"), "Programmed") === "True Programmed", { within: LONG });
    void running;
  });
}

Deno.test("After a failover an obstacle in one namespace freezes no API of another one", async () => {
  using setup = await createSetup();
  const { cluster, client } = setup;
  const routes = (): string =>
    JSON.stringify(cluster.list("HTTPRoute").filter(({ metadata }) => metadata.labels?.[LABELS.api] === "team-c"));
  {
    await using running = start(setup);
    await deploy(setup, "team-c");
    await says(setup, "team-c", "Programmed", "True Programmed");
    await client.create(HTTP_ROUTE, foreignKeeper("team-a"));
    await deploy(setup, "team-a", CHECKED);
    await says(setup, "team-a", "Programmed", "False NotWritten");
    await running.stop();
  }
  await using running = start(setup);
  await until(() => running.controller.isLeader);
  const before = routes();
  await deploy(setup, "team-c", "{disabled: true}", "/more");
  await until(() => routes() !== before, { within: LONG });
  await says(setup, "team-c", "Programmed", "True Programmed");
});

Deno.test("A namespace has a shared policy only while requests there are validated", async () => {
  using setup = await createSetup();
  const { cluster } = setup;
  await using _running = start(setup);
  for (const namespace of ["team-a", "team-b"]) await deploy(setup, namespace);
  for (const namespace of ["team-a", "team-b"]) await says(setup, namespace, "Programmed", "True Programmed");
  assert.deepEqual(cluster.list("SecurityPolicy"), []);

  const header = "parameters: [{name: X-Tenant, in: header, schema: {type: string}}], ";
  const text = definition(CHECKED).replace("secrets.example", "team-b.example")
    .replace("/secret: {get: {", `/secret: {get: {${header}`);
  await setup.client.apply(RESOURCE_TYPES.api, apiOf("team-b", text, "team-b"));
  await says(setup, "team-b", "Programmed", "True Programmed");
  await deploy(setup, "team-a", CHECKED);
  await says(setup, "team-a", "Programmed", "True Programmed");
  const sent = cluster.list("SecurityPolicy").map(({ metadata, spec }) => [
    metadata.namespace,
    Object(spec).extAuth.headersToExtAuth.includes("x-tenant"),
  ]);
  // The headers that one namespace declares don't change the policy of another one.
  assert.deepEqual(sent.sort(), [["team-a", false], ["team-b", true]]);

  await deploy(setup, "team-b");
  await until(() => cluster.list("SecurityPolicy").every(({ metadata }) => metadata.namespace === "team-a"), {
    within: LONG,
  });
});
