/**
 * Stands in for `cypress run`, whose program can't be downloaded from npm's registry.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This program prints its results.

import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import process from "node:process";
import { pathToFileURL } from "node:url";

/** Cypress's default for `defaultCommandTimeout`. */
const TIMEOUT = 4000;

/**
 * Loads cypress.config.js, if there is one, and runs the tests of cypress/e2e in Chromium, with those commands of Cypress
 * that the examples of docs/ use. `CYPRESS_BASE_URL` is the URL of the app, as for Cypress.
 *
 * @param chromium Playwright's object of this name.
 */
export async function runTests(chromium) {
  const baseUrl = process.env.CYPRESS_BASE_URL;
  const { tasks, config } = await loadConfig();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  const page = await browser.newPage();

  /** Commands are queued, and run when the function of the test has ended. */
  const queue = [];
  const commands = {
    async request(method, url, body) {
      const json = { headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
      const response = await fetch(url, { method, ...(body === undefined ? {} : json) });
      assert.ok(response.ok, `${method} ${url}: ${response.status} ${await response.text()}`);
    },
    async task(name, value) {
      const result = await tasks[name](value);
      assert.notEqual(result, undefined, `Cypress fails for a task that returns undefined: ${name}`);
    },
    /**
     * Cypress sends the request itself, and gives the page the response as it is. Playwright would add the header that
     * lets the page read it.
     */
    async intercept(url, handler) {
      await page.route(url, async (route) => {
        const request = { url: route.request().url() };
        handler(request);
        const response = await route.fetch({ url: request.url });
        assert.equal(response.headers()["access-control-allow-origin"], new URL(baseUrl).origin);
        await route.fulfill({ response });
      });
    },
    visit: (url) => page.goto(new URL(url, baseUrl).href),
    contains: (text) => page.getByText(text).first().waitFor({ timeout: TIMEOUT }),
  };
  const before = [];
  const tests = [];
  Object.assign(globalThis, {
    cy: Object.fromEntries(
      Object.entries(commands).map(([name, run]) => [name, (...args) => void queue.push(() => run(...args))]),
    ),
    Cypress: { env: (name) => config.env[name] },
    beforeEach: (hook) => void before.push(hook),
    it: (title, test) => void tests.push({ title, test }),
  });

  for (const file of globSync("cypress/e2e/*.cy.js")) await import(pathToFileURL(file).href);
  for (const { title, test } of tests) {
    for (const step of [...before, test]) {
      step();
      while (queue.length > 0) await queue.shift()();
    }
    console.log(`✓ ${title}`);
  }
  console.log(`${tests.length} passing`);
  await browser.close();
  // A server of cypress.config.js may still listen.
  process.exit(0);
}

/** Runs `setupNodeEvents`. */
async function loadConfig() {
  const tasks = {};
  const config = { env: {} };
  if (!existsSync("cypress.config.js")) return { tasks, config };
  const { default: { e2e } } = await import(pathToFileURL("cypress.config.js").href);
  const on = (event, handlers) => {
    assert.equal(event, "task");
    Object.assign(tasks, handlers);
  };
  return { tasks, config: await e2e.setupNodeEvents(on, config) ?? config };
}
