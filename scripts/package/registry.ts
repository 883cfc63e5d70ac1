/**
 * An npm registry on this machine: it has the packages of dist/npm/, and redirects requests for others to the real
 * registry. So packages can be installed by name before they are published.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { npmNameOf, PLATFORMS } from "./names.ts";
import { executableManifest } from "./npm_command.ts";

export interface Registry extends AsyncDisposable {
  /** The URL, for `npm_config_registry`. */
  readonly url: string;
}

interface Published {
  readonly manifest: { readonly name: string; readonly version: string };
  /** The tarball; absent for executables of other platforms than this machine's. */
  readonly tarball?: Uint8Array<ArrayBuffer>;
}

/**
 * Starts a registry.
 *
 * @param tarballs Paths of the packages, as `npm pack` makes them. Executables for other platforms are described as if
 * they existed, since no package manager downloads them on this machine.
 */
export async function startRegistry(tarballs: readonly string[]): Promise<Registry> {
  const upstream = await configuredRegistry();
  const packages = new Map<string, Published>();
  for (const platform of PLATFORMS.filter(({ target }) => target !== Deno.build.target)) {
    packages.set(npmNameOf(platform), { manifest: executableManifest(platform) });
  }
  for (const path of tarballs) {
    const manifest = await readManifest(path);
    packages.set(manifest.name, { manifest, tarball: await Deno.readFile(path) });
  }
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const { pathname, search, origin } = new URL(request.url);
    const path = decodeURIComponent(pathname.slice(1));
    const [name = "", isTarball] = path.split("/-/");
    const found = packages.get(name);
    if (found === undefined) return Response.redirect(`${upstream}${pathname}${search}`, 302);
    if (isTarball === undefined) return Response.json(describe(found, origin));
    return new Response(found.tarball ?? null, { status: found.tarball === undefined ? 404 : 200 });
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return { url, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** The URL of the registry that npm is configured to use, without a slash at the end. */
export async function configuredRegistry(): Promise<string> {
  const { stdout } = await new Deno.Command("npm", { args: ["config", "get", "registry"], stderr: "null" }).output();
  return new TextDecoder().decode(stdout).trim().replace(/\/$/, "");
}

/** The metadata of a package in the format of npm registries, with one version. */
function describe({ manifest, tarball }: Published, origin: string): unknown {
  const { name, version } = manifest;
  const integrity = `sha512-${createHash("sha512").update(tarball ?? "").digest("base64")}`;
  const dist = { tarball: `${origin}/${name}/-/${version}.tgz`, integrity };
  return { name, "dist-tags": { latest: version }, versions: { [version]: { ...manifest, dist } } };
}

async function readManifest(tarball: string): Promise<Published["manifest"]> {
  const { success, stdout } = await new Deno.Command("tar", {
    args: ["-xzOf", tarball, "package/package.json"],
    stdout: "piped",
  }).output();
  if (!success) throw new Error(`${tarball} has no package.json.`);
  return JSON.parse(new TextDecoder().decode(stdout));
}
