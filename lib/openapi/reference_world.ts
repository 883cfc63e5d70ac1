import type { ReferenceWorld } from "./reference_policy.ts";

/** The functions of Node.js that {@linkcode createReferenceWorld} needs. */
export interface NodeFunctions {
  /** `process.cwd` */
  readonly cwd: () => string;
  /** The path of the user's home folder, if it is known: see `ReferencePolicy.homeFolder()`. */
  readonly home: string | undefined;
  /** `realpath` of `node:fs/promises` */
  readonly realpath: (path: string) => Promise<string>;
  /** `stat` of `node:fs/promises` */
  readonly stat: (path: string) => Promise<{ isFile(): boolean; isDirectory(): boolean }>;
  /** `readFile` of `node:fs/promises` */
  readonly readFile: (path: string, encoding: "utf8") => Promise<string>;
  /** `lookup` of `node:dns/promises` */
  readonly lookup: (hostname: string, options: { all: true }) => Promise<readonly { address: string }[]>;
  /** `pathToFileURL` of `node:url` */
  readonly pathToFileURL: (path: string) => URL;
  /** `fileURLToPath` of `node:url`, which throws for a URI that no path has. */
  readonly fileURLToPath: (uri: string) => string;
}

/** Milliseconds for looking up a host name. */
const TIMEOUT = 5_000;

/**
 * Makes the world of a {@linkcode ReferencePolicy} from the functions of Node.js, which Deno and Bun have too.
 *
 * @param node The functions.
 */
export function createReferenceWorld(node: NodeFunctions): ReferenceWorld {
  const { home, pathToFileURL, fileURLToPath } = node;
  return {
    workingFolder: pathToFileURL(node.cwd()).href,
    home: home === undefined ? undefined : pathToFileURL(home).href,
    async inspect(uri) {
      const path = await node.realpath(fileURLToPath(uri));
      const found = await node.stat(path);
      const kind = found.isFile() ? "file" : found.isDirectory() ? "folder" : "other";
      return { uri: pathToFileURL(path).href, kind };
    },
    read: async (uri) => await node.readFile(fileURLToPath(uri), "utf8"),
    async addressesOf(hostname) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error("there was no answer in time")), TIMEOUT);
      try {
        const found = await Promise.race([node.lookup(hostname, { all: true }), late.promise]);
        return found.map(({ address }) => address);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
