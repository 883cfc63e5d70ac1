/**
 * Decides which texts a definition may refer to. Anyone can publish a definition that refers to `/etc/passwd` or to a
 * server of the user's network; the mock server would then answer with it.
 *
 * | text that refers | may refer to |
 * |---|---|
 * | a file | files within the working folder, the repository and the folders of the named definitions; URLs of other hosts |
 * | a text of http or https | its own origin; other origins with `--allow-remote-refs`; never files |
 *
 * Nothing is read from link-local addresses, where clouds keep credentials, from `/proc`, `/dev` and `/sys`, or from
 * what isn't a regular file.
 *
 * @module
 */
import { lookup } from "node:dns/promises";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { isLinkLocal, isLoopback } from "../../lib/http/host.ts";
import type { Reference } from "../../lib/openapi/document.ts";
import { readSource } from "../../lib/openapi/source.ts";
import { isObject } from "../../lib/schema/node.ts";
import { isRemote, STDIN, toPath, toUri } from "./location.ts";

export const ALLOW_REMOTE_REFS = {
  description: "Let definitions refer to files outside their repository, and those given by URL to other origins.",
} as const;

/** Folders of the system whose files describe the machine and its processes. */
const SYSTEM = ["/proc", "/dev", "/sys"];
const FLAG = "--allow-remote-refs";

export interface ReferencePolicyOptions {
  /** The definitions of the command line. */
  readonly operands: readonly string[];
  /** Whether `--allow-remote-refs` is given. */
  readonly allowRemoteRefs?: boolean | undefined;
}

/** What the policy says of a reference that it permits. */
export interface Permission {
  /** A remark if the reference will be refused in the next release. */
  readonly remark?: string;
}

/** Permits references, or refuses them with an error whose message is the end of a sentence. */
export class ReferencePolicy {
  readonly #operands: readonly string[];
  readonly #allowsAll: boolean;
  #roots: Promise<readonly string[]> | undefined;

  constructor({ operands, allowRemoteRefs = false }: ReferencePolicyOptions) {
    this.#operands = operands;
    this.#allowsAll = allowRemoteRefs;
  }

  /**
   * Tells whether a text may be read because another one refers to it.
   *
   * @throws {Error} If it may not.
   */
  async check({ uri, from, kind }: Reference): Promise<Permission> {
    if (isRemote(uri)) {
      const url = isRemote(from) ? from : undefined;
      await this.#checkUrl(uri, url, url);
      return {};
    }
    const path = toPath(uri);
    if (path === undefined) throw new Error("it can't be read, as it is neither a file nor a URL of http or https");
    if (isRemote(from)) throw new Error("a text that was fetched may not refer to files");
    return await this.#checkFile(path, kind);
  }

  /**
   * Tells whether a URL may be fetched to which another one redirects.
   *
   * @param from The text that refers to the URL that redirects.
   * @throws {Error} If it may not.
   */
  async checkRedirect(to: string, at: string, { from }: Reference): Promise<void> {
    await this.#checkUrl(to, isRemote(from) ? from : undefined, at);
  }

  /**
   * @param from The URL of the text that refers to this URL; `undefined` for a file, which may refer to any origin.
   * @param at The URL that leads to this one: that of the text, or one that redirects.
   */
  async #checkUrl(uri: string, from: string | undefined, at: string | undefined): Promise<void> {
    const { origin, hostname } = new URL(uri);
    if (at !== undefined && new URL(at).origin === origin) return;
    const addresses = await addressesOf(hostname);
    if (addresses.some((hostname) => isLinkLocal({ hostname }))) {
      throw new Error("nothing is read from link-local addresses");
    }
    if (from !== undefined && new URL(from).origin !== origin && !this.#allowsAll) {
      throw new Error(`it has another origin than the text that refers to it; ${FLAG} permits it`);
    }
    if (at !== undefined && addresses.some(isThisMachine) && !isThisMachine(new URL(at).hostname)) {
      throw new Error("another machine may not lead to this one");
    }
  }

  async #checkFile(path: string, kind: Reference["kind"]): Promise<Permission> {
    const real = await Deno.realPath(path).catch(() => undefined);
    // A missing file is reported by the reader.
    if (real === undefined) return {};
    if ([path, real].some((at) => SYSTEM.some((folder) => isWithin(at, folder)))) {
      throw new Error("files of the system aren't read");
    }
    const { isFile, isDirectory } = await Deno.stat(real);
    if (!isFile && !isDirectory) throw new Error("it is no regular file");
    const roots = await (this.#roots ??= rootsOf(this.#operands));
    const written = resolve(path);
    const isInside = roots.some((root) => isWithin(real, root)) ||
      (written.split(sep).includes("node_modules") && roots.some((root) => isWithin(written, root)));
    if (isInside || this.#allowsAll) return {};
    const outside = `it is outside the repository, the working folder and the definitions' folders; ${FLAG} permits it`;
    if (kind === "externalValue" || isDirectory || !await isObjectFile(real)) throw new Error(outside);
    return { remark: `${outside}, and the next release will refuse it` };
  }
}

function isThisMachine(hostname: string): boolean {
  return isLoopback({ hostname }) || hostname === "0.0.0.0" || hostname === "[::]";
}

/** The host itself, and the addresses that it resolves to. A host that can't be resolved has none. */
async function addressesOf(hostname: string): Promise<readonly string[]> {
  const found = await lookup(hostname.replace(/^\[|\]$/g, ""), { all: true }).catch(() => []);
  const hosts = found.map(({ address, family }) => family === 6 ? `[${address}]` : address);
  // `URL` normalises the notations of an address.
  return [hostname, ...hosts.map((host) => URL.parse(`http://${host}`)?.hostname ?? host)];
}

/** Whether a file is an object of YAML or JSON, as definitions and their parts are. */
async function isObjectFile(path: string): Promise<boolean> {
  const { source, diagnostics } = await readSource(path, await Deno.readFile(path));
  return isObject(source.value) && !diagnostics.some(({ severity }) => severity === "error");
}

/** The folders in which referred files may be: those of the definitions, and around each and the working folder. */
async function rootsOf(operands: readonly string[]): Promise<readonly string[]> {
  const folders: string[] = [];
  for (const operand of operands) {
    const path = operand === STDIN ? undefined : toPath(toUri(operand));
    if (path === undefined) continue;
    // A definition may be a link, as in a volume of Kubernetes: then both its places count.
    folders.push(dirname(path), dirname(await Deno.realPath(path).catch(() => path)));
  }
  const around = [Deno.cwd()];
  for (const folder of [Deno.cwd(), ...folders]) around.push(await repositoryOf(folder) ?? folder);
  const home = await Deno.realPath(homedir()).catch(() => homedir());
  const roots = [...folders, ...around.filter((folder) => !isWithin(home, folder))];
  return await Promise.all(roots.map((root) => Deno.realPath(root).catch(() => root)));
}

/** The outermost Git repository of a folder: of a submodule, the repository that contains it. */
async function repositoryOf(folder: string): Promise<string | undefined> {
  let found: string | undefined;
  for (let at = folder;; at = dirname(at)) {
    const git = join(at, ".git");
    const info = await Deno.stat(git).catch(() => undefined);
    if (info !== undefined) {
      found = at;
      const isSubmodule = info.isFile && /[\\/]modules[\\/]/.test(await Deno.readTextFile(git).catch(() => ""));
      if (!isSubmodule) return found;
    }
    if (dirname(at) === at) return found;
  }
}

/** Whether a path is a folder, or in it. The root of the file system contains nothing: all files would be in it. */
function isWithin(path: string, folder: string): boolean {
  const from = relative(folder, path);
  return from === "" || (from !== ".." && !from.startsWith(`..${sep}`) && dirname(folder) !== folder);
}
