import assert from "node:assert/strict";
import { Ajv } from "ajv";
import { loadAll } from "js-yaml";
import { customResourceDefinitions } from "../../lib/cluster/crds/crds.ts";
import type { KubernetesObject } from "../../lib/cluster/object.ts";
import { type FleetFacts, fleetStatus } from "../../lib/cluster/status/fleet_status.ts";
import { parseDocument, validateDocument } from "../../mod.ts";
import { readPage } from "../tour/page.ts";
import { readRepositoryFile } from "../tour/pages.ts";

const PAGE = readRepositoryFile("docs/cluster.md");

/** The rows of the page's tables of conditions. */
const ROWS = [...PAGE.matchAll(/^\| ((?:`\w+`(?:, )?)+) +\| (\w+) +\| `(\w+)` +\|/gm)].flatMap(
  ([, types = "", status = "", reason = ""]) =>
    types.replaceAll("`", "").split(", ").map((type) => ({ type, status, reason })),
);

/** Capitalized words in the sources that aren't reasons of conditions. */
const OTHERS = ["True", "False", "Unknown", "All", "OpenToAllNamespaces", "PartiallyInvalid"];

Deno.test("docs/cluster.md explains each reason of a condition that gw writes, and no others", () => {
  const sources = ["route_status.ts", "fleet_status.ts"].map((name) =>
    readRepositoryFile(`lib/cluster/status/${name}`)
  );
  const written = new Set([...sources.join("\n").matchAll(/"([A-Z][a-z]+(?:[A-Z][a-z]+)*)"/g)].map(([, word]) => word));
  const reasons = [...written].filter((word) => word !== undefined && !OTHERS.includes(word)).sort();
  assert.deepEqual([...new Set(ROWS.map(({ reason }) => reason))].sort(), reasons);
});

Deno.test("docs/cluster.md explains each condition of a fleet that gw writes", () => {
  const gateway: KubernetesObject = {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "Gateway",
    metadata: { name: "edge", namespace: "edge" },
  };
  const facts: FleetFacts = {
    generation: 1,
    gateway: undefined,
    gatewayName: "edge/edge",
    obstacles: [],
    apis: 0,
    staticRoutes: 0,
    allowedNamespaces: undefined,
  };
  const written = [
    fleetStatus(facts),
    fleetStatus({ ...facts, gateway, allowedNamespaces: { from: "All" } }),
    fleetStatus({ ...facts, obstacles: ["A quota is exceeded."] }),
  ].flatMap(({ conditions = [] }) => conditions);
  for (const { type, status, reason } of written) {
    const row = ROWS.find((one) => one.type === type && one.status === status && one.reason === reason);
    assert.ok(row !== undefined, `${type} ${status} ${reason}`);
  }
});

Deno.test("docs/cluster.md shows the columns that kubectl prints of gw's kinds", () => {
  const headings = [...PAGE.matchAll(/^NAME +((?:[A-Z]+ +)*AGE)$/gm)].map(([, names = ""]) => names.split(/ +/));
  const printed = customResourceDefinitions().map(({ spec }) => {
    const { versions: [version] } = Object(spec);
    const columns: { name: string; priority?: number }[] = version.additionalPrinterColumns;
    return columns.flatMap(({ name, priority = 0 }) => priority > 0 ? [] : name.toUpperCase());
  });
  assert.deepEqual(headings, printed);
});

Deno.test("the objects of docs/cluster.md are valid by their CRDs", async () => {
  const file = readPage(PAGE).steps.find((step) => step.kind === "file" && step.name === "edge.yaml");
  assert.ok(file?.kind === "file");
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const schemas = new Map(
    customResourceDefinitions().map(({ spec }) => {
      const { names, versions: [version] } = Object(spec);
      return [names.kind, ajv.compile(version.schema.openAPIV3Schema)] as const;
    }),
  );
  const objects = loadAll(file.text).map((object) => Object(object));
  assert.deepEqual(objects.map(({ kind }) => kind), ["Fleet", "API", "StaticRoute"]);
  for (const object of objects) {
    const validate = schemas.get(object.kind);
    assert.ok(validate?.(object), JSON.stringify(validate?.errors));
  }
  const { openapi } = objects.find(({ kind }) => kind === "API").spec;
  assert.deepEqual(await validateDocument(await parseDocument(openapi)), []);
});
