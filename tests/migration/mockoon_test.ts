/**
 * Mockoon's own server with an environment file, and gw with the definition that `gw convert` makes from the file, must
 * give the same responses to the same requests.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { installPackages } from "../../scripts/cache.ts";
import { createFolder } from "../cmd/definitions.ts";
import { runGw, spawn, startGw } from "../cmd/process.ts";
import { freePort } from "../free_port.ts";

const ENVIRONMENT = fileURLToPath(import.meta.resolve("../data/convert/mockoon.json"));

/** Milliseconds that starting Mockoon may take on a busy machine: Deno first reads its many modules. */
const STARTING = 120_000;

/** The parts of a response that are compared. */
interface Seen {
  status: number;
  type: string | undefined;
  headers: Record<string, string | null>;
  body: unknown;
}

interface Asked {
  method?: string;
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
  /** Whether the body is generated. Then only the status and the names of its properties are compared. */
  isGenerated?: true;
}

/** The requests, in order: later responses depend on earlier changes. */
const REQUESTS: readonly Asked[] = [
  { path: "/health" },
  { path: "/page" },
  { path: "/settings" },
  { path: "/pets/1" },
  { path: "/pets/2" },
  { path: "/pets/3" },
  { path: "/pets/3", headers: { "x-tenant": "acme" } },
  { path: "/pets/9" },
  { path: "/pets/5?gone=yes" },
  { path: "/pets/5?gone=no" },
  { method: "DELETE", path: "/pets/1" },
  { method: "POST", path: "/pets", json: { name: "Rex" } },
  { method: "POST", path: "/pets", json: { name: "Rex", owner: { name: "Tom" } } },
  { path: "/files/a" },
  { path: "/files/a/b" },
  { path: "/gone" },
  { path: "/retry" },
  { path: "/retry" },
  { path: "/retry" },
  { path: "/turns" },
  { path: "/turns" },
  { path: "/any" },
  { method: "POST", path: "/any", json: {} },
  { method: "PUT", path: "/any", json: {} },
  { path: "/profile", isGenerated: true },
  { path: "/users" },
  { path: "/users?page=2&limit=2" },
  { path: "/users?sort=name&order=desc" },
  { path: "/users?role_eq=admin" },
  { path: "/users?id_gte=2&id_ne=3" },
  { path: "/users/2" },
  { path: "/users/77" },
  { method: "POST", path: "/users", json: { name: "Eve", role: "user" } },
  { path: "/users/5" },
  { method: "PATCH", path: "/users/5", json: { role: "admin" } },
  { method: "PUT", path: "/users/2", json: { id: 2, name: "Bea" } },
  { path: "/users/2" },
  { method: "DELETE", path: "/users/1" },
  { method: "DELETE", path: "/users/1" },
  { path: "/users" },
];

/** Starts Mockoon's server on a free port. */
async function startMockoon(): Promise<AsyncDisposable & { url: string }> {
  const modules = await installPackages({ "@mockoon/cli": "9.9.0" });
  const port = freePort();
  const cli = `${modules}/@mockoon/cli/bin/run.js`;
  const server = spawn({
    program: [Deno.execPath(), "run", "-A", "--no-check", cli],
    args: ["start", "--data", ENVIRONMENT, "--port", String(port), "--disable-admin-api"],
    timeout: STARTING,
  });
  await server.until(/Server started on port|\n.*"level":"error"/);
  return { url: `http://127.0.0.1:${port}/api`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function ask(base: string, { method = "GET", path, headers, json }: Asked): Promise<Seen> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { ...headers, ...json === undefined ? {} : { "content-type": "application/json" } },
    ...json === undefined ? {} : { body: JSON.stringify(json) },
  });
  const text = await response.text();
  const type = response.headers.get("content-type") ?? undefined;
  const isJson = type?.startsWith("application/json") === true;
  return {
    status: response.status,
    // Express adds a charset to text media types. gw sends the media type as the definition has it.
    type: text === "" ? undefined : type?.replace(/; ?charset=utf-8$/, ""),
    headers: Object.fromEntries(["location"].map((name) => [name, response.headers.get(name)])),
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}

Deno.test("gw answers as Mockoon, with the definition that gw convert makes of Mockoon's environment", async (t) => {
  await using folder = await createFolder();
  const { stdout } = await runGw({ args: ["convert", ENVIRONMENT] });
  await Deno.writeTextFile(`${folder.path}/openapi.yaml`, stdout);
  await using gw = await startGw({ args: ["mock", "openapi.yaml", "--no-watch"], cwd: folder.path });
  await using mockoon = await startMockoon();
  for (const [index, asked] of REQUESTS.entries()) {
    const { method = "GET", path, isGenerated = false } = asked;
    await t.step(`${index + 1}: ${method} ${path}`, async () => {
      const want = await ask(mockoon.url, asked);
      const got = await ask(`http://127.0.0.1:${gw.port}/api`, asked);
      const keys = (body: unknown): unknown => typeof body === "object" && body !== null ? Object.keys(body) : body;
      // gw always sends `Location` for a created item; Mockoon need not.
      if (want.headers["location"] === null) got.headers["location"] = null;
      if (isGenerated) {
        assert.deepEqual({ ...got, body: keys(got.body) }, { ...want, body: keys(want.body) });
      } else assert.deepEqual(got, want);
    });
  }
});
