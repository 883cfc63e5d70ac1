import assert from "node:assert/strict";
import { createBackground } from "../../../cmd/io/background.ts";

Deno.test("createBackground() waits for all work, also for what comes while it waits", async () => {
  const background = createBackground();
  const done: string[] = [];
  const first = Promise.withResolvers<void>();
  background.add(first.promise.then(() => {
    done.push("first");
    background.add(Promise.resolve().then(() => void done.push("second")));
  }));
  const settled = background.settled().then(() => done.push("settled"));
  assert.deepEqual(done, []);
  first.resolve();
  await settled;
  assert.deepEqual(done, ["first", "second", "settled"]);
});

Deno.test("createBackground() has nothing to wait for at first", async () => {
  await createBackground().settled();
});
