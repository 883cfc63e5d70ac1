import assert from "node:assert/strict";
import { CLOSED, PROTECTION_ANNOTATION } from "../../../../lib/cluster/protection/protected_objects.ts";
import { coverageOf, orderRoutes } from "../../../../lib/cluster/protection/route_order.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";

/** An HTTPRoute for some paths. It is guarded if its name says so. */
function route(name: string, paths: readonly string[], gateway = "edge"): KubernetesObject {
  return {
    apiVersion: "gateway.networking.k8s.io/v1",
    kind: "HTTPRoute",
    metadata: {
      name,
      namespace: "shop",
      ...(name === "guarded" ? { annotations: { [PROTECTION_ANNOTATION]: CLOSED } } : {}),
    },
    spec: {
      parentRefs: [{ name: gateway, namespace: "edge" }],
      rules: paths.map((value) => ({ name: value, matches: [{ method: "GET", path: { type: "Exact", value } }] })),
    },
  };
}

interface Case {
  name: string;
  present: readonly KubernetesObject[];
  desired: readonly KubernetesObject[];
  /** For each step, the routes to write with the number of their rules, and the routes to remove. */
  want: readonly string[][];
}

const cases: readonly Case[] = [
  {
    name: "new routes come guarded first",
    present: [],
    desired: [route("open", ["/any"]), route("guarded", ["/secret"])],
    want: [["guarded 1"], ["open 1"]],
  },
  {
    name: "a path that becomes guarded is there before the open route gives it up",
    present: [route("open", ["/any", "/secret"])],
    desired: [route("open", ["/any"]), route("guarded", ["/secret"])],
    want: [["guarded 1"], ["open 1"]],
  },
  {
    name: "a path that becomes open is there before the guarded route gives it up",
    present: [route("open", ["/any"]), route("guarded", ["/secret", "/more"])],
    desired: [route("open", ["/any", "/more"]), route("guarded", ["/secret"])],
    want: [["open 2"], ["guarded 1"]],
  },
  {
    name: "on a move to another Gateway open routes go first and come last",
    present: [route("open", ["/any"]), route("guarded", ["/secret"])],
    desired: [route("open", ["/any"], "other"), route("guarded", ["/secret"], "other")],
    want: [["-open"], ["guarded 1"], ["open 1"]],
  },
  {
    name: "a path that moves takes its open neighbours along",
    present: [route("open", ["/v1/any", "/health"]), route("guarded", ["/v1/secret"])],
    desired: [route("open", ["/v2/any", "/health"]), route("guarded", ["/v2/secret"])],
    want: [["open 1"], ["guarded 1"], ["open 2"]],
  },
  {
    name: "open routes that nobody guards just change",
    present: [route("open", ["/a", "/b"])],
    desired: [route("open", ["/a"]), route("new", ["/b"])],
    want: [["new 1"], ["open 1"]],
  },
];

for (const { name, present, desired, want } of cases) {
  Deno.test(`orderRoutes(): ${name}`, () => {
    const steps = orderRoutes(present, desired).map((step) =>
      step.map(({ kind, route }) =>
        kind === "remove" ? `-${route.metadata.name}` : `${route.metadata.name} ${coverageOf(route).size}`
      )
    );
    assert.deepEqual(steps, want);
  });
}

Deno.test("coverageOf() knows the defaults that the API server writes out", () => {
  const plain = route("open", []);
  const written = {
    ...plain,
    spec: { ...Object(plain.spec), rules: [{ matches: [{ path: { type: "PathPrefix", value: "/" } }] }] },
  };
  const short = { ...plain, spec: { ...Object(plain.spec), rules: [{}] } };
  assert.deepEqual(coverageOf(written), coverageOf(short));
});
