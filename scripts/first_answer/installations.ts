/**
 * The installations of gw that are measured: by npx, pip, as an executable and others.
 *
 * @module
 */
import { dirname } from "node:path";
import { stepsOf } from "../../tests/package/recipe.ts";
import type { Step } from "../../tests/tour/page.ts";
import { NPM_NAME, PYPI_NAME } from "../package/names.ts";

/** The places from which the packages and the executable are downloaded. */
export interface DownloadSources {
  /** URL of npm's registry. */
  readonly registry: string;
  /** URL of the folder with the executables of a release. */
  readonly release: string;
  /** The folder with the wheels of the Python package. */
  readonly wheels: string;
}

/** How a user installs gw and gets a first mocked answer: with npx, with pip, … */
export interface Installation {
  readonly name: string;
  /** The programs that the user must already have. */
  readonly needs: readonly string[];
  /** The lines that the user types. The last one keeps running until it is killed. */
  readonly lines: (sources: DownloadSources) => string[];
  /** Files of the user's project, apart from the definition. */
  readonly files?: () => Promise<Record<string, string>>;
  readonly env?: (sources: DownloadSources) => Promise<Record<string, string>>;
  /**
   * A pattern of the last line's output once it has had an answer. Absent if the last line starts a server instead.
   */
  readonly answers?: RegExp;
}

export const INSTALLATIONS: readonly Installation[] = [
  { name: "node", needs: ["npx"], lines: () => [`npx --yes ${NPM_NAME} mock api.yaml`] },
  {
    name: "python",
    needs: ["python3"],
    lines: () => ["python3 -m venv .venv", `.venv/bin/pip install --quiet ${PYPI_NAME}`, ".venv/bin/gw mock api.yaml"],
    env: async ({ wheels }) => ({ PATH: await pythonPath(), PIP_FIND_LINKS: wheels }),
  },
  {
    name: "go",
    needs: ["go", "curl"],
    lines: ({ release }) => [
      `curl -fsSLo gw ${release}/gw-linux-x64`,
      "chmod +x gw",
      `PATH="$PWD:$PATH" ${goCommand()}`,
    ],
    files: goFiles,
    answers: /^ok\s+todos\s/m,
  },
  {
    name: "deno",
    needs: [Deno.execPath()],
    lines: () => [`deno run -A npm:${NPM_NAME} mock api.yaml`],
    env: ({ registry }) =>
      Promise.resolve({
        PATH: `${dirname(Deno.execPath())}:${Deno.env.get("PATH")}`,
        NPM_CONFIG_REGISTRY: registry,
      }),
  },
  {
    name: "shell",
    needs: ["curl"],
    lines: ({ release }) => [`curl -fsSLo gw ${release}/gw-linux-x64`, "chmod +x gw", "./gw mock api.yaml"],
  },
];

/**
 * The search path, with the folder of the real Python first: version managers for Python need files in the user's home.
 */
async function pythonPath(): Promise<string> {
  const { stdout } = await new Deno.Command("python3", { args: ["-c", "import sys; print(sys.executable)"] }).output();
  return `${dirname(new TextDecoder().decode(stdout).trim())}:${Deno.env.get("PATH")}`;
}

/** The last command of docs/go.md: the one for an empty cache. */
function goCommand(): string {
  const commands = goSteps().flatMap((step) => step.kind === "exchanges" ? step.exchanges : []);
  const last = commands.at(-1);
  if (last === undefined) throw new Error("docs/go.md has no command.");
  return last.command;
}

/** The Go module of docs/go.md, with its definition. */
function goFiles(): Promise<Record<string, string>> {
  const files = goSteps().flatMap((step): [string, string][] =>
    step.kind === "file" && !step.name.includes("/") ? [[step.name, step.text]] : []
  );
  return Promise.resolve({ "go.mod": "module todos\n\ngo 1.24\n", ...Object.fromEntries(files) });
}

function goSteps(): Step[] {
  return stepsOf("docs/go.md", "tests/package/go_test.ts");
}
