import assert from "node:assert/strict";
import { Ajv } from "ajv";
import { loadAll } from "js-yaml";
import { customResourceDefinitions } from "../../lib/cluster/crds/crds.ts";
import { parseDocument, validateDocument } from "../../mod.ts";
import { readPage } from "../tour/page.ts";
import { readRepositoryFile } from "../tour/pages.ts";

const PAGE = readRepositoryFile("docs/cluster.md");

/** The rows of the page's table of conditions: condition, status, reason. */
const ROWS = [...PAGE.matchAll(/^\| `(\w+)` +\| (\w+) +\| `(\w+)` +\|/gm)].map(([, ...cells]) => cells);

/** Capitalized words in the sources that aren't reasons of conditions. */
const OTHERS = ["True", "False", "Unknown", "All", "OpenToAllNamespaces", "PartiallyInvalid"];

Deno.test("docs/cluster.md explains each reason of a condition that gw writes, and no others", () => {
  const sources = ["route_status.ts", "fleet_status.ts"].map((name) =>
    readRepositoryFile(`lib/cluster/status/${name}`)
  );
  const written = new Set([...sources.join("\n").matchAll(/"([A-Z][a-z]+(?:[A-Z][a-z]+)*)"/g)].map(([, word]) => word));
  const reasons = [...written].filter((word) => word !== undefined && !OTHERS.includes(word)).sort();
  assert.deepEqual([...new Set(ROWS.map(([, , reason]) => reason))].sort(), reasons);
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
