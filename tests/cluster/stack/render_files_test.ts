/**
 * Envoy Gateway reads the output of `gw render` from files, without a cluster.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parseAllDocuments } from "yaml";
import { render } from "../../../cmd/commands/render.ts";
import { namespaceFlags } from "../../../scripts/cluster/namespaces.ts";
import { recordPlatform } from "../../cmd/recorded_platform.ts";
import { runCommand } from "../support/daemon.ts";
import { backendObject, gatewayObjects, withBackends } from "../support/file_gateway.ts";

const PROGRAM = fileURLToPath(import.meta.resolve("../support/file_gateway.ts"));
const BACKENDS = { todo: 19101, mocks: 19102 };

Deno.test("what gw render prints serves from files, too", async () => {
  const folder = await Deno.makeTempDir();
  const platform = recordPlatform();
  const flags = ["-n", "shop", "--gateway", "theirs", "--mocks", "shop/mocks"];
  assert.equal(await render(["tests/data/todo.yaml", ...flags], platform), 0, platform.printed.stderr);
  const rendered = parseAllDocuments(platform.printed.stdout).map((document) => document.toJS());
  const objects = [
    ...gatewayObjects("shop", "theirs"),
    ...Object.entries(BACKENDS).map(([name, port]) => backendObject("shop", name, port)),
    ...rendered.filter((object) => object !== null).map(withBackends),
  ];
  await Deno.mkdir(`${folder}/objects`);
  await Deno.writeTextFile(
    `${folder}/objects/all.yaml`,
    objects.map((object) => JSON.stringify(object)).join("\n---\n"),
  );
  await Deno.writeTextFile(`${folder}/backends.json`, JSON.stringify(BACKENDS));

  const cases = [
    { path: "/todos", want: "mocks GET /todos shop/todo" },
    { path: "/todos", method: "POST", want: "todo POST /todos shop/todo" },
    { path: "/todos/7", want: "mocks GET /todos/7 shop/todo" },
  ];
  const questions = cases.map(({ path, method = "GET" }) => ({ host: "localhost", path, method }));
  const program = [Deno.execPath(), "run", "-A", PROGRAM, folder, JSON.stringify(questions)];
  const answers: { text: string }[] = JSON.parse(
    await runCommand(["unshare", ...(await namespaceFlags()), ...program]),
  );
  assert.deepEqual(answers.map(({ text }) => text), cases.map(({ want }) => want));
  await Deno.remove(folder, { recursive: true });
});
