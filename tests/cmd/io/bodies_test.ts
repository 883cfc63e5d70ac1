import assert from "node:assert/strict";
import { createBodyWatch } from "../../../cmd/io/bodies.ts";

Deno.test("a body is given up after a time without bytes, and not while some arrive", async () => {
  const watch = createBodyWatch(1);
  let isGivenUp = false;
  const slow = watch(() => isGivenUp = true);
  for (let silent = 0; silent < 3; silent++) {
    const { promise, resolve } = Promise.withResolvers<void>();
    const keeping = setInterval(slow.progress, 0);
    watch(resolve);
    await promise;
    clearInterval(keeping);
  }
  assert.equal(isGivenUp, false);
  slow.stop();
  // The timer has ended with the last body. A new body starts it again.
  const { promise, resolve } = Promise.withResolvers<void>();
  watch(resolve);
  await promise;
  assert.equal(isGivenUp, false);
  // Wait until the timer has seen that no body is left.
  await new Promise((resolve) => setTimeout(resolve, 5));
});
