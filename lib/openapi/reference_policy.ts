/**
 * Decides which texts a definition may refer to. Anyone can publish a definition that refers to `/etc/passwd` or to a
 * server of the user's network; the mock server would then answer with it.
 *
 * | text that refers | may refer to |
 * |---|---|
 * | a file | files within the working folder, the folders of the named definitions and their repositories; URLs |
 * | a text of http or https | its own origin; other origins with `--allow-remote-refs`; never files |
 *
 * Nothing is read from link-local addresses, where clouds keep credentials, from `/proc`, `/dev` and `/sys`, or from
 * what isn't a regular file.
 *
 * @module
 */
import { hostKind } from "../http/url/address.ts";
import type { Reference } from "./document.ts";
import { createReferenceWorld, type ReferenceWorld, type SystemFunctions } from "./reference_world.ts";

/** Options of {@linkcode ReferencePolicy}. */
export interface PolicyOptions {
  /** The URIs of all definitions that are read together. */
  readonly definitions: readonly string[];
  /** Whether files outside the project, and other origins of fetched texts, are allowed. Default: `false`. */
  readonly allowRemoteRefs?: boolean;
  /** How messages name this option. Default: `allowRemoteRefs`. */
  readonly option?: string;
}

/** What the policy says of a reference that it permits. */
export interface Permission {
  /** Whether the reference leads out of the project of a file, or to another origin. */
  readonly isOutside: boolean;
  /** The end of a sentence, if the reference will be refused in the next release. */
  readonly remark?: string;
}

const INSIDE: Permission = { isOutside: false };

/** Entries of a folder that make it the root of a repository. */
const REPOSITORIES = [".git", ".hg", ".jj", ".svn"];
/** Matches places among these entries: they may have credentials, and are no part of an API. */
const IN_REPOSITORY = /\/\.(?:git|hg|jj|svn)(?:\/|$)/i;
/** Limit of a file of Git that is read, in characters. */
const MOST_GIT = 1_000_000;
/** Folders of the system whose files describe the machine and its processes. */
const SYSTEM = /^file:\/\/\/(?:proc|dev|sys)(?:\/|$)/;

/** Where a host is: on this machine, at an address that nothing may refer to, or on another machine. */
type Whereabouts = "here" | "forbidden" | "elsewhere";

/**
 * Permits references, or refuses them with an error whose message is the end of a sentence.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const policy = new ReferencePolicy({
 *   workingFolder: "file:///home/user/api",
 *   inspect: (uri) => Promise.resolve({ uri, kind: "file" }),
 *   read: () => Promise.reject(new Error("There is no such file.")),
 *   addressesOf: () => Promise.resolve([]),
 * }, { definitions: [] });
 * const from = "file:///home/user/api/pets.yaml";
 * await policy.check({ uri: "file:///home/user/api/tom.json", from, kind: "externalValue" });
 * await assert.rejects(policy.check({ uri: "file:///home/user/.netrc", from, kind: "externalValue" }), /outside/);
 * ```
 */
export class ReferencePolicy {
  readonly #world: ReferenceWorld;
  readonly #definitions: readonly string[];
  readonly #allowsAll: boolean;
  readonly #option: string;
  /** The folders, with their links followed, within which files may refer to files. */
  #roots: Promise<readonly string[]> | undefined;
  /** The home folder of the user, with its links followed. */
  #home: string | undefined;
  /** Where hosts were when they were last looked up. */
  readonly #hosts = new Map<string, Whereabouts>();

  /**
   * Makes the policy for the references of some definitions.
   *
   * @param world What the policy needs of files and of host names.
   * @param options The definitions of the user, and what their references may lead to.
   */
  constructor(
    world: ReferenceWorld,
    { definitions, allowRemoteRefs = false, option = "allowRemoteRefs" }: PolicyOptions,
  ) {
    this.#world = world;
    this.#definitions = definitions;
    this.#allowsAll = allowRemoteRefs;
    this.#option = option;
  }

  /**
   * The path of the user's home folder, by the environment; `undefined` if it isn't set, or may not be read.
   *
   * @param env Looks up an environment variable. May throw if that isn't permitted.
   */
  static homeFolder(env: (name: string) => string | undefined): string | undefined {
    try {
      return env("HOME") || env("USERPROFILE") || undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Makes the world of a policy from the functions of a runtime.
   *
   * @param system The functions.
   */
  static worldOf(system: SystemFunctions): ReferenceWorld {
    return createReferenceWorld(system);
  }

  /**
   * Tells whether a text may be read because another one refers to it.
   *
   * @param reference Its `from` is where the text that refers was read, after redirects.
   * @throws {Error} If it may not.
   */
  async check({ uri, from, kind }: Reference): Promise<Permission> {
    if (isUrl(uri)) return await this.#checkUrl(new URL(uri), isUrl(from) ? new URL(from) : undefined);
    if (!uri.startsWith("file:")) {
      throw new Error("it can't be read, as it is neither a file nor a URL of http or https");
    }
    if (isUrl(from)) throw new Error("a text that was fetched may not refer to files");
    return await this.#checkFile(uri, from, kind);
  }

  /**
   * Tells whether a URL may be fetched to which another one redirects.
   *
   * @param at The URL that redirects.
   * @param reference The reference that led there; absent if the user named the URL.
   * @throws {Error} If it may not.
   */
  async checkRedirect(to: string, at: string, reference?: Reference): Promise<void> {
    if (!isUrl(to)) throw new Error("it is no URL of http or https");
    await this.#checkHost(new URL(to), new URL(at));
    if (reference !== undefined) await this.check({ ...reference, uri: to });
  }

  /**
   * Tells whether a host may be connected to at the addresses that its name has now. Its owner can give it others at any
   * time, such as after {@linkcode check} (DNS rebinding). Call it for the URLs of the user too: texts of the same origin
   * may then be read from the same place only.
   *
   * @param hostname The `hostname` of a URL.
   * @param reference The reference that led there; absent if the user named the URL.
   * @throws {Error} If it may not.
   */
  checkAddresses(hostname: string, addresses: readonly string[], reference?: Reference): void {
    const now = whereaboutsOf(hostname, addresses);
    // A reference whose host could not be looked up was permitted as one to another machine.
    const known = reference === undefined ? now : this.#hosts.get(hostname) ?? "elsewhere";
    if (now !== known) throw new Error("the name of its host leads to other addresses than before");
    this.#hosts.set(hostname, now);
  }

  /** @param from The URL of the text that refers; `undefined` for a file, which may refer to any origin. */
  async #checkUrl(url: URL, from: URL | undefined): Promise<Permission> {
    if (url.origin === from?.origin) return INSIDE;
    await this.#checkHost(url, undefined);
    if (from !== undefined && !this.#allowsAll) {
      throw new Error(`it has another origin than the text that refers to it; ${this.#option} permits it`);
    }
    await this.#checkHost(url, from);
    return { isOutside: true };
  }

  /** @param at The URL that leads to this one, if a URL does: that of the text that refers, or one that redirects. */
  async #checkHost(url: URL, at: URL | undefined): Promise<void> {
    if (url.origin === at?.origin) return;
    const host = await this.#whereabouts(url);
    if (host === "forbidden") {
      throw new Error("nothing is read from link-local addresses and metadata servers of clouds");
    }
    if (at === undefined || host === "elsewhere") return;
    if (await this.#whereabouts(at) !== "here") throw new Error("another machine may not lead to this one");
    if (this.#allowsAll) return;
    throw new Error(`another origin of this machine may not lead to it; ${this.#option} permits it`);
  }

  async #whereabouts({ hostname }: URL): Promise<Whereabouts> {
    const known = this.#hosts.get(hostname);
    if (known !== undefined) return known;
    if (hostKind(hostname) !== "name") return whereaboutsOf(hostname, []);
    // A name that can't be looked up may still be known to a proxy.
    const addresses = await this.#world.addressesOf(hostname).catch(() => []);
    const found = whereaboutsOf(hostname, addresses);
    if (addresses.length > 0) this.#hosts.set(hostname, found);
    return found;
  }

  async #checkFile(uri: string, from: string, kind: Reference["kind"]): Promise<Permission> {
    const { host, href } = new URL(uri);
    // On Windows, a look at a file of another machine sends this machine the user's credentials.
    if (host !== "" && URL.parse(from)?.host !== host) throw new Error("files of other machines aren't read");
    const roots = await (this.#roots ??= this.#findRoots());
    const written = withoutQuery(href);
    const refuseSystem = (place: string): void => {
      if (SYSTEM.test(place) && !roots.some((root) => SYSTEM.test(root) && isWithin(place, root))) {
        throw new Error("files of the system aren't read");
      }
    };
    refuseSystem(written);
    const found = await this.#world.inspect(uri).catch(() => undefined);
    // A missing file is reported by the reader.
    if (found === undefined) return INSIDE;
    refuseSystem(found.uri);
    if (found.kind === "other") throw new Error("it is no regular file");
    const around = roots.filter((root) => isWithin(found.uri, root));
    const isInside = around.some((root) => !this.#isPrivate(found.uri, root)) ||
      await this.#isInPackage(written, found.uri, roots);
    if (isInside) return INSIDE;
    if (this.#allowsAll) return { isOutside: true };
    const remark =
      `it is ${around.length > 0 ? "among the hidden files of the user or of the repository in" : "outside"} ` +
      `${projectOf(from, roots)}; ${this.#option} permits it`;
    if (kind === "externalValue" || found.kind === "folder") throw new Error(remark);
    return { isOutside: true, remark };
  }

  /**
   * Tells whether a file inside a root is none of the project: where Git keeps the repository, or in a hidden folder of
   * the user's home, such as `.ssh`, while the home folder itself has the definition.
   */
  #isPrivate(place: string, root: string): boolean {
    if (IN_REPOSITORY.test(place.slice(root.length))) return true;
    return this.#home !== undefined && isWithin(this.#home, root) && place.startsWith(`${this.#home}/.`);
  }

  /**
   * Tells whether a file belongs to a package that a link in `node_modules` of the project leads to. Package managers
   * link to a store of theirs, or to a package under development.
   */
  async #isInPackage(written: string, place: string, roots: readonly string[]): Promise<boolean> {
    const known = [...roots];
    for (const { index, 0: folder } of written.matchAll(/\/node_modules\//g)) {
      const parent = await this.#placeOf(written.slice(0, index));
      if (parent === undefined || !known.some((root) => isWithin(parent, root))) continue;
      const names = written.slice(index + folder.length).split("/");
      const name = names.slice(0, names[0]?.startsWith("@") ? 2 : 1).join("/");
      const linked = await this.#placeOf(written.slice(0, index + folder.length) + name);
      // A folder that contains the project isn't a package of it, and a link to a single file isn't a package.
      if (linked === undefined || linked === place || known.some((root) => isWithin(root, linked))) continue;
      // A repository can have any link, such as to the user's documents.
      if (await this.#placeOf(`${linked}/package.json`) === undefined) continue;
      if (isWithin(place, linked)) return true;
      known.push(linked);
    }
    return false;
  }

  async #findRoots(): Promise<readonly string[]> {
    const { workingFolder, home } = this.#world;
    const folders = new Set<string>();
    for (const uri of this.#definitions) {
      if (!uri.startsWith("file:")) continue;
      const found = await this.#world.inspect(uri).catch(() => undefined);
      // The folder of a pipe, such as /dev/fd, is no project.
      if (found?.kind !== "file") continue;
      // A definition may be a link, as in a volume of Kubernetes: then both its places count.
      folders.add(await this.#placeOf(folderOf(withoutQuery(uri))) ?? folderOf(found.uri));
      folders.add(folderOf(found.uri));
    }
    const here = await this.#placeOf(workingFolder) ?? workingFolder;
    const around = [here];
    for (const folder of [here, ...folders]) around.push(await this.#repositoryOf(folder) ?? folder);
    const user = this.#home = home === undefined ? undefined : await this.#placeOf(home);
    const projects = around.filter((folder) => !isTop(folder) && (user === undefined || !isWithin(user, folder)));
    return [...new Set([...folders, ...projects])];
  }

  /** The root of the repository that a folder is in, or of the repository that has this one as a submodule. */
  async #repositoryOf(folder: string): Promise<string | undefined> {
    let repository: string | undefined;
    let isSubmodule = false;
    for (let at = folder; !isTop(at); at = folderOf(at)) {
      const entries = await Promise.all(REPOSITORIES.map((name) => this.#placeOf(`${at}/${name}`)));
      if (entries.every((entry) => entry === undefined)) continue;
      if (repository !== undefined && !isSubmodule && !await this.#hasModule(at, repository)) continue;
      repository = at;
      isSubmodule = /[\\/]modules[\\/]/.test(await this.#read(`${at}/.git`));
    }
    return repository;
  }

  /** Whether the file `.gitmodules` of a repository names another repository inside it. */
  async #hasModule(superproject: string, repository: string): Promise<boolean> {
    const modules = await this.#read(`${superproject}/.gitmodules`);
    const inside = repository.slice(superproject.length + 1);
    return [...modules.matchAll(/^[ \t]*path[ \t]*=[ \t]*"?([^"\r\n]*?)"?[ \t]*$/gm)]
      .some(([, path = ""]) => new URL(path, "file:///").pathname.replace(/^\/|\/$/g, "") === inside);
  }

  /** Reads a file of Git; the empty text if it isn't a file. */
  async #read(uri: string): Promise<string> {
    const found = await this.#world.inspect(uri).catch(() => undefined);
    if (found?.kind !== "file") return "";
    return (await this.#world.read(uri).catch(() => "")).slice(0, MOST_GIT);
  }

  /** Where a path leads to when all links are followed; `undefined` if there is nothing. */
  async #placeOf(uri: string): Promise<string | undefined> {
    return await this.#world.inspect(uri).then(({ uri }) => isTop(uri) ? uri : uri.replace(/\/$/, ""), () => undefined);
  }
}

/** @param addresses The addresses of a host name. */
function whereaboutsOf(hostname: string, addresses: readonly string[]): Whereabouts {
  const kinds = [hostKind(hostname), ...addresses.map((address) => hostKind(hostnameOf(address)))];
  if (kinds.some((kind) => kind === "link-local" || kind === "metadata")) return "forbidden";
  return kinds.some((kind) => kind === "loopback" || kind === "unspecified") ? "here" : "elsewhere";
}

function isUrl(uri: string): boolean {
  return /^https?:/.test(uri);
}

/** An address as the `hostname` of a URL. */
function hostnameOf(address: string): string {
  // An IPv6 address may have a zone: fe80::1%eth0.
  const [bare = ""] = address.split("%");
  return URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}/`)?.hostname ?? address;
}

/**
 * Whether a file or folder is a folder, or in it. The root of the file system contains only the files directly in it:
 * all files would be in it.
 */
function isWithin(place: string, folder: string): boolean {
  if (place === folder) return true;
  const start = folder.endsWith("/") ? folder : `${folder}/`;
  return place.startsWith(start) && !(isTop(folder) && place.slice(start.length).includes("/"));
}

/** `file:///`, or a drive: `file:///C:/`. */
function isTop(folder: string): boolean {
  return /^file:\/\/[^/]*(?:\/[a-z]:)?\/?$/i.test(folder);
}

function folderOf(uri: string): string {
  const folder = uri.slice(0, uri.lastIndexOf("/"));
  return isTop(folder) ? `${folder}/` : folder;
}

function withoutQuery(uri: string): string {
  return uri.replace(/[?#].*$/s, "");
}

/** The path of the highest of the folders that a text is in, for messages. */
function projectOf(uri: string, roots: readonly string[]): string {
  const around = roots.filter((root) => isWithin(uri, root));
  const [outermost] = (around.length > 0 ? around : [...roots]).sort((a, b) => a.length - b.length);
  if (outermost === undefined) return "the folder of the definition";
  const { pathname } = new URL(outermost);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}
