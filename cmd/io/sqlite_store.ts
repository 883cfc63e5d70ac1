import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { createMemoryStore, type KeptChange } from "../../lib/management/memory_store.ts";
import type { Store, StoredResource } from "../../lib/management/store.ts";
import { StoreError } from "../../lib/gateway/store_error.ts";
import { messageOf } from "../../lib/http/message.ts";

/** Where a store is and how it is opened. */
export interface SqliteStoreOptions {
  /** The file; it is made where there is none. `:memory:` keeps nothing. */
  path: string;
  /** The time, in milliseconds since 1970. */
  now: () => number;
  /** The most that the file may take, in pages of 4 KiB. Default: what the disk has. */
  mostPages?: number;
}

/** A store that was opened, or why it can't be. */
export type OpenedStore =
  | {
    kind: "open";
    store: Store;
    close: () => void;
    /** Present when there is no room on the disk, so that the store can be read and not written: a sentence. */
    warning?: string;
  }
  | { kind: "refused"; message: string };

/** SQLite's primary result codes. @see {@link https://www.sqlite.org/rescode.html SQLite, Result Codes} */
const CODE = { busy: 5, corrupt: 11, full: 13, notADatabase: 26 } as const;

/** Bytes without which SQLite can't open a file as usual: its index of the write-ahead log. */
const LEAST_ROOM = 32 * 1024;

/** Seconds after which a store that failed to write may be worth another try. */
const RETRY_AFTER = 5;

/** How long the file may be somebody else's, in milliseconds: a gw that is being replaced ends at about that time. */
const PATIENCE = 300;

/** What `PRAGMA quick_check` says of a file that is whole. */
const WHOLE = "ok";

/**
 * Opens a store in a file of SQLite. The file is this process's alone while it is open; each change is one transaction
 * that is on the disk when it is acknowledged. What the store holds is read once and then looked up in memory.
 *
 * A damaged file is left as it is.
 */
export function openSqliteStore({ path, now, mostPages }: SqliteStoreOptions): OpenedStore {
  let database: DatabaseSync | undefined;
  const isCramped = !hasRoom(path);
  try {
    if (isFile(path)) examine(path, isCramped);
    database = new DatabaseSync(path);
    configure(database, mostPages);
    migrate(database);
    const backing = { ...readAll(database), keep: createKeeper(database, path) };
    const opened = database;
    return {
      kind: "open",
      store: createMemoryStore(now, backing),
      close: () => opened.close(),
      ...(isCramped ? { warning: noRoom(path) } : {}),
    };
  } catch (error) {
    database?.close();
    return { kind: "refused", message: refusal(path, error, isCramped) };
  }
}

/**
 * Looks a file through without writing to it, so that one that is damaged can still be rescued as it is.
 *
 * @param isCramped Whether there is no room for a file beside it. A connection that has the file for itself keeps the
 * index of the write-ahead log in memory, but it can't be read-only.
 * @see {@link https://www.sqlite.org/wal.html#noshm SQLite, Use of WAL Without Shared-Memory}
 */
function examine(path: string, isCramped: boolean): void {
  const database = new DatabaseSync(path, { readOnly: !isCramped });
  try {
    first(database, `PRAGMA busy_timeout = ${PATIENCE}`);
    if (isCramped) first(database, "PRAGMA locking_mode = EXCLUSIVE");
    const version = Number(first(database, "PRAGMA user_version"));
    if (version > SCHEMA_VERSION) throw new TooNewError(version);
    const found = first(database, "PRAGMA quick_check(1)");
    // The first line says which database is meant, and there is one.
    if (found !== WHOLE) throw new DamagedError(String(found).replace(/^\*{3}.*\n/, ""));
  } finally {
    database.close();
  }
}

function configure(database: DatabaseSync, mostPages: number | undefined): void {
  first(database, `PRAGMA busy_timeout = ${PATIENCE}`);
  // The lock is taken with the first transaction, kept until the end, and gone with the process however it ends.
  first(database, "PRAGMA locking_mode = EXCLUSIVE");
  first(database, "PRAGMA journal_mode = WAL");
  run(database, "PRAGMA synchronous = FULL");
  if (mostPages !== undefined) first(database, `PRAGMA max_page_count = ${mostPages}`);
  run(database, "BEGIN IMMEDIATE");
  run(database, "COMMIT");
}

function readAll(database: DatabaseSync): { resources: StoredResource[]; revision: number } {
  const rows = database.prepare("SELECT kind, namespace, name, version, created, spec FROM resource").all();
  const revision = first(database, "SELECT value FROM counter WHERE name = 'revision'");
  return { resources: rows.map(readRow), revision: Number(revision) };
}

/** A row that this program has written: what a resource is was checked when it came in. */
function readRow({ kind, namespace, name, version, created, spec }: Record<string, SQLOutputValue>): StoredResource {
  return { kind, namespace, name, version, created, spec: JSON.parse(String(spec)) } as StoredResource;
}

/** Makes what writes changes down. */
function createKeeper(
  database: DatabaseSync,
  path: string,
): (changes: readonly KeptChange[], revision: number) => void {
  const write = database.prepare(
    "INSERT OR REPLACE INTO resource (kind, namespace, name, version, created, spec) VALUES (?, ?, ?, ?, ?, ?)",
  );
  const remove = database.prepare("DELETE FROM resource WHERE kind = ? AND namespace = ? AND name = ?");
  const count = database.prepare("UPDATE counter SET value = ? WHERE name = 'revision'");

  return (changes, revision) => {
    try {
      run(database, "BEGIN IMMEDIATE");
      for (const change of changes) keep(change);
      count.run(revision);
      run(database, "COMMIT");
    } catch (error) {
      undo();
      throw storeError(path, error);
    }
  };

  function keep({ kind, resource }: KeptChange): void {
    const key = [resource.kind, resource.namespace, resource.name] as const;
    if (kind === "delete") remove.run(...key);
    else write.run(...key, resource.version, resource.created, JSON.stringify(resource.spec));
  }

  function undo(): void {
    try {
      run(database, "ROLLBACK");
    } catch {
      // SQLite has ended the transaction itself, as it does when the disk is full.
    }
  }
}

function storeError(path: string, error: unknown): StoreError {
  if (codeOf(error) === CODE.full) {
    const message = `There is no room left for ${path}; nothing was changed. Make room on its disk and try again.`;
    return new StoreError("full", message, { cause: error });
  }
  const message = `${path} can't be written: ${messageOf(error)}. Nothing was changed.`;
  return new StoreError("unavailable", message, { cause: error, retryAfter: RETRY_AFTER });
}

/** Part of the file isn't what it should be. */
class DamagedError extends Error {}

/** The file is that of a later version of this program. */
class TooNewError extends Error {
  constructor(version: number) {
    super(`it has version ${version}, this gw knows ${SCHEMA_VERSION} at most`);
  }
}

function refusal(path: string, error: unknown, isCramped: boolean): string {
  if (error instanceof TooNewError) {
    return `Cannot use the store ${path}: a later gw has written it (${error.message}). Use that gw, or another --data.`;
  }
  switch (codeOf(error)) {
    case CODE.busy:
      return `Another process uses the store ${path}. Stop that one, or choose another folder with --data.`;
    case CODE.corrupt:
    case CODE.notADatabase:
      return damaged(path, messageOf(error));
    case CODE.full:
      return `Cannot use the store ${path}: ${NO_ROOM}`;
    default:
      if (isCramped) return `Cannot use the store ${path}: ${NO_ROOM}`;
      return error instanceof DamagedError
        ? damaged(path, error.message)
        : `Cannot open the store ${path}: ${messageOf(error)}.`;
  }
}

const NO_ROOM = "there is no room left on its disk. Make room, or choose another folder with --data.";

function noRoom(path: string): string {
  return `There is no room left on the disk of ${path}: what is stored is served, and no change is taken until there is room.`;
}

/** Whether a small file finds room beside a file; yes, where it can't be written for another reason. */
function hasRoom(path: string): boolean {
  if (path === ":memory:") return true;
  const probe = `${path}-room`;
  try {
    Deno.writeFileSync(probe, new Uint8Array(LEAST_ROOM));
    return true;
  } catch (error) {
    // Of a full disk and of a used-up quota.
    return !/\b(ENOSPC|EDQUOT)\b|os error (28|122)\b/.test(
      `${error instanceof Error && "code" in error ? error.code : ""} ${error}`,
    );
  } finally {
    try {
      Deno.removeSync(probe);
    } catch {
      // It was never there.
    }
  }
}

function damaged(path: string, reason: string): string {
  return `The store ${path} is damaged, and was left as it is: ${reason}. ` +
    "Put a backup in its place, or move it away to begin with an empty store.";
}

/** Runs a statement; unlike `exec`, errors of a prepared one have SQLite's code. */
function run(database: DatabaseSync, sql: string): void {
  database.prepare(sql).run();
}

/** The first value that a statement gives. */
function first(database: DatabaseSync, sql: string): SQLOutputValue | undefined {
  return Object.values(database.prepare(sql).get() ?? {})[0];
}

/** The primary result code of an error of SQLite: the low byte. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return undefined;
  return error.errcode & 0xff;
}

function isFile(path: string): boolean {
  try {
    // An empty file is what SQLite itself leaves before its first transaction.
    return path !== ":memory:" && Deno.statSync(path).size > 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/**
 * The steps from an empty file to the schema of today, each from the version of its place to the next. A step that was
 * released stays as it is: files of that version exist.
 */
const STEPS: readonly string[] = [
  `
  CREATE TABLE resource (
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    version TEXT NOT NULL,
    created TEXT NOT NULL,
    spec TEXT NOT NULL,
    PRIMARY KEY (kind, namespace, name)
  ) STRICT;
  CREATE TABLE counter (name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  INSERT INTO counter (name, value) VALUES ('revision', 0);
  `,
];

/** The version of the schema; SQLite keeps it in the file as `user_version`. */
export const SCHEMA_VERSION = STEPS.length;

/**
 * Brings a database to the schema of today, in one transaction.
 *
 * @param steps The steps, for tests. Default: those of this program.
 */
export function migrate(database: DatabaseSync, steps: readonly string[] = STEPS): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version >= steps.length) return;
  database.exec(`BEGIN IMMEDIATE; ${steps.slice(version).join("")} PRAGMA user_version = ${steps.length}; COMMIT`);
}
