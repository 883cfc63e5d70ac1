/**
 * Which files and URLs the texts of a definition may refer to. A definition may come from elsewhere, and a mock server
 * serves what it refers to, so a text may refer only to what belongs to it:
 *
 * - A file may refer to files inside its project, and to URLs of other machines or of this one.
 * - A text from the network may refer to its own origin.
 *
 * Each text is judged by its own origin, so a file that refers to a URL doesn't let that text refer to files.
 *
 * @module
 */
import { hostKind } from "../http/address.ts";
import type { OutsideText, Referrer } from "./document.ts";

/** What {@linkcode ReferenceBounds} needs of the world. Files are named by their `file:` URIs. */
export interface ReferenceWorld {
  /** The working folder. */
  readonly workingFolder: string;
  /**
   * Follows all symbolic links of a path. Tells the URI that they lead to, and what is there; opens nothing.
   *
   * @throws If there is nothing, with a message for the user.
   */
  readonly inspect: (uri: string) => Promise<{ uri: string; kind: "file" | "folder" | "other" }>;
  /** Reads a small text file. */
  readonly read: (uri: string) => Promise<string>;
  /** Looks up the addresses of a host name, IPv6 addresses without brackets. */
  readonly addressesOf: (hostname: string) => Promise<readonly string[]>;
}

/** Options of {@linkcode ReferenceBounds}. */
export interface BoundsOptions {
  /** The URIs of all definitions of the command line. */
  readonly definitions: readonly string[];
  /** Whether files outside the project, and other origins of fetched texts, are allowed. Default: `false`. */
  readonly allowRemoteRefs?: boolean;
  /** How messages name the option, as the end of a sentence. Default: `allowRemoteRefs: true allows it`. */
  readonly advice?: string;
}

/** Whether a text may be read. The reason of a refusal is the end of a sentence: "…: it is a pipe". */
export type Permission =
  | { readonly kind: "granted"; readonly isOutside: boolean; readonly warning?: OutsideText["warning"] }
  | { readonly kind: "refused"; readonly reason: string };

/** Names of the folders by which the root of a repository is known. */
const REPOSITORIES = [".git", ".hg", ".jj", ".svn"];
/** Limit of a file `.gitmodules`, in characters. */
const MOST_MODULES = 1_000_000;
/** Folders in which the system shows processes, devices and its own settings. */
const SYSTEM = /^file:\/\/\/(?:proc|dev|sys)(?:\/|$)/;

/**
 * Judges the references of the definitions of one command line.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const bounds = new ReferenceBounds({
 *   workingFolder: "file:///home/user/api",
 *   inspect: (uri) => Promise.resolve({ uri, kind: "file" }),
 *   read: () => Promise.reject(new Error("there is no such file")),
 *   addressesOf: () => Promise.resolve([]),
 * }, { definitions: [] });
 * const referrer = { uri: "file:///home/user/api/pets.yaml", keyword: "externalValue" } as const;
 * assert.equal((await bounds.judge("file:///home/user/api/tom.json", referrer)).kind, "granted");
 * assert.equal((await bounds.judge("file:///home/user/.netrc", referrer)).kind, "refused");
 * ```
 */
export class ReferenceBounds {
  readonly #world: ReferenceWorld;
  readonly #options: BoundsOptions;
  /** The folders, with their links followed, inside which files may refer to files. */
  #roots: Promise<readonly string[]> | undefined;
  readonly #advice: string;
  readonly #hosts = new Map<string, Promise<"here" | "never" | "elsewhere">>();

  constructor(world: ReferenceWorld, options: BoundsOptions) {
    this.#world = world;
    this.#options = options;
    this.#advice = options.advice ?? "allowRemoteRefs: true allows it";
  }

  /**
   * Tells whether a text may be read for another one that refers to it.
   *
   * @param referrer Its `uri` is where the text that refers was read from, after redirects.
   * @throws If the file isn't there, with a message for the user.
   */
  async judge(uri: string, referrer: Referrer): Promise<Permission> {
    if (isUrl(uri)) return await this.#judgeUrl(new URL(uri), referrer.uri);
    if (!uri.startsWith("file:")) {
      return refused("it can't be read, as it is neither a file nor a URL of http or https");
    }
    if (isUrl(referrer.uri)) return refused("it is not read, as a text from the network may not refer to files");
    return await this.#judgeFile(uri, referrer);
  }

  /**
   * Tells whether a redirect may be followed. It must not lead to a place that the redirecting server itself may not
   * refer to, apart from other origins elsewhere.
   *
   * @param from The URL that redirects.
   * @param referrer The text that refers to the redirecting URL; absent if the command line names this URL.
   */
  async judgeRedirect(to: string, from: string, referrer?: Referrer): Promise<Permission> {
    if (!isUrl(to)) return refused("a redirect may lead to a URL of http or https only");
    const [target, origin] = [new URL(to), new URL(from)];
    if (target.origin !== origin.origin) {
      const reason = await this.#refuseHost(target, origin);
      if (reason !== undefined) return refused(reason);
    }
    return referrer === undefined ? { kind: "granted", isOutside: false } : await this.judge(to, referrer);
  }

  async #judgeUrl(url: URL, from: string): Promise<Permission> {
    const origin = isUrl(from) ? new URL(from) : undefined;
    if (url.origin === origin?.origin) return { kind: "granted", isOutside: false };
    const reason = await this.#refuseHost(url, origin);
    if (reason !== undefined) return refused(reason);
    if (origin !== undefined && !this.#options.allowRemoteRefs) {
      return refused(`it is not read, as it has another origin than the text that refers to it; ${this.#advice}`);
    }
    return { kind: "granted", isOutside: true };
  }

  /** The reason why a text of another origin may not refer to a host, if it may not. */
  async #refuseHost(url: URL, origin: URL | undefined): Promise<string | undefined> {
    const host = await this.#hostOf(url);
    if (host === "never") return "it is not read, as its address is link-local or a cloud's metadata server";
    if (host === "elsewhere" || origin === undefined) return undefined;
    const isNear = await this.#hostOf(origin) === "here";
    if (isNear && this.#options.allowRemoteRefs) return undefined;
    const advice = isNear ? `; ${this.#advice}` : "";
    return `it is not read, as it is on this machine, at another origin than the text that leads to it${advice}`;
  }

  #hostOf({ hostname }: URL): Promise<"here" | "never" | "elsewhere"> {
    let host = this.#hosts.get(hostname);
    if (host === undefined) this.#hosts.set(hostname, host = this.#findHost(hostname));
    return host;
  }

  async #findHost(hostname: string): Promise<"here" | "never" | "elsewhere"> {
    const kind = hostKind(hostname);
    // A name that can't be looked up may still be known to a proxy.
    const addresses = kind === "name" ? await this.#world.addressesOf(hostname).catch(() => []) : [];
    const kinds = [kind, ...addresses.map((address) => hostKind(hostnameOf(address)))];
    if (kinds.some((kind) => kind === "link-local" || kind === "metadata")) return "never";
    return kinds.some((kind) => kind === "loopback" || kind === "unspecified") ? "here" : "elsewhere";
  }

  async #judgeFile(uri: string, { uri: from, keyword }: Referrer): Promise<Permission> {
    const { host, href } = new URL(uri);
    // On Windows, a look at a file of another host sends it the user's credentials.
    if (host !== "" && !sameHost(host, from)) return refused("it is not read, as it is on another machine");
    const roots = await (this.#roots ??= this.#findRoots());
    const written = withoutQuery(href);
    const isSystem = (place: string): boolean => SYSTEM.test(place) && !roots.some((root) => isIn(place, root));
    if (isSystem(written)) return refused("it is not read, as it belongs to the system");
    const { uri: place, kind } = await this.#world.inspect(uri);
    if (isSystem(place)) return refused("it is not read, as it belongs to the system");
    if (kind === "other") return refused("it is not read, as it is a device, a pipe or a socket");
    if (roots.some((root) => isIn(place, root)) || await this.#isInPackage(written, place, roots)) {
      return { kind: "granted", isOutside: false };
    }
    if (this.#options.allowRemoteRefs) return { kind: "granted", isOutside: true };
    const outside = `it is outside ${outermostOf(roots)}`;
    if (keyword === "externalValue") return refused(`it is not read, as ${outside}; ${this.#advice}`);
    return { kind: "granted", isOutside: true, warning: { reason: outside, advice: this.#advice } };
  }

  /**
   * Tells whether a file belongs to a package that a link in `node_modules` of the project leads to. Package managers
   * link to a store of theirs, or to a package under development.
   */
  async #isInPackage(written: string, place: string, roots: readonly string[]): Promise<boolean> {
    const known = [...roots];
    for (const { index } of written.matchAll(/\/node_modules\//g)) {
      const [scope = "", name = ""] = written.slice(index).split("/").slice(2);
      const parent = await this.#placeOf(written.slice(0, index));
      if (parent === undefined || !known.some((root) => isIn(parent, root))) continue;
      const length = "/node_modules/".length + scope.length + (scope.startsWith("@") ? 1 + name.length : 0);
      const linked = await this.#placeOf(written.slice(0, index + length));
      // A folder that contains the project isn't a package of it.
      if (linked === undefined || known.some((root) => isIn(root, linked))) continue;
      if (isIn(place, linked) && place !== linked) return true;
      known.push(linked);
    }
    return false;
  }

  async #findRoots(): Promise<readonly string[]> {
    const { workingFolder } = this.#world;
    const folders = new Set<string>();
    // The root of the file system is where services run that don't care: no project.
    if (!isTop(workingFolder)) folders.add(workingFolder);
    for (const uri of this.#options.definitions) {
      if (!uri.startsWith("file:")) continue;
      const found = await this.#world.inspect(uri).catch(() => undefined);
      // The folder of a pipe, such as /dev/fd, is no project.
      if (found?.kind !== "file") continue;
      folders.add(folderOf(withoutQuery(uri)));
      folders.add(folderOf(found.uri));
    }
    const roots = new Set<string>();
    for (const folder of folders) {
      const place = await this.#placeOf(folder);
      if (place === undefined) continue;
      roots.add(place);
      const repository = await this.#repositoryOf(place);
      if (repository !== undefined) roots.add(repository);
    }
    return [...roots];
  }

  /** The root of the repository that a folder is in, or of the repository that has this one as a submodule. */
  async #repositoryOf(folder: string): Promise<string | undefined> {
    let repository: string | undefined;
    for (let at = folder; !isTop(at); at = folderOf(at)) {
      const isRoot = (await Promise.all(REPOSITORIES.map((name) => this.#placeOf(`${at}/${name}`))))
        .some((place) => place !== undefined);
      if (isRoot && (repository === undefined || await this.#hasModule(at, repository))) repository = at;
    }
    return repository;
  }

  /** Whether the file `.gitmodules` of a repository names another repository inside it. */
  async #hasModule(superproject: string, repository: string): Promise<boolean> {
    const modules = await this.#world.read(`${superproject}/.gitmodules`).catch(() => "");
    const paths = modules.slice(0, MOST_MODULES).matchAll(/^[ \t]*path[ \t]*=[ \t]*"?([^"\r\n]*?)"?[ \t]*$/gm);
    const inside = repository.slice(superproject.length + 1);
    return [...paths].some(([, path = ""]) => encodePath(path) === inside);
  }

  /** Where a path leads to when all links are followed; `undefined` if there is nothing. */
  async #placeOf(uri: string): Promise<string | undefined> {
    return await this.#world.inspect(uri).then(({ uri }) => trimmed(uri), () => undefined);
  }
}

function refused(reason: string): Permission {
  return { kind: "refused", reason };
}

function isUrl(uri: string): boolean {
  return /^https?:/.test(uri);
}

/** An address as the `hostname` of a URL. */
function hostnameOf(address: string): string {
  const [bare = ""] = address.split("%");
  return URL.parse(`http://${bare.includes(":") ? `[${bare}]` : bare}/`)?.hostname ?? address;
}

function sameHost(host: string, uri: string): boolean {
  return URL.parse(uri)?.host === host;
}

/** Whether a file or folder is inside a folder. Inside the root of the file system are only the files in it. */
function isIn(place: string, folder: string): boolean {
  if (place === folder) return true;
  const top = isTop(folder);
  const start = top ? folder.replace(/\/?$/, "/") : `${folder}/`;
  return place.startsWith(start) && !(top && place.slice(start.length).includes("/"));
}

/** `file:///`, or a drive: `file:///C:/`. */
function isTop(folder: string): boolean {
  return /^file:\/\/[^/]*(?:\/[a-z](?::|%3a))?\/?$/i.test(folder);
}

function folderOf(uri: string): string {
  return uri.slice(0, uri.lastIndexOf("/")) || uri;
}

function trimmed(uri: string): string {
  return isTop(uri) ? uri : uri.replace(/\/$/, "");
}

function withoutQuery(uri: string): string {
  return uri.replace(/[?#].*$/s, "");
}

function encodePath(path: string): string {
  return new URL(path, "file:///").pathname.slice(1).replace(/\/$/, "");
}

/** The path of a folder, for messages. */
function pathOf(folder: string): string {
  const { pathname } = new URL(folder);
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** The folder for messages: of several, the one that is highest. */
function outermostOf(roots: readonly string[]): string {
  const [outermost] = [...roots].sort((a, b) => a.length - b.length);
  return outermost === undefined ? "the folder of the definition" : pathOf(outermost);
}
