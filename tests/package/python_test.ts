import assert from "node:assert/strict";
import { createFolder, TODO } from "../cmd/definitions.ts";
import { runPage } from "../tour/run_page.ts";
import { type Environment, hasPython, makeEnvironment } from "./python_environment.ts";
import { isSkipped, stepsOf } from "./recipe.ts";
import { packages } from "./support.ts";

const PAGE = "docs/pytest.md";
const TEST = "tests/package/python_test.ts";
const SUITE = new URL("./python/", import.meta.url);
const README = new URL("../../packages/python/README.md", import.meta.url);
const PETS = `openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths:
  /pets: { get: { responses: { "200": { description: Pets, content: { application/json: { example: [Tom] } } } } } }
`;

const isPossible = Deno.build.os === "linux" && await hasPython();

Deno.test({
  name: "The wheel in an empty virtual environment",
  ignore: isSkipped("The Python package", isPossible, "Linux and Python 3.9 or later with its venv"),
  async fn(t) {
    await using folder = await createFolder();
    const [wheel = ""] = (await packages()).pypi;
    await t.step("The tag names the oldest glibc that the executable runs with", () => {
      assert.match(wheel, /openapi_gw-[\d.]+-py3-none-manylinux_2_\d\d_(x86_64|aarch64)\.whl$/);
    });
    const environment = await makeEnvironment(`${folder.path}/venv`, wheel);
    const project = `${folder.path}/project`;
    await createProject(project);
    const run = (...args: string[]): Promise<Result> => runPytest(environment, project, args);

    await t.step("Its fixture works with requests, httpx and urllib", async () => {
      const { code, text } = await run("test_gw_mock.py");
      assert.equal(code, 0, text);
    });
    await t.step("Its fixture works in the processes of pytest-xdist", async () => {
      const { code, text } = await run("-n", "2", "test_gw_mock.py");
      assert.equal(code, 0, text);
    });
    await t.step("The report of a failed test has the requests and their violations", async () => {
      const { code, text } = await run("failing.py");
      assert.equal(code, 1, text);
      assert.match(
        text,
        /-+ Requests to http:\/\/127\.0\.0\.1:\d+ -+\n1: GET \/todos 200 example\n {2}! .*limit must be <= 100/,
      );
      assert.match(text, /0 requests came for DELETE \/todos\/\{id\}; at least 1 should have/);
    });
    await t.step("The README's test passes", async () => {
      const [, code = ""] = /```python\n([^]*?)```/.exec(await Deno.readTextFile(README)) ?? [];
      await Deno.writeTextFile(`${project}/test_readme.py`, code.replace("api.yaml", "todo.yaml"));
      const result = await run("test_readme.py");
      assert.equal(result.code, 0, result.text);
    });
    await t.step(`${PAGE} does what it says`, async (t) => {
      const steps = stepsOf(PAGE, TEST);
      assert.ok(steps.some(({ kind }) => kind === "exchanges"));
      await runPage(t, steps, {
        env: { PATH: `${environment.bin}:${Deno.env.get("PATH")}`, PYTHONDONTWRITEBYTECODE: "1" },
      });
    });
    await t.step("Its sources are Python 3.9", async () => {
      const check = "import ast, pathlib, openapi_gw\n" +
        "for path in pathlib.Path(openapi_gw.__file__).parent.glob('*.py'):\n" +
        "    ast.parse(path.read_text(), feature_version=(3, 9))\n";
      const { code, text } = await runPython(environment, project, ["-c", check]);
      assert.equal(code, 0, text);
    });
  },
});

interface Result {
  code: number;
  text: string;
}

async function createProject(folder: string): Promise<void> {
  await Deno.mkdir(`${folder}/more`, { recursive: true });
  await Deno.copyFile(TODO, `${folder}/todo.yaml`);
  await Deno.writeTextFile(`${folder}/more/pets.yaml`, PETS);
  for await (const { name } of Deno.readDir(SUITE)) await Deno.copyFile(new URL(name, SUITE), `${folder}/${name}`);
}

function runPytest(environment: Environment, cwd: string, args: string[]): Promise<Result> {
  return runPython(environment, cwd, ["-m", "pytest", "-q", "-p", "no:cacheprovider", ...args]);
}

async function runPython({ bin, python }: Environment, cwd: string, args: string[]): Promise<Result> {
  const { code, stdout, stderr } = await new Deno.Command(python, {
    args,
    cwd,
    env: { PATH: `${bin}:${Deno.env.get("PATH")}`, NO_COLOR: "1", PYTHONDONTWRITEBYTECODE: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code, text: `${decoder.decode(stdout)}${decoder.decode(stderr)}` };
}
