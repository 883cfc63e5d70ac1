import assert from "node:assert/strict";
import { isSkipped } from "../recipe.ts";
import { exampleFolder, HAS_NODE } from "./examples.ts";

const TEST = "tests/package/tools/vitest_test.ts";

const MORE = `
import { expect, test, vi } from "vitest";
import axios from "axios";
import { mockApi } from "openapi-gw/vitest";
import { moreMocks } from "./more_mocks.js";

const api = mockApi("openapi.yaml", { others: "refuse" });
moreMocks({ axios, api, test, expect, useFakeTimers: () => vi.useFakeTimers(), useRealTimers: () => vi.useRealTimers() });
`;

Deno.test({
  name: "Vitest runs the examples of docs/testing.md, and more",
  ignore: isSkipped(TEST, HAS_NODE, "npm, on Linux or macOS"),
  async fn() {
    const more = await Deno.readTextFile(new URL("more_mocks.js", import.meta.url));
    await using folder = await exampleFolder(
      TEST,
      { axios: "1.21.1", vitest: "5.1.1" },
      { "more.test.js": MORE, "more_mocks.js": more },
    );
    const { success, text } = await folder.run(["node_modules/vitest/vitest.mjs", "run"]);
    assert.ok(success, text);
    assert.match(text, /Test Files +2 passed/);
  },
});
