/**
 * The runtimes that the npm library supports, each with a function that runs a script in it.
 *
 * @module
 */
import { installPackages } from "../../scripts/cache.ts";
import { type NODE_VERSIONS, nodeBinary } from "../../scripts/node_binary.ts";
import { CHROMIUM, serveSite } from "../browser/chromium.ts";
import { libraryPackage } from "./library_package.ts";
import { run } from "./programs.ts";

export interface Runtime {
  readonly name: string;
  /** Why the runtime isn't available on this machine; absent if it is. */
  readonly missing?: string;
  /**
   * Runs an ECMAScript module. Its default export is an asynchronous function that takes and returns JSON text.
   *
   * @param folder A folder with the module as `script.js`, and the library as `library/mod.js`.
   */
  run(folder: string, input: string): Promise<string>;
}

/** The versions of runtimes that are installed from npm. */
const BUN = "1.4.5";
const WORKERD = "1.20261117.1";

/** The platform as the names of npm packages contain it: `linux-x64`. */
function platform(architectures: Readonly<Record<typeof Deno.build.arch, string>>): string {
  return `${Deno.build.os}-${architectures[Deno.build.arch]}`;
}

/** A program that runs `script.js` with the contents of a file as input, for runtimes with `node:fs`. */
const MAIN = `
import { readFile } from "node:fs/promises";
import script from "./script.js";
console.log(await script(await readFile("input.json", "utf8")));
`;

async function runMain(program: string, args: readonly string[], folder: string, input: string): Promise<string> {
  await Deno.writeTextFile(`${folder}/input.json`, input);
  await Deno.writeTextFile(`${folder}/main.js`, MAIN);
  return await run(program, [...args, "main.js"], folder);
}

function node(major: keyof typeof NODE_VERSIONS): Runtime {
  return {
    name: `Node.js ${major}`,
    run: async (folder, input) => await runMain(await nodeBinary(major), [], folder, input),
  };
}

const bun: Runtime = {
  name: "Bun",
  async run(folder, input) {
    const name = `@oven/bun-${platform({ x86_64: "x64", aarch64: "aarch64" })}`;
    return await runMain(`${await installPackages({ [name]: BUN })}/${name}/bin/bun`, [], folder, input);
  },
};

const deno: Runtime = {
  name: "Deno",
  run: (folder, input) => runMain(Deno.execPath(), ["run", "--no-config", "--no-lock", "-A"], folder, input),
};

const workerd: Runtime = {
  name: "workerd",
  async run(folder, input) {
    const name = `@cloudflare/workerd-${platform({ x86_64: "64", aarch64: "arm64" })}`;
    const binary = `${await installPackages({ [name]: WORKERD })}/${name}/bin/workerd`;
    await Deno.writeTextFile(
      `${folder}/worker.js`,
      `import script from "./script.js";
export default { fetch: async (request) => new Response(await script(await request.text())) };`,
    );
    const files = await filesBelow(folder, "", ".js");
    const modules = ["worker.js", ...files.filter((file) => file !== "worker.js" && file !== "main.js")]
      .map((file) => `(name = "${file}", esModule = embed "${file}")`);
    const socket = `${folder}/socket`;
    await Deno.writeTextFile(
      `${folder}/config.capnp`,
      `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = (compatibilityDate = "2025-01-01", modules = [${modules.join(", ")}]))],
  sockets = [(name = "http", address = "unix:${socket}", http = (), service = "main")],
);`,
    );
    const child = new Deno.Command(binary, {
      args: ["serve", "config.capnp", "--control-fd=1"],
      cwd: folder,
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const messages = new Response(child.stderr).text();
    try {
      // workerd's first message on this file descriptor says that it listens.
      const { done } = await child.stdout.getReader().read();
      if (done === true) throw new Error(`workerd ended:\n${await messages}`);
      using client = Deno.createHttpClient({ proxy: { transport: "unix", path: socket } });
      const response = await fetch("http://worker/", { method: "POST", body: input, client });
      const text = await response.text();
      if (!response.ok) {
        child.kill();
        throw new Error(`workerd answered ${response.status}:\n${text}\n${await messages}`);
      }
      return text;
    } finally {
      try {
        child.kill();
      } catch {
        // The process has ended already.
      }
      await child.status;
    }
  },
};

const chromium: Runtime = {
  name: "Chromium",
  ...(CHROMIUM === undefined ? { missing: "Chromium is not installed: apt-get install chromium" } : {}),
  async run(folder, input) {
    await using site = serveSite("127.0.0.1");
    await using files = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (request) => {
      const path = new URL(request.url).pathname;
      const headers = { "access-control-allow-origin": "*", "content-type": "text/javascript" };
      return new Response(await Deno.readTextFile(`${folder}${path}`), { headers });
    });
    const script = `http://127.0.0.1:${files.addr.port}/script.js`;
    const found = await site.run(`return await (await import("${script}")).default(${JSON.stringify(input)})`);
    return String(found);
  },
};

export const RUNTIMES: readonly Runtime[] = [deno, node(20), node(22), node(24), bun, workerd, chromium];

/** The files below a folder whose names end in `ending`, as paths relative to the folder. */
export async function filesBelow(folder: string, inside: string, ending: string): Promise<string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(`${folder}/${inside}`)) {
    if (isDirectory) files.push(...await filesBelow(folder, `${inside}${name}/`, ending));
    else if (name.endsWith(ending)) files.push(inside + name);
  }
  return files.sort();
}

/** Copies the library into a folder, as `library/`. */
export async function copyLibrary(folder: string): Promise<void> {
  const { path } = await libraryPackage();
  for (const file of await filesBelow(`${path}/library`, "", ".js")) {
    if (file.startsWith("cjs/") || file.startsWith("adapters/")) continue;
    await Deno.mkdir(`${folder}/library/${file}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.copyFile(`${path}/library/${file}`, `${folder}/library/${file}`);
  }
}
