import assert from "node:assert/strict";
import { Changer } from "../../../lib/management/change.ts";
import { createMemoryStore } from "../../../lib/management/memory_store.ts";
import { ErrorResponse } from "../../../lib/api/error_response.ts";
import type { Change, Store } from "../../../lib/management/store.ts";

const CREATE: Change = {
  kind: "create",
  resource: { kind: "fleet", namespace: "default", name: "edge", spec: { serviceType: "ClusterIP", ports: [] } },
};

/** Makes a change while the gateway fails to apply it `failures` times. Returns the detail of the problem response. */
async function tell(store: Store, failures: number): Promise<string> {
  let left = failures;
  const gateway = {
    plansOf: () => [],
    apply: () => left-- > 0 ? Promise.reject(new Error("no room")) : Promise.resolve(),
  };
  try {
    await new Changer(store, gateway).apply([CREATE], false);
    return "";
  } catch (error) {
    if (!(error instanceof ErrorResponse)) throw error;
    assert.equal(error.response.status, 503);
    return (await error.response.json()).detail;
  }
}

Deno.test("a change that the gateway can't apply is rolled back, and the problem says what is in force", async (t) => {
  await t.step("taken back", async () => {
    const store = createMemoryStore(() => 0);
    assert.equal(await tell(store, 1), "The gateway can't do this: no room. Nothing was changed.");
    assert.equal(await store.get("fleet", "default", "edge"), undefined);
  });
  await t.step("taken back in the store alone", async () => {
    const store = createMemoryStore(() => 0);
    assert.match(
      await tell(store, 2),
      /no room\. The store is as it was; the gateway comes to it with the next change/,
    );
    assert.equal(await store.get("fleet", "default", "edge"), undefined);
  });
  await t.step("not taken back", async () => {
    const memory = createMemoryStore(() => 0);
    let applied = 0;
    const store: Store = {
      ...memory,
      revision: 0,
      apply: (changes, options) =>
        applied++ === 0 ? memory.apply(changes, options) : Promise.reject(new Error("the disk is gone")),
    };
    assert.match(
      await tell(store, 1),
      /stored all the same, and can't be taken back: the disk is gone\. It comes into/,
    );
    assert.notEqual(await store.get("fleet", "default", "edge"), undefined);
  });
});
