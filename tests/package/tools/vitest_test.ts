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
const useFakeTimers = () => vi.useFakeTimers();
const useRealTimers = () => vi.useRealTimers();
const advance = (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds);
moreMocks({ axios, api, test, expect, useFakeTimers, advance, useRealTimers });
`;

const CONCURRENT = `
import { expect, test } from "vitest";
import { mockApi } from "openapi-gw/vitest";

const api = mockApi("openapi.yaml");
const { promise: fastIsOver, resolve: endFast } = Promise.withResolvers();

test.concurrent("slow", async () => {
  const { state } = api.session("slow");
  await state.replace("pets", []);
  await fastIsOver;
  expect(await state.list("pets")).toEqual([]);
});

test.concurrent("fast", async ({ onTestFinished }) => {
  onTestFinished(() => setTimeout(endFast));
  await api.session("fast").state.replace("pets", []);
});

test.concurrent("skips itself at the same time", ({ skip }) => skip());

test("after the others", async () => {
  expect(await api.session("slow").state.list("pets")).toHaveLength(3);
});

test("skips itself", async ({ skip }) => {
  await api.state.replace("pets", []);
  skip();
});

for (const number of [1, 2]) {
  test("after a test that skipped itself, " + number, async () => {
    expect(await api.state.list("pets")).toHaveLength(3);
    await api.state.replace("pets", []);
  });
}
`;

const DOM = `
import { expect, test } from "vitest";
import { mockApi } from "openapi-gw/vitest";
import { domMocks } from "./dom_mocks.js";

domMocks({ api: mockApi("openapi.yaml", { baseUrls: ["/api"] }), test, expect });
`;

const MSW = `
import { afterAll, beforeAll, expect, test } from "vitest";
import axios from "axios";
import { setupServer } from "msw/node";
import { createMockServer } from "openapi-gw";
import { mockHandlers } from "openapi-gw/msw";
import { loadDocument } from "openapi-gw/node";

const server = setupServer(...mockHandlers(await createMockServer(await loadDocument("openapi.yaml"))));
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterAll(() => server.close());

test("MSW answers fetch and XMLHttpRequest", async () => {
  expect(await (await fetch("https://api.example.com/v1/pets")).json()).toHaveLength(3);
  expect((await axios.get("https://api.example.com/v1/pets")).data).toHaveLength(3);
});
`;

/** The same tests in each environment with a DOM; MSW's in jsdom. */
const ENVIRONMENTS = {
  ...Object.fromEntries(["jsdom", "happy-dom"].flatMap((environment) => {
    const mark = `// @vitest-environment ${environment}`;
    return [[`more_${environment}.test.js`, mark + MORE], [`dom_${environment}.test.js`, mark + DOM]];
  })),
  "msw_jsdom.test.js": `// @vitest-environment jsdom${MSW}`,
};

Deno.test({
  name: "Vitest runs the examples of docs/testing.md, and more: also in jsdom and happy-dom",
  ignore: isSkipped(TEST, HAS_NODE, "npm, on Linux or macOS"),
  async fn() {
    const [more, dom] = await Promise.all(
      ["more_mocks.js", "dom_mocks.js"].map((name) => Deno.readTextFile(new URL(name, import.meta.url))),
    );
    await using folder = await exampleFolder(
      TEST,
      { axios: "1.21.1", "happy-dom": "21.0.4", jsdom: "31.0.1", msw: "3.0.5", vitest: "5.1.1" },
      {
        "more.test.js": MORE,
        "concurrent.test.js": CONCURRENT,
        ...ENVIRONMENTS,
        "more_mocks.js": more ?? "",
        "dom_mocks.js": dom ?? "",
      },
    );
    const { success, text } = await folder.run(["node_modules/vitest/vitest.mjs", "run"]);
    assert.ok(success, text);
    assert.match(text, /Test Files +8 passed/);
  },
});

Deno.test({
  name: "Vitest 1 runs the examples of docs/testing.md, and more",
  ignore: isSkipped(TEST, HAS_NODE, "npm, on Linux or macOS"),
  async fn() {
    const more = await Deno.readTextFile(new URL("more_mocks.js", import.meta.url));
    await using folder = await exampleFolder(
      TEST,
      { axios: "1.21.1", vitest: "1.6.1" },
      { "more.test.js": MORE, "concurrent.test.js": CONCURRENT, "more_mocks.js": more },
    );
    const { success, text } = await folder.run(["node_modules/vitest/vitest.mjs", "run"]);
    assert.ok(success, text);
    assert.match(text, /Test Files +3 passed/);
  },
});
