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
moreMocks({ axios, api, test, expect, useFakeTimers, useRealTimers });
`;

/** Most projects have Babel make CommonJS modules of theirs. */
const BABEL = JSON.stringify({ presets: [["@babel/preset-env", { targets: { node: "current" } }]] });

Deno.test({
  name: "Jest runs the examples of docs/testing.md, and more",
  ignore: isSkipped(TEST, HAS_NODE, "npm, on Linux or macOS"),
  async fn() {
    const more = await Deno.readTextFile(new URL("more_mocks.js", import.meta.url));
    await using folder = await exampleFolder(
      TEST,
      { "@babel/core": "7.29.13", "@babel/preset-env": "7.29.14", axios: "1.21.1", jest: "30.5.2" },
      { "babel.config.json": BABEL, "more.test.js": MORE, "more_mocks.js": more, "package.json": "{}" },
    );
    const { success, text } = await folder.run(["node_modules/jest/bin/jest.js", "--rootDir", "."]);
    assert.ok(success, text);
    assert.match(text, /Test Suites: 2 passed/);
  },
});
