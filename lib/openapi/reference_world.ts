import type { ReferenceWorld } from "./reference_policy.ts";

/** The functions of the runtime that {@linkcode createReferenceWorld} needs: of Node.js, Bun or Deno. */
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
 * Makes the world of a {@linkcode ReferencePolicy} from the functions of a runtime.
 *
 * @param system The functions.
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
