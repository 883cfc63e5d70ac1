import assert from "node:assert/strict";
import { isSkipped } from "../recipe.ts";
import { exampleFolder, HAS_NODE } from "./examples.ts";

const TEST = "tests/package/tools/jest_test.ts";

const MORE = `
import axios from "axios";
import { mockApi } from "openapi-gw/jest";
import { moreMocks } from "./more_mocks.js";

const api = mockApi("openapi.yaml", { others: "refuse" });
const useFakeTimers = () => jest.useFakeTimers();
const useRealTimers = () => jest.useRealTimers();
const advance = (milliseconds) => jest.advanceTimersByTimeAsync(milliseconds);
moreMocks({ axios, api, test, expect, useFakeTimers, advance, useRealTimers });
`;

const DOM = `
import { mockApi } from "openapi-gw/jest";
import { domMocks } from "./dom_mocks.js";

domMocks({ api: mockApi("openapi.yaml", { baseUrls: ["/api"] }), test, expect });
`;

const IN_JSDOM = "/** @jest-environment jsdom */";

/** In most projects with Jest, Babel compiles modules to CommonJS. */
const BABEL = JSON.stringify({ presets: [["@babel/preset-env", { targets: { node: "current" } }]] });

for (const version of ["29.7.0", "30.5.2"]) {
  Deno.test({
    name: `Jest ${version} runs the examples of docs/testing.md, and more: also in jsdom`,
    ignore: isSkipped(TEST, HAS_NODE, "npm, on Linux or macOS"),
    async fn() {
      const [more, dom] = await Promise.all(
        ["more_mocks.js", "dom_mocks.js"].map((name) => Deno.readTextFile(new URL(name, import.meta.url))),
      );
      await using folder = await exampleFolder(
        TEST,
        {
          "@babel/core": "7.29.13",
          "@babel/preset-env": "7.29.14",
          axios: "1.21.1",
          jest: version,
          "jest-environment-jsdom": version,
        },
        {
          "babel.config.json": BABEL,
          "more.test.js": MORE,
          "more_jsdom.test.js": IN_JSDOM + MORE,
          "dom_jsdom.test.js": IN_JSDOM + DOM,
          "more_mocks.js": more ?? "",
          "dom_mocks.js": dom ?? "",
          "package.json": "{}",
        },
      );
      const { success, text } = await folder.run(["node_modules/jest/bin/jest.js", "--rootDir", "."]);
      assert.ok(success, text);
      assert.match(text, /Test Suites: 4 passed/);
    },
  });
}
