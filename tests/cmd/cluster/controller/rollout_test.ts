/**
 * Edits of an API under load: what proxies get while the controller rolls them out.
 *
 * @module
 */
import assert from "node:assert/strict";
import { HTTP_ROUTE } from "../../../../cmd/cluster/controller/kinds.ts";
import { LABELS } from "../../../../lib/cluster/names.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import type { JsonObject } from "../../../../lib/schema/json/node.ts";
import { until } from "../../../cluster/support/until.ts";
import { createSetup, CUSTOM, type Setup, start } from "./setup.ts";

/** A definition whose operations have these settings, by path. */
function definitionOf(operations: Readonly<Record<string, string>>): string {
  return [
    "openapi: 3.1.0",
    "info: {title: Shop, version: 1.0.0}",
    "x-svc: {hosts: [shop.example.com]}",
    "paths:",
    ...Object.entries(operations).map(([path, settings]) =>
      `  ${path}: {get: {x-svc: ${settings}, responses: {"204": {description: None.}}}}`
    ),
  ].join("\n");
}

const to = (service: string, more = ""): string => `{upstream: {service: {name: ${service}}}${more}}`;
const AUTH = `, auth: ${CUSTOM}`;
const QOS = ", qos: {retries: 1}";

interface Rule {
  /** The upstreams, from which Envoy makes the cluster of the rule. */
  upstreams: string;
  matches: string[];
}

/** The rules of an API's HTTPRoutes, by the names of their clusters. */
type Form = ReadonlyMap<string, Rule>;

function rulesOf(route: KubernetesObject): [cluster: string, Rule][] {
  const rules: JsonObject[] = Object(route.spec).rules ?? [];
  return rules.map(({ matches = [], backendRefs = [] }, index) => {
    const list: { method?: string; path: { value: string } }[] = Object(matches);
    const refs: { name: string }[] = Object(backendRefs);
    return [`${route.metadata.name}/${index}`, {
      upstreams: refs.map(({ name }) => name).join(),
      matches: list.map(({ method, path }) => `${method} ${path.value}`).filter((match) =>
        !match.includes("unmatched")
      ),
    }];
  });
}

function formOf({ cluster }: Setup): Form {
  const routes = cluster.list("HTTPRoute").filter(({ metadata }) => metadata.labels?.[LABELS.api] === "todo");
  return new Map(routes.flatMap(rulesOf));
}

/** Records the forms of an API's HTTPRoutes after each write, which a gateway may send to its proxies. */
function record(setup: Setup): { readonly forms: Form[] } {
  const forms: Form[] = [];
  const { client } = setup;
  const { create, replace, delete: remove } = client;
  const note = <Result>(kind: string, result: Promise<Result>): Promise<Result> =>
    result.then((value) => {
      if (kind === HTTP_ROUTE.kind) forms.push(formOf(setup));
      return value;
    });
  client.create = (type, ...rest) => note(type.kind, create(type, ...rest));
  client.replace = (type, ...rest) => note(type.kind, replace(type, ...rest));
  client.delete = (type, ...rest) => note(type.kind, remove(type, ...rest));
  return { forms };
}

interface Case {
  name: string;
  before: Record<string, string>;
  after: Record<string, string>;
}

const cases: readonly Case[] = [
  {
    name: "an operation whose rule sorts first",
    before: { "/orders": to("orders"), "/users": to("users") },
    after: { "/carts": to("carts"), "/orders": to("orders"), "/users": to("users") },
  },
  {
    name: "an operation that is removed",
    before: { "/carts": to("carts"), "/orders": to("orders"), "/users": to("users") },
    after: { "/orders": to("orders"), "/users": to("users") },
  },
  {
    name: "another Service",
    before: { "/orders": to("orders"), "/users": to("users") },
    after: { "/orders": to("carts"), "/users": to("users") },
  },
  {
    name: "Services that change places",
    before: { "/orders": to("orders"), "/users": to("users") },
    after: { "/orders": to("users"), "/users": to("orders") },
  },
  {
    name: "traffic policies",
    before: { "/carts": to("carts", QOS), "/orders": to("orders", QOS), "/users": to("users") },
    after: { "/orders": to("orders", QOS), "/users": to("users", QOS) },
  },
  {
    name: "protected operations of several Services",
    before: {
      "/a": to("users", AUTH),
      "/carts": to("carts", AUTH),
      "/orders": to("orders", AUTH),
      "/users": to("users", AUTH),
    },
    after: { "/a": to("users", AUTH), "/orders": to("orders", AUTH), "/users": to("users", AUTH), "/z": to("z", AUTH) },
  },
  {
    name: "a protected operation that is sent to another Service",
    before: { "/orders": to("orders", AUTH), "/users": to("users", AUTH) },
    after: { "/orders": to("carts", AUTH), "/users": to("users", AUTH) },
  },
  {
    name: "a mock that is switched off",
    before: { "/orders": "{mocking: {enabled: true}}", "/users": to("users") },
    after: { "/orders": to("orders"), "/users": to("users") },
  },
];

for (const { name, before, after } of cases) {
  Deno.test(`An edit sends no request to another upstream, and fails none: ${name}`, async () => {
    using setup = await createSetup();
    await using _running = start(setup);
    await setup.deploy("todo", definitionOf(before));
    await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 60_000 });
    for (const [number, operations] of [after, before].entries()) {
      const first = formOf(setup);
      const { forms } = record(setup);
      await setup.deploy("todo", definitionOf(operations));
      await until(() => setup.says("todo", "Programmed") === "True Programmed", { within: 60_000 });
      await new Promise((resolve) => setTimeout(resolve, 60_000));
      assert.equal(setup.says("todo", "Programmed"), "True Programmed");
      for (const [index, next] of forms.entries()) assertSafe(forms[index - 1] ?? first, next, `edit ${number}`);
      assertServes(formOf(setup), operations);
    }
  });
}

/** Asserts that requests reach their own upstreams when the clusters of a form arrive before its routes. */
function assertSafe(before: Form, after: Form, what: string): void {
  const said = `${what}: ${JSON.stringify([...before])} -> ${JSON.stringify([...after])}`;
  const served = new Set([...before.values()].flatMap(({ matches }) => matches).filter((one) => !one.endsWith("/?")));
  for (const [cluster, { matches, upstreams }] of before) {
    if (matches.length > 0) assert.equal(after.get(cluster)?.upstreams, upstreams, `${cluster} of ${said}`);
  }
  for (const [cluster, { matches, upstreams }] of after) {
    if (!matches.some((match) => served.has(match))) continue;
    assert.equal(before.get(cluster)?.upstreams, upstreams, `new ${cluster} of ${said}`);
  }
  const now = new Set([...after.values()].flatMap(({ matches }) => matches));
  const kept = [...served].filter((match) => !now.has(match));
  // Requests that another step serves again must be served in between.
  assert.ok(kept.every((match) => !match.includes("/users")), `${kept} of ${said}`);
}

function assertServes(form: Form, operations: Readonly<Record<string, string>>): void {
  for (const [path, settings] of Object.entries(operations)) {
    const [, service = "gw-mock"] = /name: (\w+)/.exec(settings) ?? [];
    // The rule of mocked operations may match a prefix.
    const matching = service === "gw-mock" ? "undefined /" : `GET ${path}`;
    const upstreams = [...form.values()].filter(({ matches }) => matches.includes(matching))
      .map(({ upstreams }) => upstreams);
    assert.deepEqual(upstreams, [service], `GET ${path} of ${JSON.stringify([...form])}`);
  }
}
