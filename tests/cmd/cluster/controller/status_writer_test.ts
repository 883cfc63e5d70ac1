import assert from "node:assert/strict";
import { KubeError } from "../../../../cmd/cluster/client.ts";
import { RESOURCE_TYPES } from "../../../../cmd/cluster/controller/kinds.ts";
import { StatusWriter } from "../../../../cmd/cluster/controller/status_writer.ts";
import type { KubernetesObject } from "../../../../lib/cluster/object.ts";
import { apiOf } from "../../../cluster/support/controller.ts";

const ACCEPTED = {
  type: "Accepted",
  status: "True",
  reason: "Accepted",
  message: "Fine.",
  observedGeneration: 1,
} as const;

Deno.test("A status is written to the object that was reconciled, not to one that has taken its name since", async () => {
  const api = (uid: string, resourceVersion: string): KubernetesObject => {
    const object = apiOf("todo", "openapi: 3.1.0");
    return { ...object, metadata: { ...object.metadata, uid, resourceVersion, generation: 1 } };
  };
  const present = api("2", "8");
  const statuses = new StatusWriter({
    client: {
      patch: () => Promise.reject(new Error("Nothing is patched.")),
      // Like an API server: refuses an object whose `resourceVersion` isn't the current one.
      applyStatus: (_type, { metadata: { resourceVersion }, status }) =>
        resourceVersion === undefined || resourceVersion === present.metadata.resourceVersion
          ? Promise.resolve({ ...present, status })
          : Promise.reject(new KubeError(409, "Conflict", "It has changed.")),
    },
    events: { write: () => Promise.resolve() },
    now: () => 0,
  });
  await assert.rejects(statuses.write(RESOURCE_TYPES.api, api("1", "7"), { conditions: [ACCEPTED] }), { status: 409 });
  await statuses.write(RESOURCE_TYPES.api, present, { conditions: [ACCEPTED] });
});
