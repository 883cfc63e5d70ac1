/**
 * Runs the scenarios of table.ts with the npm library, in any JavaScript runtime.
 *
 * @param {typeof import("../../../mod.ts")} library
 * @param {(import("./table.ts").Scenario & { text: string })[]} scenarios With the texts of their definitions.
 * @returns {Promise<string[]>} The result of each step, as text.
 */
export async function runScenarios(library, scenarios) {
  const results = [];
  for (const { text, kind, options, steps } of scenarios) {
    const document = await library.parseDocument(text);
    const diagnostics = await library.validateDocument(document);
    results.push(JSON.stringify(diagnostics));
    const server = kind === "server" ? await library.createMockServer(document, options) : undefined;
    const fetch = server?.fetch ?? library.createMock(document, options);
    for (const step of steps) {
      const done = "call" in step ? call(server, step) : exchange(fetch, step);
      results.push(await done.catch((error) => `${error.name}: ${error.message}`));
    }
  }
  return results;
}

async function call(server, { call: [method, ...args], session }) {
  const names = method.split(".");
  let owner = session === undefined ? server : server.session(session);
  for (const name of names.slice(0, -1)) owner = owner[name];
  return JSON.stringify(await owner[names.at(-1)](...args)) ?? "undefined";
}

/** Sends a request. Returns the response as text: status, headers, and the bytes of the body. */
async function exchange(fetch, { path, method = "GET", headers = {}, body = null }) {
  const response = await fetch(new Request(`http://localhost${path}`, { method, headers, body }));
  const bytes = new Uint8Array(await response.arrayBuffer());
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).sort();
  const shown = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return [`${method} ${path} -> ${response.status} ${response.statusText}`, ...lines, "", shown].join("\n");
}
