/**
 * Virtual environments of Python, for tests.
 *
 * @module
 */
import { exists, makeOnce } from "../../scripts/cache.ts";
import { run } from "./programs.ts";

/** The packages that the tests need. These versions run on Python 3.9 and later. */
const TOOLS = ["pytest==8.4.2", "pytest-xdist==3.8.0", "requests==2.32.5", "httpx==0.28.1"];

const PIP = ["-m", "pip", "--disable-pip-version-check", "--quiet"];

export interface Environment {
  /** The folder with the environment's programs. */
  readonly bin: string;
  readonly python: string;
}

/** Tells whether a Python is installed that can make virtual environments. */
export async function hasPython(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("python3", {
      args: ["-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))"],
      stderr: "null",
    }).output();
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * Makes a virtual environment with a wheel and the packages of the tests. The packages are downloaded once; pip
 * installs the wheel without the network.
 *
 * @param folder The folder that becomes the environment.
 */
export async function makeEnvironment(folder: string, wheel: string): Promise<Environment> {
  const version = await run("python3", ["-c", "import sys; print(sys.version)"]);
  const tools = await makeOnce("python", "tools", [version, ...TOOLS], async (made) => {
    await run("python3", ["-m", "venv", made]);
    await run(`${made}/bin/python`, [...PIP, "install", ...TOOLS]);
  });
  await run("python3", ["-m", "venv", "--without-pip", folder]);
  const python = `${folder}/bin/python`;
  await run(`${tools}/bin/python`, [...PIP, "--python", python, "install", "--no-index", wheel]);
  await Deno.writeTextFile(`${await packagesOf(python)}/tools.pth`, `${await packagesOf(`${tools}/bin/python`)}\n`);
  const pytest = `#!${python}\nimport pytest\nraise SystemExit(pytest.console_main())\n`;
  await Deno.writeTextFile(`${folder}/bin/pytest`, pytest, { mode: 0o755 });
  if (!await exists(`${folder}/bin/gw`)) throw new Error("The wheel has brought no command gw.");
  return { bin: `${folder}/bin`, python };
}

/** The folder into which a Python installs packages. */
async function packagesOf(python: string): Promise<string> {
  return (await run(python, ["-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])).trim();
}
