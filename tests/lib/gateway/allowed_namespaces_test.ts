import assert from "node:assert/strict";
import {
  admitsNamespace,
  type AllowedNamespaces,
  type LabelRequirement,
  refusalOfNamespace,
} from "../../../lib/gateway/allowed_namespaces.ts";

const SHOP = { name: "shop", labels: { team: "a", tier: "web", constructor: "x" } };
const FLEET = { namespace: "edge", name: "edge" };

function selecting(matchLabels: Record<string, string>, ...matchExpressions: LabelRequirement[]): AllowedNamespaces {
  return { from: "Selector", selector: { matchLabels, matchExpressions } };
}

const cases: [name: string, allowed: AllowedNamespaces | undefined, want: boolean][] = [
  ["nothing said", undefined, true],
  ["All", { from: "All" }, true],
  ["Same", { from: "Same" }, false],
  ["an object without from, as in the Gateway API", {}, false],
  ["a selector without requirements", { from: "Selector", selector: {} }, true],
  ["no selector", { from: "Selector" }, false],
  ["a label", selecting({ team: "a" }), true],
  ["another value", selecting({ team: "b" }), false],
  ["two labels, one other", selecting({ team: "a", tier: "db" }), false],
  ["a label that isn't there", selecting({ owner: "a" }), false],
  ["a key of every object", selecting({ toString: "a" }), false],
  ["the name", selecting({ "kubernetes.io/metadata.name": "shop" }), true],
  ["another name", selecting({ "kubernetes.io/metadata.name": "bank" }), false],
  ["In", selecting({}, { key: "team", operator: "In", values: ["a", "b"] }), true],
  ["In others", selecting({}, { key: "team", operator: "In", values: ["b"] }), false],
  ["In nothing", selecting({}, { key: "team", operator: "In", values: [] }), false],
  ["NotIn", selecting({}, { key: "team", operator: "NotIn", values: ["b"] }), true],
  ["NotIn, without the label", selecting({}, { key: "owner", operator: "NotIn", values: ["b"] }), true],
  ["NotIn, one of them", selecting({}, { key: "team", operator: "NotIn", values: ["a"] }), false],
  ["NotIn nothing, which is invalid", selecting({}, { key: "team", operator: "NotIn", values: [] }), false],
  ["Exists", selecting({}, { key: "team", operator: "Exists" }), true],
  ["Exists, and it doesn't", selecting({}, { key: "owner", operator: "Exists" }), false],
  ["DoesNotExist", selecting({}, { key: "owner", operator: "DoesNotExist" }), true],
  ["DoesNotExist, and it does", selecting({}, { key: "team", operator: "DoesNotExist" }), false],
  ["labels and expressions", selecting({ team: "a" }, { key: "tier", operator: "In", values: ["db"] }), false],
];

for (const [name, allowed, want] of cases) {
  Deno.test(`a fleet that admits by ${name} ${want ? "admits" : "doesn't admit"} another namespace`, () => {
    assert.equal(admitsNamespace(allowed, "edge", SHOP), want);
  });
}

Deno.test("a fleet that admits the same namespace admits its own", () => {
  assert.ok(admitsNamespace({ from: "Same" }, "edge", { name: "edge" }));
  // As in the Gateway API, a selector also decides whether the fleet's own namespace is allowed.
  assert.ok(!admitsNamespace(selecting({ team: "a" }), "edge", { name: "edge" }));
});

Deno.test("refusalOfNamespace() says which fleet refuses which namespace, and why", () => {
  assert.equal(
    refusalOfNamespace(FLEET, { from: "Same" }, SHOP),
    "The fleet edge/edge doesn't admit the namespace shop: its allowedNamespaces says Same. " +
      "Name another fleet, or ask the owner of this one.",
  );
  assert.match(refusalOfNamespace(FLEET, selecting({ team: "b" }), SHOP) ?? "", /says Selector .*"team":"b"/);
});

Deno.test("refusalOfNamespace() refuses nothing by labels that it doesn't know", () => {
  const unknown = { name: "shop" };
  assert.equal(refusalOfNamespace(FLEET, selecting({ team: "b" }), unknown), undefined);
  assert.match(refusalOfNamespace(FLEET, { from: "Same" }, unknown) ?? "", /says Same/);
  const byName = selecting({ "kubernetes.io/metadata.name": "bank" });
  assert.match(refusalOfNamespace(FLEET, byName, unknown) ?? "", /says Selector/);
});
