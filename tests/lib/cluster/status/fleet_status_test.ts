import assert from "node:assert/strict";
import type { AllowedNamespaces } from "../../../../lib/gateway/allowed_namespaces.ts";
import { fleetStatus } from "../../../../lib/cluster/status/fleet_status.ts";

Deno.test("fleetStatus() says that a fleet is open to all namespaces, and whether that was specified", () => {
  const cases: [AllowedNamespaces | undefined, string | undefined][] = [
    [undefined, "True NotSpecified"],
    [{ from: "All" }, "True AllNamespaces"],
    [{ from: "Same" }, undefined],
    [{ from: "Selector", selector: {} }, undefined],
  ];
  for (const [allowedNamespaces, want] of cases) {
    const { conditions = [] } = fleetStatus({
      generation: 3,
      gateway: undefined,
      gatewayName: "edge/edge",
      obstacles: [],
      apis: 0,
      staticRoutes: 0,
      allowedNamespaces,
    });
    const found = conditions.find(({ type }) => type === "OpenToAllNamespaces");
    assert.equal(found && `${found.status} ${found.reason}`, want);
    if (found !== undefined) assert.equal(found.observedGeneration, 3);
  }
});
