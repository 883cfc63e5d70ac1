import { messageOf } from "../../lib/http/message.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import { toPath, toUri } from "./files/location.ts";
import { reasonOf } from "./files/read.ts";
import { Watcher } from "./files/watcher.ts";

/** An authenticated user. */
export interface User {
  name: string;
  groups: readonly string[];
  /** The `uid` of a cluster's user, which its authorization (SubjectAccessReview) may need. */
  uid?: string;
  extra?: Readonly<Record<string, readonly string[]>>;
}

/** The valid tokens. */
export interface Tokens {
  /** Finds the user of a token, in constant time. */
  find(token: string): User | undefined | Promise<User | undefined>;
  close(): void;
}

/** Tokens from the file of `--token-file`. */
export interface KnownTokens extends Tokens {
  find(token: string): User | undefined;
}

/**
 * A stored token: its hash, which doesn't reveal the token. Hashes have the same length, as a comparison in constant
 * time needs.
 */
interface Entry {
  hash: Uint8Array;
  user: User;
}

/**
 * Reads the file of tokens, and reads it again whenever it changes. Each line is `token,user,group,…`; empty lines and
 * lines that start with `#` are skipped.
 *
 * @param report Called at each change: with the number of tokens, or with the reason why the previous tokens stay
 * valid.
 * @throws {Error} If the file is invalid, with a message for the user.
 */
export async function readTokens(path: string, report: (message: string) => void): Promise<KnownTokens> {
  let entries = await readEntries(path);
  let isOpen = false;
  await warnOfOthers();
  const watcher = new Watcher(() => void reread());
  watcher.watch([toPath(toUri(path)) ?? path]);
  return {
    find(token) {
      const hash = hashOf(token);
      let found: User | undefined;
      for (const entry of entries) {
        if (timingSafeEqual(hash, entry.hash)) found = entry.user;
      }
      return found;
    },
    close: () => watcher.close(),
  };

  /** Warns if other users can read the file: once, and again only after its permissions were corrected. */
  async function warnOfOthers(): Promise<void> {
    const wasOpen = isOpen;
    isOpen = await isReadableByOthers(path);
    if (isOpen && !wasOpen) report(`${path} can be read by other users of this machine: chmod 600 ${path}`);
  }

  async function reread(): Promise<void> {
    try {
      const before = entries;
      entries = await readEntries(path);
      await warnOfOthers();
      if (!isSame(before, entries)) {
        report(`Reloaded ${path}: ${entries.length} token${entries.length === 1 ? "" : "s"}.`);
      }
    } catch (error) {
      report(`${messageOf(error)} The tokens from before stay valid.`);
    }
  }
}

/** The permission bits by which the file's group and all users may read it (POSIX). */
const READABLE_BY_OTHERS = 0o044;

/** Tells whether users other than the owner may read a file; `false` on systems without permission bits. */
async function isReadableByOthers(path: string): Promise<boolean> {
  const { mode } = await Deno.stat(path);
  return mode !== null && (mode & READABLE_BY_OTHERS) !== 0;
}

async function readEntries(path: string): Promise<Entry[]> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    throw new Error(`Cannot read ${path}: ${reasonOf(error)}.`, { cause: error });
  }
  return parseTokens(text, path);
}

function parseTokens(text: string, path: string): Entry[] {
  const lines = new Map<string, number>();
  return text.split(/\r?\n/).flatMap((line, index): Entry[] => {
    if (line.trim() === "" || line.startsWith("#")) return [];
    const [token = "", name = "", ...groups] = line.split(",").map((field) => field.trim());
    // The messages about a line must not contain its token.
    if (token === "" || name === "") {
      throw new Error(`${path}:${index + 1}: a line must be token,user,group, with a token and a user at least.`);
    }
    const first = lines.get(token);
    if (first !== undefined) throw new Error(`${path}:${index + 1}: this is the same token as on line ${first}.`);
    lines.set(token, index + 1);
    return [{ hash: hashOf(token), user: { name, groups: groups.filter((group) => group !== "") } }];
  });
}

function hashOf(token: string): Uint8Array {
  return createHash("sha256").update(token).digest();
}

function isSame(a: readonly Entry[], b: readonly Entry[]): boolean {
  const textOf = (entries: readonly Entry[]): string =>
    JSON.stringify(entries.map(({ hash, user }) => [[...hash], user]));
  return textOf(a) === textOf(b);
}
