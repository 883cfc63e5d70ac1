import assert from "node:assert/strict";
import { surviveFaults } from "../../../cmd/io/faults.ts";

Deno.test("surviveFaults() reports a rejection that nobody waits for, and goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const forget = surviveFaults(resolve);
  void Promise.reject(new Error("unexpected"));
  assert.match(String(await promise), /unexpected/);
  forget();
});

Deno.test("surviveFaults() reports an error in a callback, and goes on", async () => {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const forget = surviveFaults(resolve);
  setTimeout(() => {
    throw new Error("unexpected");
  });
  assert.match(String(await promise), /unexpected/);
  forget();
});
