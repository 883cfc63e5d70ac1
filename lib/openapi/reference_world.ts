/** What a `ReferencePolicy` needs of the world. Files are named by their `file:` URIs. */
export interface ReferenceWorld {
  /** The working folder. */
  readonly workingFolder: string;
  /** The home folder of the user: neither it nor a folder around it counts as a project. */
  readonly home?: string | undefined;
  /**
   * Follows all symbolic links of a path. Tells the URI that they lead to, and what is there; opens nothing. Rejects if
   * there is nothing.
   */
  readonly inspect: (uri: string) => Promise<{ uri: string; kind: "file" | "folder" | "other" }>;
  /** Reads a small text file. */
  readonly read: (uri: string) => Promise<string>;
  /** Looks up the addresses of a host name; IPv6 addresses have no brackets. */
  readonly addressesOf: (hostname: string) => Promise<readonly string[]>;
}

/** The functions of the runtime that `ReferencePolicy.worldOf()` needs: of Node.js, Bun or Deno. */
export interface SystemFunctions {
  /** The path of the working folder. */
  readonly cwd: () => string;
  /** The path of the user's home folder, if it is known: see `ReferencePolicy.homeFolder()`. */
  readonly home: string | undefined;
  /** Follows all symbolic links of a path. Rejects if there is nothing. */
  readonly realPath: (path: string) => Promise<string>;
  /** Tells what is at a path. */
  readonly stat: (path: string) => Promise<{ readonly isFile: boolean; readonly isDirectory: boolean }>;
  /** Reads a text file in UTF-8. */
  readonly readTextFile: (path: string) => Promise<string>;
  /** `lookup` of `node:dns/promises` */
  readonly lookup: (hostname: string, options: { all: true }) => Promise<readonly { readonly address: string }[]>;
  /** `pathToFileURL` of `node:url` */
  readonly pathToFileURL: (path: string) => URL;
  /** `fileURLToPath` of `node:url`, which throws for a URI that no path has. */
  readonly fileURLToPath: (uri: string) => string;
}

/** Milliseconds for looking up a host name. */
const TIMEOUT = 5_000;

/**
 * Makes the world of a `ReferencePolicy` from the functions of a runtime.
 */
export function createReferenceWorld(system: SystemFunctions): ReferenceWorld {
  const { home, pathToFileURL, fileURLToPath } = system;
  return {
    workingFolder: pathToFileURL(system.cwd()).href,
    home: home === undefined ? undefined : pathToFileURL(home).href,
    async inspect(uri) {
      const path = await system.realPath(fileURLToPath(uri));
      const { isFile, isDirectory } = await system.stat(path);
      return { uri: pathToFileURL(path).href, kind: isFile ? "file" : isDirectory ? "folder" : "other" };
    },
    read: async (uri) => await system.readTextFile(fileURLToPath(uri)),
    async addressesOf(hostname) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error("there was no answer in time")), TIMEOUT);
      try {
        const found = await Promise.race([system.lookup(hostname, { all: true }), late.promise]);
        return found.map(({ address }) => address);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
